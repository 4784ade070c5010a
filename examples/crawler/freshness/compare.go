package freshness

// Several choosers crawl the same worlds.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"

	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
	"github.com/mdpsolve/mdpsolve/internal/confidence"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// A Rule is a way to choose pages.
type Rule struct {
	Name string
	// New makes a chooser for a world. It may keep files in a folder.
	New func(w *World, folder string) (revisit.Chooser, error)
}

// Rules returns those that are compared in a scenario: first the store, last one that knows the
// truth.
//
//	store           revisit.Store, which is to have as much as it can up to date
//	store for age   the same, which is to have copies out of date for as short as it can
//	uniform         revisit.NewUniform
//	proportional    revisit.NewProportional
//	Nutch           revisit.Nutch as it comes, of pages that are due the one due for longest
//	Nutch by score  the same, of pages that are due the one of the greatest weight; if those differ
//	Nutch scaled    Nutch with its intervals in proportion to the bandwidth, and never idle
//	rates known     revisit.NewKnowing
func Rules(s Scenario) []Rule {
	nutch := func(change func(*revisit.NutchSettings, Scenario)) func(*World, string) (revisit.Chooser, error) {
		return func(w *World, _ string) (revisit.Chooser, error) {
			settings := revisit.NutchDefaults()
			change(&settings, w.Scenario)
			return revisit.NewNutch(settings), nil
		}
	}
	rules := []Rule{
		{"store", newStore("fixed-order")},
		{"store for age", newStore("age")},
		{"uniform", func(*World, string) (revisit.Chooser, error) { return revisit.NewUniform(), nil }},
		{"proportional", func(*World, string) (revisit.Chooser, error) { return revisit.NewProportional(), nil }},
		{"Nutch", nutch(func(*revisit.NutchSettings, Scenario) {})},
		{"Nutch by score", nutch(func(settings *revisit.NutchSettings, _ Scenario) { settings.ByScore = true })},
		{"Nutch scaled", nutch(func(settings *revisit.NutchSettings, s Scenario) {
			*settings = settings.Scaled(time.Duration(s.Every * float64(24*time.Hour)))
			settings.Ahead = true
		})},
		{"rates known", func(w *World, _ string) (revisit.Chooser, error) {
			return revisit.NewKnowing(w.Scenario.Bandwidth(), w.ChangeRate), nil
		}},
	}
	if !s.Weighted {
		rules = slices.DeleteFunc(rules, func(r Rule) bool { return r.Name == "Nutch by score" })
	}
	return rules
}

// newStore makes stores with an objective.
func newStore(objective string) func(w *World, folder string) (revisit.Chooser, error) {
	return func(w *World, folder string) (revisit.Chooser, error) {
		settings := store.Settings{Bandwidth: w.Scenario.Bandwidth(), Objective: objective}
		s, err := store.Create(context.Background(), filepath.Join(folder, "pages.db"), settings)
		if err != nil {
			return nil, err
		}
		const batches = 100 // a hundredth of the pages at a time
		return revisit.NewStore(s, w.Scenario.Pages/batches), nil
	}
}

// Bound returns what Fresh cannot surpass in expectation, whatever chooses the pages, even if
// it knows how often each changes, when it comes and when it goes.
//
// A page of change rate Δ that is there for a time a, and is fetched m times, is up to date for
// at most m(1 − e^{−Δa/m})/Δ: evenly spaced, and for the first time at once. That is a times the
// freshness of a page of change rate Δa that is fetched at the rate m, and concave in m. So the
// best m solve the problem of [refresh.Optimize] with change rates and weights times a, where
// the bandwidth is the number of all fetches that do not fail.
func Bound(ctx context.Context, w *World) (float64, error) {
	s := w.Scenario
	pages, total := refresh.Pages{}, 0.0
	for i := range w.pages {
		p := &w.pages[i]
		lasts := min(p.dies, s.Days) - p.born
		pages.ChangeRates = append(pages.ChangeRates, p.rate*lasts)
		pages.Weights = append(pages.Weights, p.Weight*lasts)
		total += p.Weight * lasts
	}
	fetches := s.Days * s.Bandwidth() * (1 - s.Failures)
	best, err := refresh.Optimize(ctx, refresh.Problem{Pages: pages, Objective: refresh.FixedOrder{}, Bandwidth: fetches}, refresh.Settings{})
	if err != nil {
		return 0, err
	}
	return best.Bound / total, nil
}

