package store

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var fullRun = flag.Bool("refresh.long", false, "run simulations of batches and odd logs at full length")

// batches are the times at which a crawler asks for pages, in days from the beginning, in rising
// order.
var batches = []struct {
	name  string
	times func(r *rand.Rand, length float64) []float64
}{
	{"hourly", func(_ *rand.Rand, length float64) []float64 { return every(1./24, length) }},
	{"nightly", func(_ *rand.Rand, length float64) []float64 { return every(1, length) }},
	{"fortnightly", func(_ *rand.Rand, length float64) []float64 { return every(14, length) }},
	{"three cycles a night", func(_ *rand.Rand, length float64) []float64 { return every(1, length, 0, 1./24, 2./24) }},
	{"three cycles every ten days", func(_ *rand.Rand, length float64) []float64 { return every(10, length, 0, 0.1, 0.2) }},
	{"at random", func(r *rand.Rand, length float64) (times []float64) {
		for at := r.ExpFloat64(); at < length; at += 0.7 * r.ExpFloat64() {
			times = append(times, at)
		}
		return times
	}},
}

// every returns the times that are some offsets after the beginning of each period of a length.
func every(period, length float64, offsets ...float64) (times []float64) {
	if offsets == nil {
		offsets = []float64{0}
	}
	for at := 0.; at < length; at += period {
		for _, offset := range offsets {
			times = append(times, at+offset)
		}
	}
	return times
}

// A crawler that asks in batches, whose fetches fail or find pages gone, and whose clock is set
// forward and back, accesses no page before one interval has passed since its last access.
// Batches have room for what the bandwidth allows between them, and no page is overdue by more
// than its interval and the time between two batches.
func TestBatches(t *testing.T) {
	pages, length := 100, 60.
	if *fullRun {
		pages, length = 2000, 365
	}
	for _, test := range batches {
		t.Run(test.name, func(t *testing.T) {
			const seed = 36
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, 0))
			bandwidth := float64(pages) / 7
			s := newStore(t, Settings{Bandwidth: bandwidth})
			s.db.NoSync = true // nobody kills it
			type page struct {
				changeRate     float64
				fetched, since float64 // by the true time, and by the clock
				due            float64 // when it became due, by the true time; 0: it is not due
				visits         int
				failures       int     // in a row, of
				last           Outcome // that kind
				gone           bool
			}
			// wait is how long it is until the next access, as documented, at a rate of access.
			wait := func(p *page, rate float64) float64 {
				doubled := math.Pow(2, float64(p.failures-1))
				switch {
				case p.failures == 0:
					return 1 / rate
				case p.last == Gone:
					return min(7*doubled, 90)
				}
				return min(doubled/96, 7)
			}
			all := map[string]*page{}
			var added []Page
			for i := range pages {
				id := fmt.Sprintf("https://h%d.example/%d", i%97, i)
				all[id] = &page{changeRate: 0.1 * math.Exp(1.5*r.NormFloat64())}
				added = append(added, Page{ID: id, Weight: math.Exp(r.NormFloat64())})
			}
			require.NoError(t, s.Put(added...))

			var accesses, useless, steps, failures, goneOnce, longest, ahead, room, before, worst float64
			for _, at := range test.times(r, length) {
				if at > before && r.Float64() < 0.05 { // the clock is set, by up to six hours
					was := ahead
					ahead = 0.5 * (r.Float64() - 0.5)
					steps++
					for _, p := range all { // no page was fetched later than at the last batch
						if now := at + ahead; now < at+was {
							p.since = min(p.since, now)
						}
					}
				}
				gap := at - before
				longest, before = max(longest, gap), at
				now := at + ahead
				room += gap * bandwidth
				due, err := s.Due(t.Context(), Request{Now: after(now), Most: 1 + int(math.Ceil(room))})
				require.NoError(t, err)
				room = min(max(0, room-float64(len(due))), bandwidth)
				var visits []Visit
				for _, d := range due {
					p := all[d.ID]
					status := statusOf(t, s, d.ID)
					accesses++
					if p.visits > 0 && now-p.since < wait(p, status.Rate)*(1-1e-6) {
						useless++
						t.Logf("day %v: %v days after the last access; interval %v", now, now-p.since, wait(p, status.Rate))
					}
					outcome := Unchanged
					switch chance := r.Float64(); {
					case p.gone:
						outcome = Gone
					case chance < 0.05:
						outcome = Failed
						failures++
					case chance < 0.06:
						outcome, p.gone = Gone, true
						goneOnce++
					case r.Float64() < -math.Expm1(-p.changeRate*(at-p.fetched)):
						outcome = Changed
					}
					if outcome != Failed {
						p.fetched = at
					}
					if p.failures++; outcome != Failed && outcome != Gone {
						p.failures = 0
					} else if outcome != p.last {
						p.failures = 1
					}
					p.since, p.last = now, outcome
					p.visits++
					visits = append(visits, Visit{ID: d.ID, Time: after(now), Outcome: outcome})
				}
				require.NoError(t, s.Record(visits...))
				for i, d := range added { // what is left; pages have numbers in their order
					p, rate := all[d.ID], s.rates.of[i]
					switch {
					case p.visits == 0 || now-p.since < wait(p, rate):
						p.due = 0
					case p.due == 0:
						p.due = at
					case at > length/3: // rates are known
						worst = max(worst, at-p.due-wait(p, rate))
					}
				}
				if r.Float64() < 0.1 { // pages that were gone come back
					for _, d := range added {
						if all[d.ID].gone {
							all[d.ID].gone, all[d.ID].failures = false, 0
							require.NoError(t, s.Put(d))
						}
					}
				}
			}
			t.Logf("%d pages, %.0f days, %.0f accesses for a bandwidth of %.0f; %.0f failed, %.0f found pages gone, the clock was set %.0f times",
				pages, length, accesses, bandwidth*length, failures, goneOnce, steps)
			t.Logf("useless accesses %.0f; overdue by at most %.2f days more than the interval, and there were %.2f days between batches", useless, worst, longest)
			assert.Zero(t, useless)
			assert.LessOrEqual(t, worst, longest)
		})
	}
}

