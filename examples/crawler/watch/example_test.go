package watch_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/watch"
)

// A watch is told of a run, observes it, and shows it to this computer until its context ends.
func ExampleWatch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	listener, err := watch.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	w := watch.New()
	observe := w.Begin(watch.Run{
		Pool: "additive", Robots: 16, Buffer: 5, Gamma: 1.4, Unit: 10 * time.Millisecond, Switch: crawl.NewAIMD(16, 5),
		Expected: func() watch.Expected { return watch.Expected{Lambda: 0.1, Mu: 1, Cost: 0.3} },
		Pages:    func() watch.Pages { return watch.Pages{Fresh: 90, Stale: 10} },
	})
	observe(crawl.Event{Kind: crawl.Delivered, At: time.Now(), Queue: 1, Active: 1})
	cancel() // a crawler would run until then
	fmt.Println(w.Serve(ctx, listener))
	// Output: <nil>
}
