package crawl_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
)

// A page that is lost halves the number of robots that may fetch.
func ExampleAIMD() {
	pool := crawl.NewAIMD(16, 2)
	for range 4 {
		d, err := pool.Deliver()
		if err != nil {
			log.Fatal(err)
		}
		queue, active := pool.Counts()
		fmt.Printf("accepted: %t, fetches again: %t, %d in the queue, %d active\n", d.Accepted, d.Reactivate, queue, active)
		if !d.Accepted {
			break
		}
	}
	// Output:
	// accepted: true, fetches again: true, 1 in the queue, 1 active
	// accepted: true, fetches again: true, 2 in the queue, 1 active
	// accepted: false, fetches again: true, 2 in the queue, 1 active
}

// words is an index that counts the bytes of pages.
type words struct{ bytes int }

func (w *words) Index(p crawl.Page) error {
	w.bytes += len(p.Body)
	return nil
}

// A crawler fetches two pages of a server, each once, and is stopped.
func ExampleCrawler() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "page ", r.URL.Path)
	}))
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	pool, index := crawl.NewAIMD(1, 10), &words{}
	meter := crawl.NewMeter(pool, time.Now())
	indexed := 0
	crawler, err := crawl.New(crawl.Settings{
		Client: server.Client(), Switch: pool, Index: index, Robots: 1, Buffer: 10,
		Chooser: &once{urls: []string{server.URL + "/a", server.URL + "/b"}},
		Observers: []crawl.Observer{meter.Observe, func(e crawl.Event) {
			if e.Kind == crawl.Indexed {
				if indexed++; indexed == 2 {
					stop()
				}
			}
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	err = crawler.Run(ctx)
	stop()
	if err != nil {
		log.Fatal(err)
	}
	sums := meter.Sums(time.Now())
	server.Close()
	fmt.Println(sums.Fetches[crawl.Found], "found,", sums.Lost, "lost,", index.bytes, "bytes")
	// Output: 2 found, 0 lost, 14 bytes
}

// once is a chooser that gives each page out once.
type once struct {
	mu   sync.Mutex
	urls []string
}

func (o *once) Next(time.Time) (url string, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.urls) == 0 {
		return "", time.Hour
	}
	url, o.urls = o.urls[0], o.urls[1:]
	return url, 0
}

func (*once) Fetched(string, crawl.Result) {}

// Pages in turn.
func ExampleRoundRobin() {
	pages := crawl.NewRoundRobin([]string{"https://a.example/", "https://b.example/"})
	for range 3 {
		url, _ := pages.Next(time.Now())
		fmt.Println(url)
	}
	// Output:
	// https://a.example/
	// https://b.example/
	// https://a.example/
}
