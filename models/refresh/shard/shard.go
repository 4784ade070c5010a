// Package shard finds the best access rates of pages that lie in many shards, looked at on
// many machines. The answer is that of [refresh.Optimize] on all pages at once, to the bit,
// whatever the number of shards and the order in which they answer.
//
// [Solve] is the one who asks: it knows no page, and puts a [Question] to all shards at a
// time, five as a rule. Whoever calls it brings the question to the shards, lets
// each answer ([Problem.Answer]), and adds the answers ([Answer.Merge]), in any order. The
// last question, [Settle], gives the pages their rates.
package shard

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/internal/dual"
	"github.com/mdpsolve/mdpsolve/queue"
)

// A Problem is a refresh.Problem without its pages, as plain data.
type Problem struct {
	Objective  string // as refresh.ParseObjective reads it
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
func (p *Problem) Best() (refresh.Objective, error) {
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

// cap returns the cap of a host.
func (p *Problem) cap(host string) float64 {
	if most, listed := p.HostCaps[host]; listed {
		return most
	}
	return p.HostCap
}

// Pages are the pages of a shard, with optional bounds as in refresh.Problem.
type Pages struct {
	refresh.Pages
	Least, Greatest []float64
	Hosts           []string // names; nil unless the problem is Capped
	HostOf          []int32  // by page: an index of Hosts
}

// Kind is what a question asks for.
type Kind int

// The kinds of questions.
const (
	Scout  Kind = iota // how many pages there are, and what they ask for at most and at least
	Demand             // what the pages ask for at a multiplier
	Points             // the same at several multipliers
	Ends               // the same at two multipliers, and which pages change much between them
	Settle             // rates
)

// A Question is put to all shards at a time.
type Question struct {
	Kind  Kind
	Pages int // in all shards, but for Scout

	// Multiplier is that of all hosts but those in Multipliers, of which NaN says that
	// nobody asks.
	Multiplier  float64
	Multipliers map[string]float64
	High        float64   // for Ends, Multiplier being the lower end
	At          []float64 // for Points

	Settlement  dual.Settlement
	Settlements map[string]dual.Settlement
}

// An Answer is what one shard, or several, answer. By host: that of "" is all pages whose
// host has no cap.
type Answer struct {
	Count          int
	Sample         dual.Pages
	Demands        map[string]dual.Demand
	Points         map[string]dual.Points
	AtNone, AtMost map[string]dual.Demand // at multiplier 0 and +Inf
	Bounded        bool                   // a page has a greatest rate
	AtLeast        bool                   // a page has a least rate
	Ends           map[string]dual.Ends
	Tallies        map[string]dual.Tally
	Values         dual.Values
}

// Merge adds another answer to the same question.
func (a *Answer) Merge(other *Answer) {
	a.Count += other.Count
	a.Sample.ChangeRates = append(a.Sample.ChangeRates, other.Sample.ChangeRates...)
	a.Sample.Weights = append(a.Sample.Weights, other.Sample.Weights...)
	a.Bounded = a.Bounded || other.Bounded
	a.AtLeast = a.AtLeast || other.AtLeast
	merge(&a.Demands, other.Demands, (*dual.Demand).Merge)
	merge(&a.Points, other.Points, (*dual.Points).Merge)
	merge(&a.AtNone, other.AtNone, (*dual.Demand).Merge)
	merge(&a.AtMost, other.AtMost, (*dual.Demand).Merge)
	merge(&a.Ends, other.Ends, (*dual.Ends).Merge)
	merge(&a.Tallies, other.Tallies, (*dual.Tally).Merge)
	a.Values.Merge(&other.Values)
}

func merge[T any](all *map[string]T, more map[string]T, add func(to, other *T)) {
	if *all == nil {
		*all = make(map[string]T, len(more))
	}
	for host, other := range more {
		sum := (*all)[host]
		add(&sum, &other)
		(*all)[host] = sum
	}
}

// sampleShare is how many pages there are for one that is a sample, but for leastSample of
// a shard, and mostSample of all.
const (
	sampleShare = 128
	leastSample = 1 << 10
	mostSample  = 1 << 22
)

// sampleSize returns how many of the pages of a shard are a sample.
func (p *Problem) sampleSize(pages int) int {
	return min(pages, max(leastSample, pages/sampleShare), max(1, mostSample/max(1, p.Shards)))
}

// Answer looks at the pages of a shard, on several goroutines. To Settle it fills rates,
// one for each page. Errors are those of refresh.Problem.Validate.
func (p *Problem) Answer(q *Question, pages *Pages, rates []float64, workers int) (*Answer, error) {
	objective, err := p.Best()
	if err != nil {
		return nil, err
	}
	problem := refresh.Problem{
		Pages: pages.Pages, Objective: objective, Bandwidth: p.Bandwidth,
		Least: pages.Least, Greatest: pages.Greatest, Hosts: pages.HostOf,
	}
	for _, host := range pages.Hosts {
		problem.HostCaps = append(problem.HostCaps, p.cap(host))
	}
	if q.Kind == Scout {
		if err := problem.Validate(); err != nil {
			return nil, err
		}
	}
	team := parallel.NewTeam(workers)
	defer team.Close()
	part := dual.NewPart(problem.Dual(), max(q.Pages, 1), team)
	names := pages.groups(part)
	switch a := (&Answer{}); q.Kind {
	case Scout:
		a.Count, a.Bounded, a.AtLeast = pages.Len(), pages.Greatest != nil, pages.Least != nil
		size := p.sampleSize(pages.Len())
		for k := range size {
			page := int(float64(pages.Len()) / float64(size) * float64(k))
			a.Sample.ChangeRates = append(a.Sample.ChangeRates, pages.ChangeRates[page])
			a.Sample.Weights = append(a.Sample.Weights, pages.Weight(page))
		}
		a.AtNone = byName(names, part.Demand(slices.Repeat([]float64{0}, len(names))))
		a.AtMost = byName(names, part.Demand(slices.Repeat([]float64{math.Inf(1)}, len(names))))
		return a, nil
	case Demand:
		a.Demands = byName(names, part.Demand(valuesOf(names, q.Multiplier, q.Multipliers)))
		return a, nil
	case Points:
		a.Points = byName(names, part.Points(q.At))
		return a, nil
	case Ends:
		a.Ends = byName(names, part.Ends(q.Multiplier, q.High))
		return a, nil
	case Settle:
		tallies, values := part.Settle(rates, valuesOf(names, q.Settlement, q.Settlements))
		a.Tallies, a.Values = byName(names, tallies), *values
		return a, nil
	}
	return nil, fmt.Errorf("shard: a question of kind %d", q.Kind)
}

// groups returns the names of the groups of a part: those of hosts with a cap, and "" for
// all other pages.
func (p *Pages) groups(part *dual.Part) []string {
	count, of := part.Groups()
	names := make([]string, count)
	for host, group := range of {
		names[group] = p.Hosts[host]
	}
	for group, open := range part.Open() {
		if open {
			names[group] = ""
		}
	}
	return names
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
