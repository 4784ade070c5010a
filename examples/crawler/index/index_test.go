package index

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
)

// TestIndex looks for pages, also for one that has been replaced.
func TestIndex(t *testing.T) {
	x, err := New(filepath.Join(t.TempDir(), "index"))
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close()) }()
	for i := range 30 {
		require.NoError(t, x.Index(crawl.Page{URL: fmt.Sprint(i), Body: fmt.Appendf(nil, "common word%d", i)}))
	}
	n, err := x.Pages()
	require.NoError(t, err)
	assert.Equal(t, uint64(25), n, "the rest waits for its batch")
	require.NoError(t, x.Index(crawl.Page{URL: "7", Body: []byte("another text")}))
	require.NoError(t, x.Flush())
	for query, want := range map[string][]string{"word29": {"29"}, "word7": {}, "another": {"7"}} {
		found, err := x.Search(query, 10)
		require.NoError(t, err)
		assert.Equal(t, want, found, query)
	}
	found, err := x.Search("common", 100)
	require.NoError(t, err)
	assert.Len(t, found, 29)
}
