// This file tests what -listen shows of the runs.

package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
	"github.com/mdpsolve/mdpsolve/examples/crawler/trial"
	"github.com/mdpsolve/mdpsolve/examples/crawler/watch"
)

// TestListen has the pages of a comparison answer that is about to run.
func TestListen(t *testing.T) {
	load, err := trial.ParseLoad("jump")
	require.NoError(t, err)
	s := trial.Settings{
		Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4, Unit: 10 * time.Millisecond,
		Load: load, WarmUp: time.Hour, Length: time.Hour,
	}
	c, err := trial.NewComparison(t.Context(), s)
	require.NoError(t, err)
	var said strings.Builder
	observe, stop, err := listen(t.Context(), "127.0.0.1:0", c, &said)
	require.NoError(t, err)
	for i, pool := range c.Pools {
		sw, err := pool.Switch(t.Context())
		require.NoError(t, err)
		observe(i, sw, site.New(site.Settings{Hosts: 2, PagesPerHost: 3, Begin: time.Now(), Latency: site.Exponential(1), Size: site.Exponential(100), ChangeRate: site.Exponential(1)}))
	}
	address := strings.Fields(said.String())[2]
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/metrics", http.NoBody)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	metrics, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	for _, line := range []string{
		`crawler_true_delivery_rate{pool="adaptive"} 10`,
		`crawler_expected_cost{pool="paper"} 0.2592`, // Figure 7 of the paper
		`crawler_site_pages{copy="missing",pool="additive"} 6`,
		`crawler_believed_delivery_rate{bound="mean",pool="adaptive"} `,
	} {
		assert.Contains(t, string(metrics), line)
	}
	http.DefaultClient.CloseIdleConnections()
	assert.NoError(t, stop())

	observe, stop, err = listen(t.Context(), "", c, io.Discard)
	require.NoError(t, err)
	assert.Nil(t, observe)
	assert.NoError(t, stop())
	_, _, err = listen(t.Context(), "0.0.0.0:9464", c, io.Discard)
	assert.ErrorAs(t, err, &usageError{})
	assert.ErrorContains(t, err, "-listen: ")
}

// TestCopies compares copies with a site whose pages change once a second, on average.
func TestCopies(t *testing.T) {
	begin := time.Now()
	web := site.New(site.Settings{Hosts: 2, PagesPerHost: 50, Begin: begin, Latency: site.Exponential(1), Size: site.Exponential(100), ChangeRate: site.Exponential(1)})
	c := newCopies(web)
	pages := web.Pages()
	assert.Equal(t, watch.Pages{Missing: 100}, c.count(begin))
	for _, p := range pages[:60] {
		c.observe(crawl.Event{Kind: crawl.Delivered, At: begin, URL: p.URL})
		c.observe(crawl.Event{Kind: crawl.Lost, At: begin.Add(time.Hour), URL: p.URL})
	}
	assert.Equal(t, watch.Pages{Fresh: 60, Missing: 40}, c.count(begin))
	later := begin.Add(time.Second)
	fresh := 0
	for i := range pages[:60] {
		if web.Version(i, later) == 0 {
			fresh++
		}
	}
	assert.Positive(t, fresh)
	assert.Less(t, fresh, 60)
	assert.Equal(t, watch.Pages{Fresh: fresh, Stale: 60 - fresh, Missing: 40}, c.count(later))
}
