package store

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If the file of an open store becomes shorter, methods that need it return an error, and none of
// them waits for ever, Close included.
func TestFileIsTruncatedBeneath(t *testing.T) {
	for _, left := range []int64{0, 4096, 5 * 4096, 20*4096 + 100} {
		for _, checked := range []bool{true, false} {
			path := storeWithVisits(t, 2000)
			s, err := Open(t.Context(), path)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(path, left))
			isUnseen := !checked && left > 2*4096
			if isUnseen {
				s.size.Store(0) // as if the file were cut after a look at its size
			}
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				var group sync.WaitGroup
				for i := range 20 {
					group.Go(func() {
						var errs [5]error
						for status, err := range s.Pages("") {
							_, errs[0] = s.Page(status.ID)
							errs[1] = err
						}
						errs[2] = s.Put(Page{ID: fmt.Sprint("new", i)})
						_, errs[3] = s.Due(t.Context(), Request{Most: 2000, Lease: time.Nanosecond})
						errs[4] = s.Record(Visit{ID: "https://h1.example/1", Time: after(float64(i)), Outcome: Found})
						for _, err := range errs[2:] {
							assert.True(t, err != nil || isUnseen) // what is left may be all that a write needs
						}
						assert.ErrorContains(t, errs[1], "the file is damaged")
					})
				}
				group.Wait()
				assert.NoError(t, s.Close())
			}()
			select {
			case <-ended:
			case <-time.After(time.Minute):
				t.Fatal("somebody waits for ever")
			}
		}
	}
}

// What only reads works on a file that may not be written, also where a prior is due.
func TestReadOnlyFiles(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	for page := range 20 {
		id := fmt.Sprint("page ", page)
		require.NoError(t, s.Put(Page{ID: id}))
		for day := range 10 {
			require.NoError(t, s.Record(Visit{ID: id, Time: after(float64(day)), Outcome: Unchanged + Outcome((day*page/7)%2)}))
		}
	}
	path := s.db.Path()
	require.NoError(t, s.Close())
	before, err := os.ReadFile(path)
	require.NoError(t, err)

	answers := func(s *Store) (all []string) {
		due := dueAt(t, s, 20)
		require.NotEmpty(t, due)
		all = append(answersOf(t, s), due...)
		return all
	}
	openOS = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		if flag&os.O_RDWR != 0 {
			return nil, &os.PathError{Op: "open", Path: name, Err: syscall.EROFS}
		}
		return os.OpenFile(name, flag, mode)
	}
	defer func() { openOS = os.OpenFile }()
	_, err = Open(t.Context(), path)
	require.ErrorIs(t, err, syscall.EROFS)
	s, err = OpenToRead(t.Context(), path)
	require.NoError(t, err)
	got := answers(s)
	require.ErrorIs(t, s.Put(Page{ID: "new"}), ErrReadOnly)
	require.ErrorIs(t, s.Record(Visit{ID: "page 1", Time: after(30), Outcome: Found}), ErrReadOnly)
	require.ErrorIs(t, s.SetDelay("a.example", time.Second), ErrReadOnly)
	require.ErrorIs(t, s.Configure(Settings{Bandwidth: 20}), ErrReadOnly)
	_, err = s.Remove("page 1")
	require.ErrorIs(t, err, ErrReadOnly)
	require.NoError(t, s.Close())
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)

	openOS = os.OpenFile
	s, err = OpenToRead(t.Context(), path)
	require.NoError(t, err)
	assert.Equal(t, answers(s), got)
	require.NoError(t, s.Put(Page{ID: "new"}), "it may be written")
	require.NoError(t, s.Close())
}

// Where no prior can be fitted, a plain one serves.
func TestPlainPriors(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 1000})
	pages, log := make([]Page, 1000), []Visit(nil)
	for page := range pages {
		id := fmt.Sprint("page ", page)
		pages[page] = Page{ID: id}
		for day := range 91 {
			outcome := Unchanged
			if day%3 == 0 {
				outcome = Changed
			}
			log = append(log, Visit{ID: id, Time: after(float64(day)), Outcome: outcome})
		}
	}
	require.NoError(t, s.Put(pages...))
	require.NoError(t, s.Record(log...))
	require.NoError(t, s.Put(Page{ID: "new"}))
	assert.False(t, s.Plain())
	assert.Equal(t, []string{"new"}, dueAt(t, s, 90.5))
	for range 2 {
		assert.True(t, s.Plain())
		assert.Len(t, dueAt(t, s, 93), 100)
		assert.InEpsilon(t, 0.405, statusOf(t, s, "page 7").ChangeRate, 0.02, "ln 1.5 is the likeliest rate")
		s = reopen(t, s)
	}
}
