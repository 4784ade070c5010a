package store

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

func idsOf(t *testing.T, s *Store, host string) (ids []string) {
	t.Helper()
	for page, err := range s.Pages(host) {
		require.NoError(t, err)
		assert.Equal(t, "a.example", page.Host)
		ids = append(ids, page.ID)
	}
	return ids
}

// A host is one host, whichever of its names it is given by.
func TestNamesOfHosts(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	require.NoError(t, s.SetDelay("A.example.", time.Hour))
	require.NoError(t, s.Put(Page{ID: "https://a.example./1"}, Page{ID: "2", Host: "A.EXAMPLE"}, Page{ID: "3", Host: "a.example."}, Page{ID: "4", Host: "b.example"}))
	for range 2 {
		assert.Len(t, s.Hosts(), 2)
		host, known := s.Host("a.Example")
		assert.True(t, known)
		assert.Equal(t, Host{Name: "a.example", Delay: time.Hour, Pages: 3}, host)
		assert.Equal(t, []string{"https://a.example./1", "2", "3"}, idsOf(t, s, "A.example."))
		s = reopen(t, s)
	}
	pages, err := s.Due(t.Context(), Request{Now: time.Now().Add(time.Hour), Most: 4})
	require.NoError(t, err)
	assert.Len(t, pages, 2, "one of each host")
}

// Files of versions that kept names of hosts as they were given are read, and what hosts
// had asked for under several names is kept.
func TestOlderNamesOfHosts(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	require.NoError(t, s.Put(Page{ID: "1", Host: "a.example"}, Page{ID: "2", Host: "a.example"}))
	require.NoError(t, s.SetDelay("a.example", time.Second))
	until := begin.Add(time.Hour)
	require.NoError(t, s.write(func(c *change) error {
		r := record{Page: Page{ID: "2", Host: "A.Example.", Weight: 1}, added: 1}
		data, err := r.append(nil)
		require.NoError(t, err)
		require.NoError(t, c.pages.Put(key(1), data))
		for name, asked := range map[string]askedByHost{"A.Example.": {Delay: new(time.Minute)}, "a.example.": {Until: until}, ".": {}} {
			text, err := json.Marshal(asked)
			require.NoError(t, err)
			require.NoError(t, c.hosts.Put([]byte(name), text))
		}
		return nil
	}))
	s = reopen(t, s)
	host, known := s.Host("a.example")
	assert.True(t, known)
	assert.Equal(t, Host{Name: "a.example", Delay: time.Minute, Ready: until, Until: until, Pages: 2}, host)
	assert.Equal(t, []string{"1", "2"}, idsOf(t, s, "a.example"))

	require.NoError(t, s.SetDelay("a.example.", 0))
	require.NoError(t, s.Block("A.example", time.Time{}))
	s = reopen(t, s)
	host, _ = s.Host("a.example")
	assert.Equal(t, Host{Name: "a.example", Pages: 2}, host, "the older names do not come back")
	require.NoError(t, s.db.View(func(tx *bbolt.Tx) error {
		assert.Equal(t, 1, tx.Bucket(hostsBucket).Stats().KeyN)
		return nil
	}))
}
