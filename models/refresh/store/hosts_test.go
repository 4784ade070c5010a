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

// The delay of a host is the longer one of its own, such as that of its robots.txt, and the store's.
func TestTheLongerDelayHolds(t *testing.T) {
	for _, test := range []struct{ store, own, want time.Duration }{
		{5 * time.Second, 200 * time.Millisecond, 5 * time.Second},
		{time.Second, 7 * time.Second, 7 * time.Second},
		{3 * time.Second, 0, 3 * time.Second},
		{0, 2 * time.Second, 2 * time.Second},
		{4 * time.Second, -1, 4 * time.Second},
	} {
		s := newStore(t, Settings{Bandwidth: 1e6, HostDelay: test.store})
		require.NoError(t, s.Put(Page{ID: "1", Host: "a.example"}, Page{ID: "2", Host: "a.example"}))
		require.NoError(t, s.SetDelay("a.example", test.own))
		for range 2 {
			host, _ := s.Host("a.example")
			assert.Equal(t, test.want, host.Delay)
			s = reopen(t, s)
		}
		now := begin
		for _, count := range []int{1, 0, 1} { // at once, just before the delay has passed, just after
			due, err := s.Due(t.Context(), Request{Now: now, Most: 2, Lease: time.Hour})
			require.NoError(t, err)
			require.Len(t, due, count, "%+v", test)
			if now = begin.Add(test.want + 10*time.Microsecond); count == 1 {
				now = begin.Add(test.want - 10*time.Microsecond)
			}
		}
	}
}
