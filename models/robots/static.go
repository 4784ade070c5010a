package robots

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// StaticMix is a fixed number of robots of each class, all of them active for
// ever: the static counterpart of a policy. The queue is then M/G/1/K with
// arrivals of rate Λ = Σ n_i·λ_i, whatever the mix, and the cost per unit of time
//
//	γ·P(X=0) + Λ·P(X=K) + h·E[X] + c·Σ n_i.
//
// Nobody is ever activated: a robot that delivers is sent out again.
type StaticMix struct {
	Robots      []int   // n_i, by class
	ArrivalRate float64 // Λ
	Cost        float64 // per unit of time
	Starvation  float64 // P(X=0)
	LossRate    float64 // Λ·P(X=K)
	PagesMean   float64 // E[X]
}

// Static returns the parameters of the plain process as those of a fixed number of
// robots, of which there is any number.
func (p Parameters) Static() static.Parameters {
	return static.Parameters{
		ArrivalRate: p.ClassList()[0].ArrivalRate, ServiceRate: p.ServiceRate, StarvationWeight: p.StarvationWeight, Buffer: p.Buffer,
	}
}

// steadyState is what a mix needs to know of the queue.
type steadyState interface {
	Empty() float64
	LossRate() float64
	MeanLength() float64
}

// EvaluateStatic returns the cost and measures of a mix, for any service law of
// package queue. It returns an error for parameters that are not valid, and for
// robots that are not a number from 0 to N_i for each class, at least 1 in all.
func (p Parameters) EvaluateStatic(robots ...int) (StaticMix, error) {
	if err := p.Validate(); err != nil {
		return StaticMix{}, err
	}
	if err := p.checkMix(robots); err != nil {
		return StaticMix{}, err
	}
	mix := StaticMix{Robots: append([]int(nil), robots...)}
	count := 0
	for i, n := range robots {
		count += n
		mix.ArrivalRate += float64(n) * p.ClassList()[i].ArrivalRate
	}
	state := p.steadyState(mix.ArrivalRate)
	mix.Starvation, mix.LossRate, mix.PagesMean = state.Empty(), state.LossRate(), state.MeanLength()
	mix.Cost = p.StarvationWeight*mix.Starvation + mix.LossRate + p.HoldingCost*mix.PagesMean + p.RobotCost*float64(count)
	return mix, nil
}

// measures returns the behaviour of the queue with those robots.
func (mix StaticMix) measures() Measures {
	m := Measures{Gain: mix.Cost, Starvation: mix.Starvation, LossRate: mix.LossRate, PagesMean: mix.PagesMean}
	for _, n := range mix.Robots {
		m.RobotsMax += n
		m.RobotsMeanByClass = append(m.RobotsMeanByClass, float64(n))
	}
	m.RobotsMin, m.RobotsMean = m.RobotsMax, float64(m.RobotsMax)
	return m
}

func (p Parameters) checkMix(robots []int) error {
	if len(robots) != len(p.ClassList()) {
		return &ParameterError{"Robots", robots, fmt.Sprintf("a list of %d numbers, one for each class", len(p.ClassList()))}
	}
	count := 0
	for i, n := range robots {
		if n < 0 || n > p.ClassList()[i].Robots {
			return &ParameterError{fmt.Sprintf("Robots[%d]", i), n, fmt.Sprintf("from 0 to %d", p.ClassList()[i].Robots)}
		}
		count += n
	}
	if count == 0 {
		return &ParameterError{"Robots", robots, "a list with at least one robot"}
	}
	return nil
}

func (p Parameters) steadyState(arrivalRate float64) steadyState {
	if phases.IsExponential(p.Service) {
		return queue.MM1K{ArrivalRate: arrivalRate, ServiceRate: p.ServiceRate, Buffer: p.Buffer}
	}
	return queue.NewMG1K(arrivalRate, p.Service, p.Buffer)
}

// MaxMixes is the greatest number of mixes among which [Parameters.BestStatic]
// looks for the best.
const MaxMixes = 1 << 24

// BestStatic returns the mix that costs least; where several do, one of them.
// Of the plain process it is that of package static. Otherwise only the total rate
// Λ of a mix and its number of robots matter, so for each Λ the mix with the fewest
// robots stands for all.
//
// The rates are searched by branch and bound. P(X=0) falls with Λ, while the
// loss rate and E[X] rise, so no rate of an interval [Λ_1, Λ_2] costs less than
//
//	γ·P(X=0)|Λ_2 + (Λ·P(X=K) + h·E[X])|Λ_1 + c·Λ_1/max λ_i,
//
// and intervals that cost more than the best mix so far are left out. For
// exponential services that is a property of the truncated geometric
// distribution, which grows with Λ in the likelihood ratio order; for other laws
// no exception has been found.
//
// Errors: parameters that are not valid, [mdp.ErrTooLarge] where there are more than
// MaxMixes mixes, and the context's.
func (p Parameters) BestStatic(ctx context.Context) (StaticMix, error) {
	if err := p.Validate(); err != nil {
		return StaticMix{}, err
	}
	if p.IsPlain() {
		// The cost has one minimum, so a number below the best is best at its top.
		best, err := p.Static().Optimize()
		n := p.ClassList()[0].Robots
		if err == nil {
			n = min(n, best.Robots)
		}
		return p.EvaluateStatic(n)
	}
	search, err := newMixSearch(p)
	if err != nil {
		return StaticMix{}, err
	}
	if err := search.run(ctx, 0, len(search.choices)-1); err != nil {
		return StaticMix{}, err
	}
	return p.EvaluateStatic(search.robots(search.best)...)
}