// A Comparison has what came of several rules in the same worlds.
type Comparison struct {
	Scenario Scenario
	Runs     int
	// Bound is the mean of [Bound] over the worlds.
	Bound float64
	Rules []Result
}

// A Result is what came of a rule, on average over the worlds, with half the widths of confidence
// intervals of 95 % by Student's law.
type Result struct {
	Name                  string
	Fresh, FreshError     float64
	Late                  float64
	Age                   float64
	Ahead, AheadError     float64 // by how much the first rule is fresher, world by world
	Idle, Gone, Unchanged float64 // shares of the fetches that could be made
	Periods               [Periods]float64
}

// Compare has each of [Rules] crawl the worlds of a scenario with seeds 1 to runs. Progress
// is called after each crawl. The result does not depend on how many crawls run at a time. Beside an
// error it is of the worlds that all rules have crawled.
func Compare(ctx context.Context, s Scenario, runs int, progress func(done, all int)) (Comparison, error) {
	rules := Rules(s)
	scores := make([][]Score, len(rules))
	for r := range scores {
		scores[r] = make([]Score, runs)
	}
	bounds := make([]float64, runs)
	var done atomic.Int64
	ended := make([]atomic.Int64, runs) // crawls of a world, and the bound
	work := pool.New().WithContext(ctx).WithCancelOnError().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for run := range runs {
		if ctx.Err() != nil {
			break
		}
		world := NewWorld(s, uint64(run+1))
		work.Go(func(ctx context.Context) (err error) {
			if bounds[run], err = Bound(ctx, world); err == nil {
				ended[run].Add(1)
			}
			return err
		})
		for r, rule := range rules {
			work.Go(func(ctx context.Context) (err error) {
				if scores[r][run], err = playRule(ctx, world, rule); err == nil {
					ended[run].Add(1)
				}
				progress(int(done.Add(1)), len(rules)*runs)
				return err
			})
		}
	}
	err := work.Wait()
	if err == nil {
		err = ctx.Err()
	}
	whole := 0
	for run := range runs {
		if int(ended[run].Load()) <= len(rules) {
			continue
		}
		bounds[whole] = bounds[run]
		for r := range rules {
			scores[r][whole] = scores[r][run]
		}
		whole++
	}
	c := Comparison{Scenario: s, Runs: whole}
	c.Bound, _ = confidence.Mean(bounds[:whole], level)
	for r, rule := range rules {
		c.Rules = append(c.Rules, result(rule.Name, scores[r][:whole], scores[0][:whole]))
	}
	return c, err
}

const level = 0.95

// playRule has a rule crawl a world.
func playRule(ctx context.Context, w *World, rule Rule) (score Score, err error) {
	folder, err := os.MkdirTemp("", "freshness")
	if err != nil {
		return Score{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	chooser, err := rule.New(w, folder)
	if err != nil {
		return Score{}, err
	}
	score, err = Play(ctx, w, chooser)
	if closed := chooser.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return Score{}, fmt.Errorf("%s: %w", rule.Name, err)
	}
	return score, nil
}

// result sums scores up.
func result(name string, scores, first []Score) Result {
	r := Result{Name: name}
	mean := func(of func(i int) float64) (float64, float64) {
		values := make([]float64, len(scores))
		for i := range values {
			values[i] = of(i)
		}
		return confidence.Mean(values, level)
	}
	r.Fresh, r.FreshError = mean(func(i int) float64 { return scores[i].Fresh })
	r.Late, _ = mean(func(i int) float64 { return scores[i].Late })
	r.Age, _ = mean(func(i int) float64 { return scores[i].Age })
	r.Ahead, r.AheadError = mean(func(i int) float64 { return first[i].Fresh - scores[i].Fresh })
	share := func(of func(s *Score) int) float64 {
		m, _ := mean(func(i int) float64 {
			return float64(of(&scores[i])) / float64(scores[i].Fetches+scores[i].Idle)
		})
		return m
	}
	r.Idle = share(func(s *Score) int { return s.Idle })
	r.Gone = share(func(s *Score) int { return s.Gone })
	r.Unchanged = share(func(s *Score) int { return s.Unchanged })
	for part := range r.Periods {
		r.Periods[part], _ = mean(func(i int) float64 { return scores[i].Periods[part] })
	}
	return r
}
