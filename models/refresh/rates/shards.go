package rates

// Pages in shards, looked at on many machines.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
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

// The kinds of questions: how many pages there are, and what they ask for at least; what they
// ask for at a multiplier or at both ends of an interval; and rates.
const (
	askScout = iota
	askLook
	askSettle
)

// Question is put to all shards at a time.
type Question struct {
	Kind  int
	Pages int // in all shards, but for the first question

	// At is what all groups of pages are asked about, but those with their own. A group is the
	// host with its name, and that of "" is all pages whose host has no cap.
	At  prices
	Own map[string]prices
}

// First reports whether the question is the first one, about what pages there are.
func (q *Question) First() bool { return q.Kind == askScout }

// Settles reports whether the question is the last one, which gives the pages their rates.
func (q *Question) Settles() bool { return q.Kind == askSettle }

// Answer is what one shard, or several, answer.
type Answer struct {
	Count   int // pages
	Sample  refresh.Pages
	Looks   map[string]look
	Tallies map[string]tally
}

// Merge adds another answer to the same question.
func (a *Answer) Merge(other *Answer) {
	a.Count += other.Count
	a.Sample.ChangeRates = append(a.Sample.ChangeRates, other.Sample.ChangeRates...)
	a.Sample.Weights = append(a.Sample.Weights, other.Sample.Weights...)
	mergeGroups(&a.Looks, maps.All(other.Looks), (*look).merge)
	mergeGroups(&a.Tallies, maps.All(other.Tallies), (*tally).merge)
}

// mergeGroups adds what was found in groups to what is known of those with their names.
func mergeGroups[T any](all *map[string]T, more iter.Seq2[string, T], merge func(to, other *T)) {
	if *all == nil {
		*all = map[string]T{}
	}
	for name, other := range more {
		sum := (*all)[name]
		merge(&sum, &other)
		(*all)[name] = sum
	}
}

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
	m := newHosts(&problem, team)
	m.rates = rates
	names := make([]string, len(m.caps)) // of groups
	for host, most := range problem.HostCaps {
		if !math.IsInf(most, 1) {
			names[host] = shard.Hosts[host]
		}
	}
	a, n := &Answer{}, shard.Len()
	at := valuesOf(names, q.At, q.Own)
	if q.Settles() {
		tallies, _ := m.settle(at) // memory does not fail
		mergeGroups(&a.Tallies, named(names, tallies), (*tally).merge)
		return a, nil
	}
	m.all = q.Pages
	if q.First() {
		if err := problem.Validate(); err != nil {
			return nil, err
		}
		a.Count, a.Sample = n, m.pages.sample(p.Shards)
		if a.Sample.Weights == nil {
			a.Sample.Weights = slices.Repeat([]float64{1}, a.Sample.Len())
		}
		at = slices.Repeat([]prices{atMost}, len(names))
	}
	looks, _ := m.look(at)
	mergeGroups(&a.Looks, named(names, looks), (*look).merge)
	return a, nil
}

// named returns the values of groups with their names.
func named[T any](names []string, values []T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for g, name := range names {
			if !yield(name, values[g]) {
				return
			}
		}
	}
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
	for name := range scout.Looks {
		r.names = append(r.names, name)
	}
	slices.Sort(r.names)
	team := parallel.NewTeam(1)
	defer team.Close()
	s := &solver{objective: objective, bandwidth: p.Bandwidth, pages: r, count: scout.Count, least: true, team: team}
	for _, name := range r.names {
		most := math.Inf(1)
		if name != "" {
			most = p.hostCap(name)
		}
		s.caps = append(s.caps, most)
	}
	solution, err := s.solve(ctx)
	if solution == nil {
		if infeasible, ok := errors.AsType[*InfeasibleError](err); ok && infeasible.Host >= 0 {
			infeasible.Name = r.names[infeasible.Host]
		}
		return nil, err
	}
	solution.Elapsed = time.Since(begin)
	all := &ShardedSolution{Solution: *solution, Pages: scout.Count}
	for i, name := range r.names {
		if name != "" {
			if all.HostMultipliers == nil {
				all.HostMultipliers = map[string]float64{}
			}
			all.HostMultipliers[name] = max(solution.Multiplier, s.multipliers[i])
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

// question asks some groups and returns the answer.
func (r *shards) question(kind int, at []prices) (*Answer, error) {
	q := &Question{Kind: kind, Pages: r.scout.Count, At: at[0]}
	for g, p := range at {
		if p != q.At {
			if q.Own == nil {
				q.Own = map[string]prices{}
			}
			q.Own[r.names[g]] = p
		}
	}
	return r.ask(q)
}

// sample implements source.
func (r *shards) sample() refresh.Pages { return r.scout.Sample }

// look implements source.
func (r *shards) look(at []prices) ([]look, error) {
	if at[0] == atMost { // of all, and known
		return valuesOf(r.names, look{}, r.scout.Looks), nil
	}
	a, err := r.question(askLook, at)
	if err != nil {
		return nil, err
	}
	return valuesOf(r.names, look{}, a.Looks), nil
}

// settle implements source.
func (r *shards) settle(at []prices) ([]tally, error) {
	a, err := r.question(askSettle, at)
	if err != nil {
		return nil, err
	}
	return valuesOf(r.names, tally{}, a.Tallies), nil
}