// A log is how the accesses of a page went: gap returns the time from one to the next, in days,
// and outcome what one of them found.
type oddLog struct {
	name    string
	gap     func(r *rand.Rand, page, visit int) float64
	outcome func(r *rand.Rand, page, visit int) (Outcome, []byte)
}

const millisecond = 1. / (24 * 60 * 60 * 1000)

// structured returns logs with an order in them: five kinds of gaps with ten of outcomes.
func structured() (logs []oddLog) {
	gaps := map[string]func(r *rand.Rand, page, visit int) float64{
		"daily":                 func(*rand.Rand, int, int) float64 { return 1 },
		"milliseconds apart":    func(*rand.Rand, int, int) float64 { return millisecond },
		"by page, from ms to h": func(_ *rand.Rand, page, _ int) float64 { return millisecond * math.Pow(1.02, float64(page)) },
		"two at a time":         func(_ *rand.Rand, _, visit int) float64 { return []float64{millisecond, 2}[visit%2] },
		"growing":               func(_ *rand.Rand, _, visit int) float64 { return 1e-6 * math.Pow(1.2, float64(visit)) },
	}
	says := func(changed func(page, visit int) bool) func(*rand.Rand, int, int) (Outcome, []byte) {
		return func(_ *rand.Rand, page, visit int) (Outcome, []byte) {
			if changed(page, visit) {
				return Changed, nil
			}
			return Unchanged, nil
		}
	}
	outcomes := map[string]func(*rand.Rand, int, int) (Outcome, []byte){
		"none changed":          says(func(int, int) bool { return false }),
		"all changed":           says(func(int, int) bool { return true }),
		"every third":           says(func(_, visit int) bool { return visit%3 == 0 }),
		"every second":          says(func(_, visit int) bool { return visit%2 == 0 }),
		"all of every tenth":    says(func(page, _ int) bool { return page%10 == 0 }),
		"half always, half not": says(func(page, _ int) bool { return page%2 == 0 }),
		"all at first":          says(func(_, visit int) bool { return visit < 45 }),
		"failed but for some": func(_ *rand.Rand, page, visit int) (Outcome, []byte) {
			return []Outcome{Failed, Failed, Failed, Changed}[(page+visit)%4], nil
		},
		"gone now and then": func(_ *rand.Rand, page, visit int) (Outcome, []byte) {
			return []Outcome{Changed, Unchanged, Gone, Found}[(page+visit)%4], nil
		},
		"digests": func(_ *rand.Rand, page, visit int) (Outcome, []byte) {
			return Found, fmt.Append(nil, page, visit/(1+page%7))
		},
	}
	for _, gap := range slices.Sorted(maps.Keys(gaps)) {
		for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
			logs = append(logs, oddLog{gap + ", " + outcome, gaps[gap], outcomes[outcome]})
		}
	}
	return logs
}

