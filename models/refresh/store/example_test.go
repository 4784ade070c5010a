package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// A crawler's loop: fetch what is due, and record the outcome.
func ExampleStore() {
	must := func(err error) {
		if err != nil {
			log.Panic(err)
		}
	}
	folder, err := os.MkdirTemp("", "store")
	must(err)
	defer func() { must(os.RemoveAll(folder)) }()
	ctx := context.Background()
	s, err := store.Create(ctx, filepath.Join(folder, "pages.db"), store.Settings{Bandwidth: 10, HostDelay: time.Second})
	must(err)
	defer func() { must(s.Close()) }()
	must(s.Put(store.Page{ID: "https://a.example/"}, store.Page{ID: "https://b.example/", Weight: 2}))

	now := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	for end := now.Add(10 * 24 * time.Hour); now.Before(end); now = now.Add(time.Hour) {
		pages, err := s.Due(ctx, store.Request{Now: now, Most: 100})
		must(err)
		var visits []store.Visit
		for _, page := range pages {
			// Fetch it here. That of host a has another content every day.
			digest := page.Host
			if page.Host == "a.example" {
				digest += now.Format(time.DateOnly)
			}
			visits = append(visits, store.Visit{ID: page.ID, Time: now, Outcome: store.Found, Digest: []byte(digest)})
		}
		must(s.Record(visits...))
	}
	a, _ := s.Page("https://a.example/")
	b, _ := s.Page("https://b.example/")
	fmt.Println(a.Changes, b.Changes, a.Rate > b.Rate)
	// Output: 9 0 true
}

func ExampleSettings() {
	settings := store.Settings{Bandwidth: 20_000, HostDelay: 2 * time.Second, Objective: "age"}
	_, err := store.Create(context.Background(), "", settings)
	fmt.Println(err != nil) // no name for the file
	// Output: true
}

func ExamplePage() {
	fmt.Println(store.Page{ID: "https://a.example/", Weight: -1}.Validate())
	// Output: store: page "https://a.example/": weight: -1 is not valid: use a number from 1e-100 to 1e100
}

// Visits that cannot be recorded are named; the others are recorded.
func ExampleVisitErrors() {
	err := error(store.VisitErrors{{Index: 2, ID: "https://a.example/", Err: store.ErrNoPage}})
	if refused, ok := errors.AsType[store.VisitErrors](err); ok {
		for _, r := range refused {
			fmt.Println(r.Index, r.ID, errors.Is(r, store.ErrNoPage))
		}
	}
	// Output: 2 https://a.example/ true
}
