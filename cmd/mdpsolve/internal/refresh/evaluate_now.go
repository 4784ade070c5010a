package refresh

// The verb refresh evaluate with --last-fetch: a plan from the present state over its own length.

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/review"
)

// warnOfOtherPages tells that --last-fetch has accesses, but none to a page of the list.
func warnOfOtherPages(a *ui.Arguments, fetches *pagefile.Fetches) {
	isKnown := func(at float64) bool { return !math.IsNaN(at) }
	if isKnown(fetches.Latest) && !slices.ContainsFunc(fetches.Times, isKnown) {
		a.Warn("--last-fetch: %s has no access to one of the pages: all count as never accessed", lists.FileName(a, "last-fetch"))
	}
}

// evaluateFromNow prints the freshness of a plan whose slots take a mean time each.
func evaluateFromNow(a *ui.Arguments, pages *pagefile.Pages, mean float64) error {
	if a.CLI.IsSet("access-time") {
		a.Fault("access-time", "not valid with --last-fetch: slots then take the same time each")
	}
	if pages.TotalWeight() == 0 {
		a.Fault("input", "all weights in %s are 0: give one page a weight", lists.FileName(a, "input"))
	}
	fetches, now, scale := readFetches(a, &pages.IDs, pages.Unit, pagefile.Options{Copies: true})
	warnOfOtherPages(a, fetches)
	slots := readSlots(a, pages)
	if len(slots) == 0 {
		a.Fault("schedule", "%s has no slot: give at least one", a.CLI.String("schedule"))
	}
	times := make([][]float64, pages.Len())
	accessed := 0
	for slot, page := range slots {
		if page < 0 {
			continue
		}
		if times[page] == nil {
			accessed++
		}
		times[page] = append(times[page], float64(slot+1)*mean)
	}
	length, weight := float64(len(slots))*mean, pages.TotalWeight()
	var fresh, without, start, end float64
	isFresh := func(change, last, at float64) float64 {
		if math.IsNaN(last) {
			return 0
		}
		return math.Exp(-change * (at - last))
	}
	for i, change := range pages.ChangeRates {
		last, w := (fetches.Times[i]-now)/scale, pages.Weight(i)/weight
		page := review.Page{ChangeRate: change, Last: last}
		fresh += w * page.Fresh(times[i], 0, 0, length) / length
		without += w * page.Fresh(nil, 0, 0, length) / length
		start += w * isFresh(change, last, 0)
		if n := len(times[i]); n > 0 {
			last = times[i][n-1]
		}
		end += w * isFresh(change, last, length)
	}
	return a.PrintRecord(ui.Record{
		{"pages", pages.Len()},
		{"unit", lists.UnitValue(pages.Unit)},
		{"accessed", accessed},
		{"slots", len(slots)},
		{"length", length},
		{"freshness", fresh},
		{"freshness_start", start},
		{"freshness_end", end},
		{"freshness_without", without},
	}, func(s *ui.Screen) {
		s.Heading("What the plan gives from now on")
		s.Printf("  %s   %s, one every %s\n\n", wording.Count(pages.Len(), "page"), wording.Count(len(slots), "slot"), pages.Unit.Of(ui.PlainText(mean)))
		s.Item("freshness", "%s of the pages, by weight, are up to date on average over the plan", s.Styled(ui.Bold, ui.PercentText(fresh)))
		s.Item("", "%s now, %s at its end", ui.PercentText(start), ui.PercentText(end))
		s.Item("without", "%s on average without any access", ui.PercentText(without))
		s.Item("accessed", "%s of the pages (%d)", ui.PercentText(float64(accessed)/float64(pages.Len())), accessed)
	})
}