// BestStaticWithin returns the mix that is best within a limit, nil if none keeps to it:
// the one of the greatest rate Λ where losses are limited, and of the least where
// starvation is. P(X=0) falls with Λ, and losses rise, see [Parameters.BestStatic], whose
// errors these are; StarvationWeight only counts in Cost.
func (p Parameters) BestStaticWithin(ctx context.Context, limit Limit) (*StaticMix, error) {
	if err := cmp.Or(p.Validate(), limit.validate()); err != nil {
		return nil, err
	}
	search, err := newMixSearch(p)
	if err != nil {
		return nil, err
	}
	a, b, c := limit.line(p.ServiceRate)
	at := sort.Search(len(search.choices), func(i int) bool {
		if ctx.Err() != nil {
			return true
		}
		state := p.steadyState(search.choices[i].rate)
		return limit.isEager(a*state.Empty() + b*state.LossRate() - c)
	})
	if limit.kind != starvation {
		at--
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case at < 0 || at == len(search.choices):
		return nil, nil
	}
	mix, err := p.EvaluateStatic(search.robots(at)...)
	return &mix, err
}

// mixChoice is the mix with the fewest robots for a total rate.
type mixChoice struct {
	rate, count  float64
	code         int
	known        bool
	empty, other float64 // γ·P(X=0), and Λ·P(X=K) + h·E[X]
}

// mixSearch is a branch and bound over the mixes in order of their rates.
type mixSearch struct {
	parameters Parameters
	mixes      mixes
	choices    []mixChoice
	fastest    float64 // greatest λ_i
	best       int
	bestCost   float64
}

func newMixSearch(p Parameters) (*mixSearch, error) {
	classes, count := p.ClassList(), 1.0
	for _, class := range classes {
		count *= float64(class.Robots) + 1
	}
	if count > MaxMixes {
		return nil, fmt.Errorf("robots: %w: there are %.3g mixes, of which at most %d can be searched", mdp.ErrTooLarge, count, MaxMixes)
	}
	s := &mixSearch{parameters: p, mixes: newMixes(classes), bestCost: math.Inf(1)}
	for code := 1; code < s.mixes.count; code++ {
		choice := mixChoice{code: code}
		for c, class := range classes {
			n := float64(s.mixes.active(code, c))
			choice.rate += n * class.ArrivalRate
			choice.count += n
			s.fastest = max(s.fastest, class.ArrivalRate)
		}
		s.choices = append(s.choices, choice)
	}
	slices.SortFunc(s.choices, func(a, b mixChoice) int {
		return cmp.Or(cmp.Compare(a.rate, b.rate), cmp.Compare(a.count, b.count), cmp.Compare(a.code, b.code))
	})
	s.choices = slices.CompactFunc(s.choices, func(a, b mixChoice) bool { return a.rate == b.rate })
	return s, nil
}

// robots returns the numbers of a choice.
func (s *mixSearch) robots(i int) []int {
	robots := make([]int, len(s.mixes.robots))
	for c := range robots {
		robots[c] = s.mixes.active(s.choices[i].code, c)
	}
	return robots
}

// run searches from the first to the last choice.
func (s *mixSearch) run(ctx context.Context, first, last int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	a, b := s.evaluate(first), s.evaluate(last)
	bound := b.empty + a.other + s.parameters.RobotCost*a.rate/s.fastest
	if last-first < 2 || bound > s.bestCost {
		return nil
	}
	middle := (first + last) / 2
	return cmp.Or(s.run(ctx, middle, last), s.run(ctx, first, middle))
}

func (s *mixSearch) evaluate(i int) *mixChoice {
	c := &s.choices[i]
	if c.known {
		return c
	}
	state := s.parameters.steadyState(c.rate)
	c.known = true
	c.empty = s.parameters.StarvationWeight * state.Empty()
	c.other = state.LossRate() + s.parameters.HoldingCost*state.MeanLength()
	cost := c.empty + c.other + s.parameters.RobotCost*c.count
	if cost < s.bestCost || cost == s.bestCost && i < s.best {
		s.best, s.bestCost = i, cost
	}
	return c
}
