package store

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// Files of versions that kept names of hosts as they were given are read. What a host asked
// for under another name holds where it has not asked under its own.
func TestOlderNamesOfHosts(t *testing.T) {
	s := newStore(t, Settings{Bandwidth: 10})
	require.NoError(t, s.Put(Page{ID: "1", Host: "a.example"}, Page{ID: "2", Host: "a.example"}, Page{ID: "3", Host: "b.example"}))
	require.NoError(t, s.SetDelay("a.example", time.Second))
	require.NoError(t, s.write(func(c *change) error {
		r := record{Page: Page{ID: "2", Host: "A.Example.", Weight: 1}, added: 1}
		data, err := r.append(nil)
		require.NoError(t, err)
		require.NoError(t, c.pages.put(key(1), data))
		for _, name := range []string{"A.Example.", "B.Example", "."} {
			text, err := json.Marshal(askedByHost{Delay: new(time.Minute)})
			require.NoError(t, err)
			require.NoError(t, c.hosts.put([]byte(name), text))
		}
		return nil
	}))
	s = reopen(t, s)
	assert.Equal(t, []Host{{Name: "b.example", Delay: time.Minute, Pages: 1}, {Name: "a.example", Delay: time.Second, Pages: 2}}, s.Hosts())
	assert.Equal(t, []string{"1", "2"}, idsOf(t, s, "a.example"))

	require.NoError(t, s.SetDelay("b.example", 0))
	s = reopen(t, s)
	host, _ := s.Host("b.example")
	assert.Equal(t, Host{Name: "b.example", Pages: 1}, host, "what another name asked for does not come back")
}
