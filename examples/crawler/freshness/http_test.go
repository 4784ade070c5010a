package freshness

import (
	"context"
	"math"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
	"github.com/mdpsolve/mdpsolve/models/robots/operate"
)

// dealt gives each class its share of the pages, in an order of its own.
type dealt struct {
	site.Classes
	order []int
	next  int
}

func (d *dealt) Draw(*rand.Rand) float64 {
	d.next++
	return d.Quantile((float64(d.order[d.next-1]) + 0.5) / float64(len(d.order)))
}

// always has all robots fetch all the time.
type always struct{ robots int }

func (always) Deliver() (operate.Delivery, error) {
	return operate.Delivery{Accepted: true, Reactivate: true}, nil
}
func (always) Indexed() (bool, error) { return false, nil }
func (a always) Counts() (int, int)   { return 0, a.robots }

// nothing is an index that keeps nothing.
type nothing struct{}

func (nothing) Index(crawl.Page) error { return nil }

// pipe is a listener within a bubble of synctest.
type pipe struct {
	net.Listener
	connections chan net.Conn
	closed      chan struct{}
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error {
	close(p.closed)
	return nil
}

func (p *pipe) dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.connections <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// overHTTP has robots crawl a site for so many days, each page once a week on average, and
// returns the share of pages whose copy is as the site has them, hour by hour in the second half.
func overHTTP(t *testing.T, pages, days int, newChooser func(bandwidth float64) revisit.Chooser) float64 {
	t.Helper()
	const hosts, robots, day = 10, 4, 24 * time.Hour
	bandwidth := float64(pages) / 7
	begin := time.Now()
	web := site.New(site.Settings{
		Hosts: hosts, PagesPerHost: pages / hosts, Seed: 1, Begin: begin,
		Latency: site.Exponential(0.3), Size: site.Exponential(1000),
		ChangeRate: &dealt{site.ChoGarciaMolina(day.Seconds()), rand.New(rand.NewPCG(1, 1)).Perm(pages), 0},
	})
	listener := &pipe{connections: make(chan net.Conn), closed: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(days)*day)
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- site.Serve(ctx, listener, web) }()
	client := site.Client(robots, listener.dial)
	defer client.CloseIdleConnections()

	chooser := revisit.NewPaced(newChooser(bandwidth), time.Duration(float64(day)/bandwidth))
	index := map[string]int{}
	var known []revisit.Page
	for i, p := range web.Pages() {
		index[p.URL] = i
		known = append(known, revisit.Page{ID: p.URL})
	}
	require.NoError(t, chooser.Add(begin, known...))
	copied := make([]atomic.Int64, pages) // version of the copy, and 1
	var fetches, unchanged int
	crawler, err := crawl.New(crawl.Settings{
		Client: client, Switch: always{robots}, Index: nothing{}, Robots: robots, Buffer: 100,
		Chooser: revisit.ForCrawler(chooser, func(err error) { t.Error(err) }),
		Observers: []crawl.Observer{func(e crawl.Event) {
			if e.Kind != crawl.FetchEnded {
				return
			}
			fetches++
			if e.Result.Outcome == crawl.Unchanged {
				unchanged++
			}
			i := index[e.URL]
			copied[i].Store(int64(web.Version(i, e.At)) + 1)
		}},
	})
	require.NoError(t, err)
	fresh, looks := 0, 0
	var looker sync.WaitGroup
	looker.Go(func() {
		for hour := range days * 24 {
			time.Sleep(time.Until(begin.Add(time.Duration(hour) * time.Hour)))
			for i := range copied {
				if hour < days*12 {
					continue
				}
				looks++
				if copied[i].Load() == int64(web.Version(i, time.Now()))+1 {
					fresh++
				}
			}
		}
	})
	require.NoError(t, crawler.Run(ctx))
	require.NoError(t, <-served)
	looker.Wait()
	require.NoError(t, chooser.Close())
	assert.InEpsilon(t, bandwidth*float64(days), fetches, 0.01, "the bandwidth is used and not surpassed")
	assert.Positive(t, unchanged, "by ETag, or by the digest")
	return float64(fresh) / float64(looks)
}

// The whole crawler, HTTP and all, has as much up to date as the play without it.
func TestOverHTTP(t *testing.T) {
	const pages, days = 100, 120
	s := Scenarios(pages, days)[1]
	t.Run("uniform", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			want := 0.0
			for _, class := range changeRates {
				want += class.Share * -math.Expm1(-class.Value*s.Every) / (class.Value * s.Every)
			}
			got := overHTTP(t, pages, days, func(float64) revisit.Chooser { return revisit.NewUniform() })
			t.Logf("%.4f over HTTP, %.4f by the formula", got, want)
			assert.InDelta(t, want, got, tolerance)
		})
	})
	t.Run("store", func(t *testing.T) {
		score, err := playRule(t.Context(), NewWorld(s, 1), Rules(s)[0])
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "pages.db")
		synctest.Test(t, func(t *testing.T) {
			got := overHTTP(t, pages, days, func(bandwidth float64) revisit.Chooser {
				kept, err := store.Create(t.Context(), path, store.Settings{Bandwidth: bandwidth})
				require.NoError(t, err)
				return revisit.NewStore(kept, 1)
			})
			t.Logf("%.4f over HTTP, %.4f played without", got, score.Late)
			assert.InDelta(t, score.Late, got, tolerance)
		})
	})
}

// tolerance is four times the standard deviation between worlds of 100 pages, some 0.005.
const tolerance = 0.02
