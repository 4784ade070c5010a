package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// answersOf returns what a store says of all its pages and hosts.
func answersOf(t *testing.T, s *Store) []string {
	t.Helper()
	answers := []string{fmt.Sprint(s.Counts(), s.Settings(), s.Hosts())}
	for status, err := range s.Pages("") {
		require.NoError(t, err)
		answers = append(answers, fmt.Sprintf("%+v", status))
		one, err := s.Page(status.ID)
		require.NoError(t, err)
		require.Equal(t, status, one)
	}
	return answers
}

// storeWithVisits returns the path of a store of so many pages, of which some were visited.
func storeWithVisits(t *testing.T, count int) string {
	t.Helper()
	s := newStore(t, Settings{Bandwidth: 10})
	pages := make([]Page, count)
	for i := range pages {
		pages[i] = Page{ID: fmt.Sprintf("https://h%d.example/%d", i%17, i), Note: []byte("note")}
	}
	require.NoError(t, s.Put(pages...))
	for i := range 10 {
		require.NoError(t, s.SetDelay(fmt.Sprintf("h%d.example", i), time.Duration(i)*time.Second))
	}
	_, err := s.Remove(pages[3].ID)
	require.NoError(t, err)
	path := s.db.Path()
	require.NoError(t, s.Close())
	return path
}

// Where bits of a file have changed, it is refused, or answers as it did before: after no
// flip it gives a wrong answer, ends the process or hangs.
func TestFlippedBits(t *testing.T) {
	const seed = 23
	t.Logf("seed %d", seed)
	count, flips := 2000, 100
	if *longRun {
		count, flips = 20_000, 500
	}
	path := storeWithVisits(t, count)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	want := answersOf(t, s)
	require.NoError(t, s.Close())

	r := rand.New(rand.NewPCG(seed, 0))
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	refused := 0
	for flip := range flips {
		data := slices.Clone(whole)
		at := 2*4096 + r.IntN(len(data)-2*4096) // after the two pages of meta data, which have checksums of bbolt's
		for data[at] == 0 {
			at = 2*4096 + r.IntN(len(data)-2*4096) // a page that is used
		}
		bits := 1 << r.IntN(7)
		for range bits {
			data[min(at+r.IntN(8), len(data)-1)] ^= 1 << r.IntN(8)
		}
		require.NoError(t, os.WriteFile(damaged, data, 0o600))
		s, err := Open(t.Context(), damaged)
		if err != nil {
			refused++
			continue
		}
		assert.Equal(t, want, answersOf(t, s), "flip %d of %d bits at %d", flip, bits, at)
		require.NoError(t, s.Close())
	}
	t.Logf("%d of %d refused", refused, flips)
	assert.Greater(t, refused, flips/4)
}

// Files of other versions are refused, and those of the first, whose values have no checksums.
func TestFilesOfOtherFormats(t *testing.T) {
	for _, change := range []func(settings table) error{
		func(settings table) error { return settings.remove(formatKey) },
		func(settings table) error { return settings.put(formatKey, []byte("2")) },
	} {
		path := storeWithVisits(t, 100)
		db, err := bbolt.Open(path, 0o600, nil)
		require.NoError(t, err)
		require.NoError(t, db.Update(func(tx *bbolt.Tx) error { return change(tableOf(tx, settingsBucket)) }))
		require.NoError(t, db.Close())
		_, err = Open(t.Context(), path)
		require.ErrorIs(t, err, errOtherFormat)
	}
}
