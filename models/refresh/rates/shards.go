package rates

// Pages in shards, looked at on many machines.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Sharded is a [refresh.Problem] whose pages lie in many shards, as plain data that can travel.
//
// [Sharded.Optimize] is the coordinator: it knows no page, and puts a [Question] to all
// shards at a time, four as a rule. Its caller brings the question to the shards, lets each
// answer ([Sharded.Answer]), and adds the answers ([Answer.Merge]). The last question gives
// the pages their rates. The multiplier agrees with that of [Optimize] on all pages at once
// to a relative 1e-12, and the rates to 1e-9 of themselves or the mean rate.
type Sharded struct {
	Objective  string // as ParseObjective reads it
	AccessTime string // as queue.ParseLaw reads it; "" for none
	AccessMean float64
	Bandwidth  float64
	Shards     int // in all, which then share a sample of bounded size; 0 where it is not known

	// Capped says that hosts have caps: those of HostCaps, and others HostCap. +Inf is none.
	Capped   bool
	HostCap  float64
	HostCaps map[string]float64
}

// Best returns the objective.
func (p *Sharded) Best() (refresh.Objective, error) {
	if p.Objective == (refresh.Signals{}).String() {
		return nil, fmt.Errorf("%s is not valid: use another, or mdpsolve refresh rates: shards know no signals", p.Objective)
	}
	if p.AccessTime == "" {
		return refresh.ParseObjective(p.Objective, nil)
	}
	law, err := queue.ParseLaw(p.AccessTime, p.AccessMean, noFiles)
	if err != nil {
		return nil, err
	}
	return refresh.ParseObjective(p.Objective, law)
}

// noFiles opens no sample of access times: it need not be where the shards are.
func noFiles(name string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s: samples in files are for one machine: use a law by its name", name)
}

// hostCap returns the cap of a host.
func (p *Sharded) hostCap(host string) float64 {
	if most, listed := p.HostCaps[host]; listed {
		return most
	}
	return p.HostCap
}

// Shard is the pages of a shard, with optional bounds as in [refresh.Problem].
type Shard struct {
	refresh.Pages
	Least, Greatest []float64
	Hosts           []string // names; nil unless hosts have caps
	HostOf          []int32  // by page: an index of Hosts
}

// The kinds of questions: how many pages there are, and what they ask for at most and at
// least; what they ask for at a multiplier; how that changes on an interval; and rates.
const (
	askScout = iota
	askDemand
	askBetween
	askSettle
)

// Question is put to all shards at a time.
type Question struct {
	Kind  int
	Pages int // in all shards, but for the first question

	// Multiplier and Settlement are those of all groups of pages, but those with their own.
	// A group is the host with its name, and that of "" is all pages whose host has no cap.
	Multiplier  float64
	Multipliers map[string]float64 // NaN: nobody asks
	High        float64            // end of the interval that begins at Multiplier
	Settlement  settlement
	Settlements map[string]settlement
}

// First reports whether the question is the first one, about what pages there are.
func (q *Question) First() bool { return q.Kind == askScout }

// Settles reports whether the question is the last one, which gives the pages their rates.
func (q *Question) Settles() bool { return q.Kind == askSettle }

// Answer is what one shard, or several, answer.
type Answer struct {
	Count          int // pages
	Sample         refresh.Pages
	Bounded        bool // a page has a greatest rate
	Least          bool // a page has a least rate
	AtNone, AtMost map[string]demand
	Demands        map[string]demand
	Between        map[string]between
	Tallies        map[string]tally
}

// Merge adds another answer to the same question.
func (a *Answer) Merge(other *Answer) {
	a.Count += other.Count
	a.Sample.ChangeRates = append(a.Sample.ChangeRates, other.Sample.ChangeRates...)
	a.Sample.Weights = append(a.Sample.Weights, other.Sample.Weights...)
	a.Bounded = a.Bounded || other.Bounded
	a.Least = a.Least || other.Least
	mergeGroups(&a.AtNone, other.AtNone, (*demand).merge)
	mergeGroups(&a.AtMost, other.AtMost, (*demand).merge)
	mergeGroups(&a.Demands, other.Demands, (*demand).merge)
	mergeGroups(&a.Between, other.Between, (*between).merge)
	mergeGroups(&a.Tallies, other.Tallies, (*tally).merge)
}

