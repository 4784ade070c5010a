package frontier

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	pb "github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/frontier/urlfrontier"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// TestReportsAtTheSameTime has many clients report fetches of the same few URLs: all are recorded.
func TestReportsAtTheSameTime(t *testing.T) {
	client, pages := serveStore(t, store.Settings{Bandwidth: 1e6})
	const clients, rounds, urls = 12, 20, 3
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for range rounds {
				items := make([]*pb.URLItem, 0, 2*urls)
				for i := range 2 * urls { // each URL twice
					items = append(items, known(fmt.Sprintf("https://a.example/%d", i%urls), 1, "changed", "true"))
				}
				for _, outcome := range put(t, client, items...) {
					assert.Equal(t, pb.AckMessage_OK, outcome)
				}
			}
		})
	}
	group.Wait()
	for i := range urls {
		page, err := pages.Page(fmt.Sprintf("https://a.example/%d", i))
		require.NoError(t, err)
		assert.EqualValues(t, clients*rounds*2, page.Visits)
	}
}

// TestNoURL skips what no crawler can fetch.
func TestNoURL(t *testing.T) {
	client, pages := serveStore(t, store.Settings{Bandwidth: 1e6})
	for _, url := range []string{"not a url", "page 1", "http://", "://a.example", "mailto:x@a.example", "/a"} {
		assert.Equal(t, []pb.AckMessage_Status{pb.AckMessage_SKIPPED}, put(t, client, discovered(url, "a.example")), url)
		assert.Equal(t, []pb.AckMessage_Status{pb.AckMessage_SKIPPED}, put(t, client, known(url, 1)), url)
	}
	assert.Zero(t, pages.Counts().Pages)
}
