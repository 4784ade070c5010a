package store

import (
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

// A host is one host under each of its names.
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
