package site_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
)

// A site of one page, which never changes and answers after a millisecond or so.
func ExampleSite() {
	web := site.New(site.Settings{
		Hosts: 1, PagesPerHost: 1, Seed: 1, Begin: time.Now(),
		Latency: site.Exponential(0.001), Size: site.Exponential(1), ChangeRate: site.Exponential(0),
	})
	page := web.Pages()[0]
	w := httptest.NewRecorder()
	web.ServeHTTP(w, httptest.NewRequest(http.MethodGet, page.URL, http.NoBody))
	fmt.Println(page.URL, w.Code, w.Body)
	// Output: http://host0.test/pages/0 200 Version 0
}

// How often a page changes that is drawn at random: one of five classes.
func ExampleClasses() {
	law := site.ChoGarciaMolina(1)
	random := rand.New(rand.NewPCG(1, 1))
	daily := 0
	for range 10_000 {
		if law.Draw(random) == 1 {
			daily++
		}
	}
	fmt.Printf("%.1f of the pages change daily, all of them %.2f times a day on average\n", float64(daily)/10_000, law.Mean())
	// Output: 0.2 of the pages change daily, all of them 0.26 times a day on average
}
