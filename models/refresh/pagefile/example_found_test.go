package pagefile_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// The kinds of files from which pages come.
func ExampleWay() {
	for _, way := range pagefile.Ways {
		fmt.Println(way.Name, way.OnlyWeights)
	}
	// Output:
	// sitemap false
	// nutch false
	// stormcrawler false
	// cdx false
	// server-log true
}

// The accesses in the index of an archive.
func ExampleFound() {
	index := "example,a)/ 20260131150000 https://a.example/ text/html 200 AAAA\n"
	way, _ := pagefile.WayOf("cdx")
	err := pagefile.EachFound(context.Background(), pagefile.Source{Name: "a.cdx", Reader: strings.NewReader(index)}, way, pagefile.FoundOptions{}, func(f pagefile.Found) error {
		fmt.Println(f.URL, f.Fetched, f.Outcome, string(f.Digest))
		return nil
	})
	fmt.Println(err)
	// Output:
	// https://a.example/ 2026-01-31 15:00:00 +0000 UTC found AAAA
	// <nil>
}

// Requests in the log of a server, which has paths alone.
func ExampleFoundOptions() {
	log := `192.0.2.1 - - [01/Dec/2026:13:55:36 +0000] "GET /b HTTP/1.1" 200 2326` + "\n"
	way, _ := pagefile.WayOf("server-log")
	options := pagefile.FoundOptions{Site: &url.URL{Scheme: "https", Host: "a.example"}}
	err := pagefile.EachFound(context.Background(), pagefile.Source{Name: "access.log", Reader: strings.NewReader(log)}, way, options, func(f pagefile.Found) error {
		fmt.Println(f.URL, f.Weight)
		return nil
	})
	fmt.Println(err)
	// Output:
	// https://a.example/b 1
	// <nil>
}

// An index of sitemaps names those to read.
func ExampleIndexError() {
	text := "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>"
	way, _ := pagefile.WayOf("sitemap")
	err := pagefile.EachFound(context.Background(), pagefile.Source{Name: "index.xml", Reader: strings.NewReader(text)}, way, pagefile.FoundOptions{}, nil)
	var index *pagefile.IndexError
	fmt.Println(errors.As(err, &index), index.Sitemaps)
	// Output: true [https://a.example/1.xml]
}