// random returns a log with some kinds of gaps and of pages, chosen at random.
func random(r *rand.Rand) oddLog {
	gaps, shares := make([]float64, 1+r.IntN(4)), make([]float64, 1+r.IntN(4))
	for i := range gaps {
		gaps[i] = max(millisecond, min(math.Exp([]float64{0, 1, 5}[r.IntN(3)]*r.NormFloat64()), 30))
	}
	for i := range shares {
		shares[i] = []float64{0, 1, 0.5, 1e-2, r.Float64()}[r.IntN(5)]
	}
	others := 0.3 * r.Float64() * float64(r.IntN(2))
	jitter := float64(r.IntN(2))
	return oddLog{
		fmt.Sprintf("gaps %.3g, changed %.3g, others %.2g", gaps, shares, others),
		func(r *rand.Rand, page, _ int) float64 {
			return max(millisecond, gaps[page/len(shares)%len(gaps)]*(1-jitter*r.Float64()))
		},
		func(r *rand.Rand, page, visit int) (Outcome, []byte) {
			switch {
			case visit > 0 && r.Float64() < others:
				return []Outcome{Failed, Found}[r.IntN(2)], nil
			case r.Float64() < shares[page%len(shares)]:
				return Changed, nil
			}
			return Unchanged, nil
		},
	}
}

// Whatever a log shows, the store says what is due, and rates for all pages.
func TestOddLogs(t *testing.T) {
	pages, visits, randoms, every := 100, 30, 20, 5
	if *fullRun {
		pages, visits, randoms, every = 1000, 90, 200, 1
	}
	const seed = 37
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var logs []oddLog
	for i, log := range structured() {
		if i%every == 0 {
			logs = append(logs, log)
		}
	}
	for range randoms {
		logs = append(logs, random(r))
	}
	plain := 0
	for _, log := range logs {
		s, err := Create(t.Context(), filepath.Join(t.TempDir(), "pages.db"), Settings{Bandwidth: float64(pages)})
		require.NoError(t, err)
		s.db.NoSync = true // nobody kills it
		added, rows, last := make([]Page, pages), []Visit(nil), 0.
		for page := range added {
			added[page] = Page{ID: fmt.Sprintf("https://h%d.example/%d", page%31, page)}
			at := 0.
			for visit := range visits {
				outcome, digest := log.outcome(r, page, visit)
				rows = append(rows, Visit{ID: added[page].ID, Time: after(at), Outcome: outcome, Digest: digest})
				at += log.gap(r, page, visit)
			}
			last = max(last, at)
		}
		require.NoError(t, s.Put(added...))
		require.NoError(t, s.Record(rows...), log.name)
		due, err := s.Due(t.Context(), Request{Now: after(last + 1000), Most: pages})
		require.NoError(t, err, log.name)
		require.NotEmpty(t, due, log.name)
		sum := 0.
		for status, err := range s.Pages("") {
			require.NoError(t, err, log.name)
			require.True(t, status.Rate >= 0 && status.ChangeRate >= 0, "%s: %+v", log.name, status)
			sum += status.Rate
		}
		require.InEpsilon(t, float64(pages), sum, 1e-9, log.name)
		if s.Plain() {
			plain++
		}
		require.NoError(t, s.Close())
	}
	t.Logf("%d logs of %d pages with %d accesses each; %d times a plain prior", len(logs), pages, visits, plain)
}