func mergeGroups[T any](all *map[string]T, more map[string]T, merge func(to, other *T)) {
	if *all == nil {
		*all = make(map[string]T, len(more))
	}
	for name, other := range more {
		sum := (*all)[name]
		merge(&sum, &other)
		(*all)[name] = sum
	}
}

// A shard has leastShardSample pages in the sample, and all shards together mostSample.
const (
	leastShardSample = 1 << 10
	mostSample       = 1 << 22
)

// Answer looks at the pages of a shard, on several goroutines. To the last question it fills
// rates, one for each page. Errors are those of [refresh.Problem.Validate].
func (p *Sharded) Answer(q *Question, shard *Shard, rates []float64, workers int) (*Answer, error) {
	objective, err := p.Best()
	if err != nil {
		return nil, err
	}
	problem := refresh.Problem{
		Pages: shard.Pages, Objective: objective, Bandwidth: p.Bandwidth,
		Least: shard.Least, Greatest: shard.Greatest, Hosts: shard.HostOf,
	}
	for _, host := range shard.Hosts {
		problem.HostCaps = append(problem.HostCaps, p.hostCap(host))
	}
	team := parallel.NewTeam(workers)
	defer team.Close()
	m := newMemory(&problem, team)
	m.rates = rates
	names := make([]string, len(m.caps)) // of groups
	for host, group := range m.groupOf {
		if !math.IsInf(m.caps[group], 1) {
			names[group] = shard.Hosts[host]
		}
	}
	a, n := &Answer{}, shard.Len()
	switch q.Kind {
	case askScout:
		if err := problem.Validate(); err != nil {
			return nil, err
		}
		a.Count, a.Bounded, a.Least = n, shard.Greatest != nil, shard.Least != nil
		a.Sample = sampleOf(shard.Pages, min(n, max(leastShardSample, n/sampleShare), max(1, mostSample/max(1, p.Shards))))
		if a.Sample.Weights == nil {
			a.Sample.Weights = slices.Repeat([]float64{1}, a.Sample.Len())
		}
		a.AtNone, a.AtMost = byName(names, m.demandAt(0)), byName(names, m.demandAt(math.Inf(1)))
	case askDemand:
		demands, _ := m.demand(valuesOf(names, q.Multiplier, q.Multipliers)) // memory does not fail
		a.Demands = byName(names, demands)
	case askBetween:
		found, _ := m.between(q.Multiplier, q.High)
		// A shard has its share of the steep pages that are of use, so that what many shards
		// send is bounded. A few more are chance: small shards have few.
		const chance = 16
		most := chance + 2*mostSteep*n/max(1, q.Pages)
		for i := range found {
			found[i].limit(most)
		}
		a.Between = byName(names, found)
	case askSettle:
		tallies, _ := m.settle(valuesOf(names, q.Settlement, q.Settlements))
		a.Tallies = byName(names, tallies)
	default:
		return nil, fmt.Errorf("rates: a question of kind %d", q.Kind)
	}
	return a, nil
}

func byName[T any](names []string, values []T) map[string]T {
	named := make(map[string]T, len(names))
	for i, name := range names {
		named[name] = values[i]
	}
	return named
}

// valuesOf returns the value of each name, which is that of all but some.
func valuesOf[T any](names []string, common T, some map[string]T) []T {
	values := make([]T, len(names))
	for i, name := range names {
		values[i] = common
		if own, found := some[name]; found {
			values[i] = own
		}
	}
	return values
}

// ShardedSolution is a [Solution] without rates: shards have them.
type ShardedSolution struct {
	Solution
	Pages           int
	HostMultipliers map[string]float64 // of hosts with a cap
}

