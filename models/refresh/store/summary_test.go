package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// A summary is that of the open store, whether the one who wrote last has closed it or not.
func TestSummaries(t *testing.T) {
	path := storeWithVisits(t, 50)
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Put(Page{ID: "https://other.example/", Weight: 2}))
	require.NoError(t, s.Record(Visit{ID: "https://h1.example/1", Time: after(100), Outcome: Gone}))
	want := s.Summary()
	assert.Equal(t, want.Counts, s.Counts())
	assert.Positive(t, want.Counts.Gone)
	s.changed = false // as if the process were killed
	require.NoError(t, s.Close())
	_, ok := readSummary(path)
	assert.False(t, ok, "the summary is an old one")
	for range 2 {
		got, err := Summarize(t.Context(), path)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	s, err = Open(t.Context(), path)
	require.NoError(t, err)
	_, err = s.Due(t.Context(), Request{Now: after(200), Most: 3})
	require.NoError(t, err)
	require.NoError(t, s.Put(Page{ID: "https://third.example/"}))
	want = s.Summary()
	want.Counts.HandedOut = 0
	require.NoError(t, s.Close())
	got, ok := readSummary(path)
	assert.True(t, ok)
	assert.Equal(t, want, got)
	_, err = Summarize(t.Context(), filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// A backup that is made while others write is a store of some moment: it has all that was written before
// it began.
func TestBackups(t *testing.T) {
	path := storeWithVisits(t, 200)
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	var group sync.WaitGroup
	stop := make(chan struct{})
	group.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				assert.NoError(t, s.Put(Page{ID: fmt.Sprint("new ", i)}))
			}
		}
	})
	for range 5 {
		before := s.Counts().Pages
		var copied bytes.Buffer
		require.NoError(t, s.Backup(&copied))
		after := s.Counts().Pages
		name := filepath.Join(t.TempDir(), "backup.db")
		require.NoError(t, os.WriteFile(name, copied.Bytes(), 0o600))
		found, err := Check(t.Context(), name)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, found.Counts.Pages, before)
		assert.LessOrEqual(t, found.Counts.Pages, after+1)
	}
	close(stop)
	group.Wait()
	assert.Error(t, s.Backup(failingWriter{}))
	require.NoError(t, s.Close())
	assert.ErrorIs(t, s.Backup(&bytes.Buffer{}), ErrClosed)
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

// A check finds pages that have the record of another page, and any changed bit in the parts of the
// file that are in use.
func TestChecks(t *testing.T) {
	path := storeWithVisits(t, 100)
	found, err := Check(t.Context(), path)
	require.NoError(t, err)
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	assert.Equal(t, s.Summary(), found)

	var first, second []byte
	require.NoError(t, s.update(func(tx *bbolt.Tx) error {
		ids := tableOf(tx, idsBucket)
		cursor := ids.bucket.Cursor()
		a, _ := cursor.First()
		b, _ := cursor.Next()
		first, second = bytes.Clone(a), bytes.Clone(b)
		one, err := ids.get(first)
		require.NoError(t, err)
		one = bytes.Clone(one)
		other, err := ids.get(second)
		require.NoError(t, err)
		require.NoError(t, ids.put(first, bytes.Clone(other)))
		return ids.put(second, one)
	}))
	require.NoError(t, s.Close())
	_, err = Check(t.Context(), path)
	require.ErrorIs(t, err, ErrDamaged)
	assert.ErrorContains(t, err, string(first))

	whole, err := os.ReadFile(storeWithVisits(t, 100))
	require.NoError(t, err)
	const seed = 8
	random := rand.New(rand.NewPCG(seed, 0))
	damaged := 0
	for range 100 {
		flipped := bytes.Clone(whole)
		flipped[random.IntN(len(flipped))] ^= 1 << random.IntN(8)
		name := filepath.Join(t.TempDir(), "flipped.db")
		require.NoError(t, os.WriteFile(name, flipped, 0o600))
		if got, err := Check(t.Context(), name); err != nil {
			damaged++
		} else {
			assert.Equal(t, found.Counts, got.Counts, "what is not in use may differ")
		}
	}
	assert.Positive(t, damaged)
}

// A file that is cut anywhere is damaged, whatever reads it, and no words of the runtime say so.
func TestCutFiles(t *testing.T) {
	path := storeWithVisits(t, 100)
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	used := 0 // of the file, which may be longer
	require.NoError(t, s.view(func(tx *bbolt.Tx) error {
		used = int(tx.Size())
		return nil
	}))
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	const page = 4096
	for size := page / 2; size < used; size += page / 2 {
		name := filepath.Join(t.TempDir(), "cut.db")
		require.NoError(t, os.WriteFile(name, whole[:size], 0o600))
		_, summarized := Summarize(t.Context(), name)
		_, checked := Check(t.Context(), name)
		_, opened := Open(t.Context(), name)
		for _, err := range []error{summarized, checked, opened} {
			if size < 2*page { // what says that this is a store is not there
				require.ErrorContains(t, err, "the file is not a store", size)
				continue
			}
			require.ErrorIs(t, err, ErrDamaged, size)
			assert.Regexp(t, `^the file is damaged(: it has \d+ of \d+ bytes)?$`, err.Error())
		}
	}
}

// What is held can be read, and opened to write once it is released, unless another file has its place;
// an open store cannot be held.
func TestHold(t *testing.T) {
	path := storeWithVisits(t, 10)
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	_, err = Hold(path)
	require.ErrorIs(t, err, ErrInUse)
	require.NoError(t, s.Close())

	release, err := Hold(path)
	require.NoError(t, err)
	_, err = Summarize(t.Context(), path)
	require.NoError(t, err)
	opened := make(chan error)
	go func() {
		_, err := Open(t.Context(), path)
		opened <- err
	}()
	time.Sleep(time.Second / 4) // Open waits for up to a second
	require.NoError(t, os.Rename(storeWithVisits(t, 10), path))
	require.NoError(t, release())
	require.ErrorIs(t, <-opened, ErrInUse)
	s, err = Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Close())

	other := filepath.Join(t.TempDir(), "other.db")
	db, err := bbolt.Open(other, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("of another program"))
		return err
	}))
	require.NoError(t, db.Close())
	_, err = Hold(other)
	require.ErrorIs(t, err, errNoStore)
}
