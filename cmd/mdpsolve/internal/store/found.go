package store

// Pages that other programs know: store add --sitemap and --from.

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// sitemap is the way of --sitemap.
const sitemap = "sitemap"

func wayNames() []string {
	var names []string
	for _, way := range pagefile.Ways {
		names = append(names, way.Name)
	}
	return names
}

// waysText says for help what the ways are.
func waysText() string {
	var text strings.Builder
	for _, way := range pagefile.Ways {
		fmt.Fprintf(&text, "  %-12s  %s\n", way.Name, way.Says)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// readWay returns the way of --from or --sitemap, and the flag that names its file.
func readWay(a *ui.Arguments) (way pagefile.Way, flag string, isWay bool) {
	flag = "input"
	name := a.CLI.String("from")
	if a.CLI.IsSet("from") {
		name = a.Choice("from")
	}
	if a.CLI.IsSet("sitemap") {
		if a.CLI.IsSet("input") || a.CLI.IsSet("from") {
			a.Fault("sitemap", "not valid with --input or --from: use one verb for each file")
		}
		name, flag = sitemap, "sitemap"
	}
	way, isWay = pagefile.WayOf(name)
	if isWay && a.CLI.IsSet("new") {
		a.Fault("new", "not valid with --%s: pages in the store keep their data", map[bool]string{true: sitemap, false: "from"}[flag == sitemap])
	}
	if a.CLI.IsSet("site") && !way.OnlyWeights {
		a.Fault("site", "not valid without --from server-log")
	}
	return way, flag, isWay
}

// readSite reads --site; nil without.
func readSite(a *ui.Arguments) *url.URL {
	if !a.CLI.IsSet("site") {
		return nil
	}
	site, err := url.Parse(a.CLI.String("site"))
	if _, ok := urlhost.Of([]byte(a.CLI.String("site"))); err != nil || !ok || strings.Trim(site.Path, "/") != "" {
		a.Fault("site", "%q is not valid: use the beginning of URLs, such as https://a.example", a.CLI.String("site"))
	}
	return site
}

// addFound adds what a file of another program says of pages: new pages, changes that are announced,
// weights, accesses.
func addFound(a *ui.Arguments, s *store.Store, way pagefile.Way, flag string) error {
	clock, before := clockOf(a), s.Counts().Pages
	options := pagefile.FoundOptions{Site: readSite(a), KeepURLs: !s.Settings().NormalURLs}
	read, recorded, announced, weighted := 0, 0, 0, 0
	ignored, firstIgnored := 0, 0 // values, and the line of the first
	var index *pagefile.IndexError
	each := func(ctx context.Context, source pagefile.Source, _ pagefile.Options, take func(pagefile.Found) error) error {
		err := pagefile.EachFound(ctx, source, way, options, take)
		if errors.As(err, &index) {
			return nil
		}
		return err
	}
	parse := func(in *input, found pagefile.Found) (pagefile.Found, error) {
		if err := pageOfFound(&found).Validate(); err != nil {
			return found, in.faultf(found.Line, "%v", err)
		}
		return found, nil
	}
	err := readRows(a, flag, each, func(f pagefile.Found) int { return f.Line }, parse, func(_ *input, rows []pagefile.Found) error {
		var pages []store.Page
		var announcements []store.Announcement
		var visits []store.Visit
		now := clock()
		for i := range rows {
			found := &rows[i]
			if ignored += found.Ignored; found.Ignored > 0 && firstIgnored == 0 {
				firstIgnored = found.Line
			}
			if way.OnlyWeights {
				announcements = append(announcements, store.Announcement{ID: found.URL, Weight: found.Weight})
				continue
			}
			pages = append(pages, pageOfFound(found))
			if !found.Modified.IsZero() {
				announcements = append(announcements, store.Announcement{ID: found.URL, Modified: found.Modified})
			}
			if visit := (store.Visit{ID: found.URL, Time: found.Fetched, Outcome: found.Outcome, Digest: found.Digest}); !found.Fetched.IsZero() && !found.Fetched.After(now) && visit.Validate() == nil {
				visits = append(visits, visit)
			}
		}
		read += len(rows)
		if _, err := s.Add(pages...); err != nil {
			return err
		}
		due, weights, err := s.Announce(now, announcements...)
		announced, weighted = announced+due, weighted+weights
		if err != nil || len(visits) == 0 {
			return err
		}
		err = s.RecordAt(now, visits...)
		refused, ok := errors.AsType[store.VisitErrors](err)
		if recorded += len(visits) - len(refused); ok {
			return nil // those that the store has already, or later ones
		}
		return err
	})
	if err != nil {
		return err
	}
	if index != nil {
		return a.PrintRecord(ui.Record{{Name: "sitemaps", Value: index.Sitemaps}}, func(screen *ui.Screen) {
			for _, address := range index.Sitemaps {
				screen.Printf("%s\n", address)
			}
		})
	}
	if ignored > 0 {
		a.Warn("--%s: %s of lastmod, changefreq or priority ignored, as no sitemap has them; the first is of the URL in line %d", flag, wording.Count(ignored, "value"), firstIgnored)
	}
	pages := s.Counts().Pages
	return a.PrintRecord(ui.Record{
		{Name: "read", Value: read},
		{Name: "added", Value: pages - before},
		{Name: "pages", Value: pages},
		{Name: "announced", Value: announced},
		{Name: "weighted", Value: weighted},
		{Name: "recorded", Value: recorded},
	}, func(screen *ui.Screen) {
		screen.Printf("%s read, %d new: the store has %d\n", wording.Count(read, "row"), pages-before, pages)
		for _, more := range []struct {
			count int
			noun  string
			what  string
		}{{announced, "page", "changed since the last access, and due at once"}, {weighted, "page", "with a new weight"}, {recorded, "access", "recorded"}} {
			if more.count > 0 {
				screen.Printf("%s %s\n", wording.Count(more.count, more.noun), more.what)
			}
		}
	})
}

// pageOfFound returns a page that is new.
func pageOfFound(found *pagefile.Found) store.Page {
	return store.Page{ID: found.URL, Weight: found.Weight, ChangeRate: found.ChangeRate}
}
