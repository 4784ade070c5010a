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

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// withStore calls a function with a store of three pages on two hosts.
func withStore(use func(s *store.Store) error) {
	folder, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := store.Create(context.Background(), filepath.Join(folder, "pages.db"), store.Settings{Bandwidth: 10, HostDelay: time.Second})
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Put(store.Page{ID: "https://a.example/"}, store.Page{ID: "https://a.example/2"}, store.Page{ID: "https://b.example/", Weight: 2}); err != nil {
		log.Panic(err)
	}
	if err := use(s); err != nil {
		fmt.Println(err)
	}
}

// Both hosts have a delay, so each gives one page at a time. After the lease of an hour the
// first pages are handed out again.
func ExampleRequest() {
	withStore(func(s *store.Store) error {
		for _, now := range []time.Time{noon, noon.Add(time.Minute), noon.Add(2 * time.Hour)} {
			pages, err := s.Due(context.Background(), store.Request{Now: now, Most: 10, Lease: time.Hour})
			if err != nil {
				return err
			}
			fmt.Println(now.Format(time.TimeOnly), len(pages))
		}
		return nil
	})
	// Output:
	// 12:00:00 2
	// 12:01:00 1
	// 14:00:00 2
}

func ExampleVisit() {
	withStore(func(s *store.Store) error {
		visit := store.Visit{ID: "https://a.example/", Time: noon, Outcome: store.Found, Digest: []byte("v1")}
		if err := s.Record(visit); err != nil {
			return err
		}
		visit.Time, visit.Digest = noon.Add(24*time.Hour), []byte("v2")
		if err := s.Record(visit); err != nil {
			return err
		}
		page, err := s.Page("https://a.example/")
		fmt.Println(page.Visits, "visits,", page.Changes, "change")
		return err
	})
	// Output: 2 visits, 1 change
}

func ExampleOutcome() {
	withStore(func(s *store.Store) error {
		if err := s.Record(store.Visit{ID: "https://a.example/", Time: noon, Outcome: store.Gone}); err != nil {
			return err
		}
		page, err := s.Page("https://a.example/")
		fmt.Println(page.Outcome, page.Rate)
		return err
	})
	// Output: gone 0
}

func ExampleStatus() {
	withStore(func(s *store.Store) error {
		for status, err := range s.Pages("b.example") {
			if err != nil {
				return err
			}
			fmt.Println(status.ID, "of weight", status.Weight, "was visited", status.Visits, "times")
			fmt.Println(status.Visited.IsZero(), status.Rate > 0)
		}
		return nil
	})
	// Output:
	// https://b.example/ of weight 2 was visited 0 times
	// true true
}

func ExampleHost() {
	withStore(func(s *store.Store) error {
		if err := s.SetDelay("a.example", 30*time.Second); err != nil {
			return err
		}
		if err := s.Block("b.example", noon); err != nil {
			return err
		}
		for _, host := range s.Hosts() {
			fmt.Println(host.Name, host.Pages, host.Delay, host.Until.UTC().Format(time.DateTime))
		}
		return nil
	})
	// Output:
	// a.example 2 30s 0001-01-01 00:00:00
	// b.example 1 1s 2026-01-31 12:00:00
}

func ExampleCounts() {
	withStore(func(s *store.Store) error {
		err := s.Record(store.Visit{ID: "https://a.example/", Time: noon, Outcome: store.Gone})
		fmt.Printf("%+v\n", s.Counts())
		return err
	})
	// Output: {Pages:3 Unvisited:2 Gone:1 HandedOut:0}
}

func ExampleVisitError() {
	withStore(func(s *store.Store) error {
		err := s.Record(store.Visit{ID: "https://c.example/", Time: noon, Outcome: store.Found})
		if refused, ok := errors.AsType[*store.VisitError](err); ok {
			fmt.Println(refused.Index, refused.ID, refused.Err)
		}
		return nil
	})
	// Output: 0 https://c.example/ no such page
}

// The pages of the next ten seconds, with a second between two of a host.
func ExampleBatch() {
	withStore(func(s *store.Store) error {
		planned, err := s.Plan(context.Background(), store.Batch{
			Request: store.Request{Now: noon, Most: 10}, Until: noon.Add(10 * time.Second),
		})
		for _, access := range planned {
			fmt.Println(access.Time.Format(time.TimeOnly), access.ID)
		}
		return err
	})
	// Output:
	// 12:00:00 https://b.example/
	// 12:00:00 https://a.example/
	// 12:00:01 https://a.example/2
}

func ExamplePlanned() {
	access := store.Planned{Page: store.Page{ID: "https://a.example/"}, Time: noon}
	fmt.Println(access.ID, access.Time.Format(time.TimeOnly))
	// Output: https://a.example/ 12:00:00
}

// 100 accesses a day at night, none by day.
func ExampleWeek() {
	var nights store.Week
	for hour := range nights {
		if hour%24 < 8 {
			nights[hour] = 300
		}
	}
	fmt.Printf("%.0f accesses a day\n", nights.Mean())
	// Output: 100 accesses a day
}

// A sitemap says that a page has changed since its last visit.
func ExampleAnnouncement() {
	withStore(func(s *store.Store) error {
		if err := s.Record(store.Visit{ID: "https://a.example/", Time: noon, Outcome: store.Found}); err != nil {
			return err
		}
		due, _, err := s.Announce(noon.Add(2*time.Hour), store.Announcement{ID: "https://a.example/", Modified: noon.Add(time.Hour)})
		fmt.Println(due, "page is due at once")
		return err
	})
	// Output: 1 page is due at once
}

// A copy of a store is checked, and tells what it has.
func ExampleSummary() {
	withStore(func(s *store.Store) error {
		file, err := os.CreateTemp("", "copy")
		if err != nil {
			return err
		}
		defer func() { _ = os.Remove(file.Name()) }()
		if err := errors.Join(s.Backup(file), file.Close()); err != nil {
			return err
		}
		summary, err := store.Check(context.Background(), file.Name())
		fmt.Println(summary.Counts.Pages, "pages on", summary.Hosts, "hosts")
		return err
	})
	// Output: 3 pages on 2 hosts
}
