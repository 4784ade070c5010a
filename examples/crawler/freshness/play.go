package freshness

// A chooser crawls a world, and the truth says how well.

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/revisit"
	"github.com/mdpsolve/mdpsolve/models/refresh/store"
)

// A Score says how well a crawler did.
type Score struct {
	// Fresh is the share of the weight of all pages whose copy is up to date, on average over
	// time from the first day on, when there are no copies. Late is that of the second half.
	Fresh, Late float64
	// Age is for how many days the copy of a page has been out of date, on average over time
	// and weight: 0 for those that are up to date, and the time since it came for a page
	// without a copy.
	Age float64
	// Periods are the shares of Fresh for equal parts of the time.
	Periods [Periods]float64
	// Fetches, and how many of them failed, found their page gone, and found no change; Idle
	// are those that could have been made.
	Fetches, Failed, Gone, Unchanged, Idle int
}

// Periods is the number of parts of the time that a Score tells apart.
const Periods = 12

// began is the time at which a crawl begins: any will do.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(days float64) time.Time { return began.Add(time.Duration(days * float64(24*time.Hour))) }

// Play has a chooser crawl a world: it may fetch a page each time that 1/bandwidth of a day
// has passed. New pages are made known to it when they come.
func Play(ctx context.Context, w *World, chooser revisit.Chooser) (Score, error) {
	s := w.Scenario
	scorer := newScorer(w)
	failures := rand.New(rand.NewPCG(w.seed, math.MaxUint64))
	var score Score
	known := 0
	for slot := range int(s.Days * s.Bandwidth()) {
		if slot%1024 == 0 && ctx.Err() != nil {
			return Score{}, ctx.Err()
		}
		now := (float64(slot) + 0.5) / s.Bandwidth()
		var born []revisit.Page
		for ; known < len(w.pages) && w.pages[known].born <= now; known++ {
			born = append(born, w.pages[known].Page)
		}
		if len(born) > 0 {
			if err := chooser.Add(at(now), born...); err != nil {
				return Score{}, err
			}
		}
		fails := failures.Float64() < s.Failures // for all choosers alike
		id, _, err := chooser.Next(at(now))
		if err != nil {
			return Score{}, err
		}
		if id == "" {
			score.Idle++
			continue
		}
		outcome := store.Failed
		if !fails {
			outcome = scorer.fetch(w.index[id], now)
		}
		score.Fetches++
		switch outcome {
		case store.Failed:
			score.Failed++
		case store.Gone:
			score.Gone++
		case store.Unchanged:
			score.Unchanged++
		}
		if err := chooser.Fetched(id, at(now), outcome); err != nil {
			return Score{}, err
		}
	}
	scorer.end(&score)
	return score, nil
}

// A scorer knows how long copies have been up to date.
type scorer struct {
	world  *World
	copied []float64 // time of the last fetch that found the page; NaN: none
	fresh  [Periods]float64
	age    float64
}

func newScorer(w *World) *scorer {
	s := &scorer{world: w, copied: make([]float64, len(w.pages))}
	for i := range s.copied {
		s.copied[i] = math.NaN()
	}
	return s
}

// fetch fetches a page and returns what came of it.
func (s *scorer) fetch(i int, now float64) store.Outcome {
	p := &s.world.pages[i]
	if p.dies <= now {
		return store.Gone
	}
	outcome := store.Found
	if before := s.copied[i]; !math.IsNaN(before) {
		outcome = store.Unchanged
		if p.next(before) <= now {
			outcome = store.Changed
		}
	}
	s.account(i, now)
	s.copied[i] = now
	return outcome
}

// account accounts for a page from its last fetch until now.
func (s *scorer) account(i int, now float64) {
	p := &s.world.pages[i]
	stale := p.born // since when
	if copied := s.copied[i]; !math.IsNaN(copied) {
		stale = min(p.next(copied), now)
		s.addFresh(p.Weight, copied, stale)
	}
	s.age += p.Weight * (now - stale) * (now - stale) / 2
}

// addFresh adds a time in which a page was up to date to the parts that it lies in.
func (s *scorer) addFresh(weight, from, to float64) {
	length := s.world.Scenario.Days / Periods
	for part := int(from / length); part < Periods && from < to; part++ {
		end := min(to, float64(part+1)*length)
		s.fresh[part] += weight * (end - from)
		from = end
	}
}

// end accounts for all pages and completes the score.
func (s *scorer) end(score *Score) {
	var weights [Periods]float64 // times time
	days := s.world.Scenario.Days
	length := days / Periods
	for i := range s.world.pages {
		p := &s.world.pages[i]
		dies := min(p.dies, days)
		s.account(i, dies)
		for part := range weights {
			from, to := max(p.born, float64(part)*length), min(dies, float64(part+1)*length)
			weights[part] += p.Weight * max(to-from, 0)
		}
	}
	var fresh, weight, lateFresh, lateWeight float64
	for part := range weights {
		score.Periods[part] = s.fresh[part] / weights[part]
		fresh, weight = fresh+s.fresh[part], weight+weights[part]
		if part >= Periods/2 {
			lateFresh, lateWeight = lateFresh+s.fresh[part], lateWeight+weights[part]
		}
	}
	score.Fresh, score.Late, score.Age = fresh/weight, lateFresh/lateWeight, s.age/weight
}