// Optimize puts questions to all shards until they have the best rates. ask returns the
// merged answers of all shards; its errors end the solve. Other errors are those of
// [Optimize].
func (p *Sharded) Optimize(ctx context.Context, ask func(*Question) (*Answer, error)) (*ShardedSolution, error) {
	begin := time.Now()
	objective, err := p.Best()
	if err != nil {
		return nil, err
	}
	problem := &refresh.Problem{Objective: objective, Bandwidth: p.Bandwidth}
	if err := problem.Validate(); err != nil {
		return nil, err
	}
	scout, err := ask(&Question{Kind: askScout})
	if err != nil {
		return nil, err
	}
	if scout.Count == 0 {
		return nil, errors.New("rates: there are no pages")
	}
	r := &shards{ask: ask, scout: scout}
	size := sizes{pages: scout.Count, least: scout.Least, bounded: true} // it costs nothing
	for name := range scout.AtNone {
		r.names = append(r.names, name)
	}
	slices.Sort(r.names)
	for _, name := range r.names {
		most := math.Inf(1)
		if name != "" {
			most = p.hostCap(name)
		}
		size.caps = append(size.caps, most)
	}
	team := parallel.NewTeam(1)
	defer team.Close()
	s := newSolver(problem, r, size, team)
	solution, err := s.solve(ctx, 0)
	if solution == nil {
		if infeasible, ok := errors.AsType[*InfeasibleError](err); ok && infeasible.Host >= 0 {
			infeasible.Name = r.names[infeasible.Host]
		}
		return nil, err
	}
	solution.Elapsed = time.Since(begin)
	solution.Passes++ // the scout
	all := &ShardedSolution{Solution: *solution, Pages: scout.Count}
	for i, name := range r.names {
		if name != "" {
			if all.HostMultipliers == nil {
				all.HostMultipliers = map[string]float64{}
			}
			all.HostMultipliers[name] = max(solution.Multiplier, s.groups[i].multiplier)
		}
	}
	return all, err
}

// shards is a source of which the pages are in shards.
type shards struct {
	ask   func(*Question) (*Answer, error)
	scout *Answer
	names []string // of groups
}

// question asks and returns what find takes from the answer, by group.
func question[T any](r *shards, q *Question, find func(*Answer) map[string]T) ([]T, error) {
	q.Pages = r.scout.Count
	a, err := r.ask(q)
	if err != nil {
		return nil, err
	}
	var none T
	return valuesOf(r.names, none, find(a)), nil
}

// sample implements source.
func (r *shards) sample() refresh.Pages { return r.scout.Sample }

// demand implements source.
func (r *shards) demand(multipliers []float64) ([]demand, error) {
	q := &Question{Kind: askDemand}
	q.Multiplier, q.Multipliers = common(r.names, multipliers, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
	switch {
	case q.Multipliers == nil && q.Multiplier == 0:
		return valuesOf(r.names, demand{}, r.scout.AtNone), nil
	case q.Multipliers == nil && math.IsInf(q.Multiplier, 1):
		return valuesOf(r.names, demand{}, r.scout.AtMost), nil
	}
	return question(r, q, func(a *Answer) map[string]demand { return a.Demands })
}

// between implements source.
func (r *shards) between(low, high float64) ([]between, error) {
	return question(r, &Question{Kind: askBetween, Multiplier: low, High: high}, func(a *Answer) map[string]between { return a.Between })
}

// settle implements source.
func (r *shards) settle(ends []settlement) ([]tally, error) {
	q := &Question{Kind: askSettle}
	q.Settlement, q.Settlements = common(r.names, ends, func(a, b settlement) bool { return a == b })
	return question(r, q, func(a *Answer) map[string]tally { return a.Tallies })
}

// common returns the value that the first of several have, and the others by name.
func common[T any](names []string, values []T, same func(a, b T) bool) (first T, others map[string]T) {
	for i, value := range values {
		switch {
		case i == 0:
			first = value
		case !same(value, first):
			if others == nil {
				others = map[string]T{}
			}
			others[names[i]] = value
		}
	}
	return first, others
}
