package answer

// This file finds the distribution of a total under a policy.

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Totals is the distribution of a total, or in a CTMC of the time until a target.
type Totals struct {
	mdp.Distribution // X: the multiples of Unit up to the greatest point; in a CTMC, the points

	// Unit is the greatest common divisor of the rewards; 1 for a time, or if all are 0.
	Unit *big.Rat

	// Points has the distribution at each number that was asked for.
	Points []Point
}

// Point has bounds on the distribution of a total T at X: P(T ≤ X), P(T > X), and the mean excess
// E[(T − X)⁺].
type Point struct {
	X                     float64
	AtMost, Above, Excess mdp.Bounds
}

// Distribution finds the distribution of the total reward under one policy, from the first initial
// state: until the target, or within a finite horizon without discount and terminal rewards. In a
// CTMC it finds that of the time until the target. x lists the points, at least one, from 0 up in
// ascending order. Rewards may not be negative.
//
// Errors are a [*question.Error], a [*ModelError], and those of [mdp.TotalDistribution] and
// [mdp.TimeDistribution]. Beside [mdp.ErrTooLarge], for a point of too many units, Totals has Unit.
func Distribution(ctx context.Context, f *Followed, x []*big.Rat, settings Settings) (*Totals, error) {
	if f.steps != nil {
		return nil, &question.Error{Member: "distribution", Reason: "not valid for a policy that depends on the step: use one policy for all steps"}
	}
	refuse := func(member, reason string) (*Totals, error) {
		return nil, &question.Error{Member: member, Reason: reason}
	}
	switch {
	case f.Criterion != question.Total && !f.HasSteps():
		return refuse("distribution", "not valid for this question: use a total or a finite horizon")
	case f.Discount != nil:
		return refuse("discount", "not valid with a distribution: leave it out")
	case f.Ending.Len() > 0:
		return refuse("terminal", "not valid with a distribution: leave it out")
	case len(x) == 0 || x[0].Sign() < 0:
		return refuse("distribution", "give numbers from 0 up, in ascending order")
	}
	if f.Model.Kind == modelfile.SMDP {
		return nil, &question.Error{Member: "distribution", Reason: "not valid for an SMDP, of which only the mean sojourn times are known"}
	}
	t := &Totals{Unit: big.NewRat(1, 1)}
	var found *mdp.Distribution
	if f.Model.Kind == modelfile.CTMC {
		chain, err := f.Model.Table(f.Reward)
		if err != nil {
			return nil, &ModelError{err}
		}
		settings.phase("solving")
		start := []mdp.Entry{{State: f.Model.Initial[0], Probability: 1}}
		if found, err = mdp.TimeDistribution(ctx, mdp.Rounded{Table: chain}, only(chain), f.Ends, start, rounded(x), settings.Settings); err != nil {
			return t, err
		}
		for i, x := range rounded(x) {
			t.Points = append(t.Points, Point{x, found.AtMost[i], found.Above[i], found.Excess[i]})
		}
		t.Distribution = *found
		return t, nil
	}
	chain, err := t.inUnits(ctx, f)
	if err != nil {
		return nil, err
	}
	settings.phase("solving")
	most, _ := units(x[len(x)-1], t.Unit)
	found, err = mdp.TotalDistribution(ctx, mdp.Rounded{Table: chain}, only(chain), []int32{1}, []mdp.Entry{{State: 0, Probability: 1}}, most, settings.Settings)
	if err != nil {
		return t, err
	}
	t.Distribution = *found
	t.inRewards()
	t.between(x)
	return t, nil
}

// only returns the only policy of a chain.
func only(chain *mdp.Table) mdp.Policy { return mdp.Policy{Actions: make([]int32, chain.NumStates())} }

// rounded returns numbers as float64.
func rounded(x []*big.Rat) (floats []float64) {
	for _, exact := range x {
		float, _ := exact.Float64()
		floats = append(floats, float)
	}
	return floats
}

// units returns the number of whole units in x, at most MaxInt32, and what is left.
func units(x, unit *big.Rat) (whole int, rest *big.Rat) {
	count := new(big.Rat).Quo(x, unit)
	floor := new(big.Int).Quo(count.Num(), count.Denom())
	if !floor.IsInt64() || floor.Int64() > math.MaxInt32 {
		return math.MaxInt32, new(big.Rat)
	}
	rest = new(big.Rat).SetInt(floor)
	return int(floor.Int64()), rest.Sub(x, rest.Mul(rest, unit))
}

// between sets the points from the distribution at multiples of the unit. The total T is such a
// multiple, so E[(T − x)⁺] = E[(T − y)⁺] − (x − y)·P(T > y), where y is the greatest multiple up to x.
func (t *Totals) between(x []*big.Rat) {
	const outward = 0x1p-51 // more than the relative error of a product and a sum
	for j, at := range rounded(x) {
		i, left := units(x[j], t.Unit)
		e, rest := t.Excess[i], rounded([]*big.Rat{left})[0]
		if rest > 0 && !math.IsInf(e.Upper, 1) {
			e.Lower = max(0, e.Lower*(1-outward)-rest*t.Above[i].Upper*(1+outward))
			e.Upper = e.Upper*(1+outward) - rest*t.Above[i].Lower*(1-outward)
		}
		t.Points = append(t.Points, Point{at, t.AtMost[i], t.Above[i], e})
	}
}

// inRewards turns the distribution in units into one in rewards.
func (t *Totals) inRewards() {
	const off = 0x1p-51 // more than the relative error of a product
	size, _ := t.Unit.Float64()
	scaled := func(b mdp.Bounds) mdp.Bounds {
		if size == 1 {
			return b
		}
		return mdp.Bounds{Lower: b.Lower * size * (1 - off), Upper: b.Upper * size * (1 + off)}
	}
	t.Mean = scaled(t.Mean)
	for i := range t.X {
		t.Excess[i] = scaled(t.Excess[i])
		t.X[i], _ = new(big.Rat).Mul(t.Unit, big.NewRat(int64(i), 1)).Float64()
	}
}

// place is a state of the chain that is solved: a state of the model, and the reward of the step
// that led there. The chain earns this reward one step later, in this place. So the reward may
// depend on both states of a transition, and on an action that is drawn at random.
type place struct {
	state  int32
	reward string
	left   int // steps left; below 0 without a horizon
}

// mostPlaces bounds the number of places for a distribution with a horizon.
const mostPlaces = 2e6

// inUnits returns the chain of the places that can be reached, and sets the unit to the greatest
// common divisor of their rewards. The chain starts in state 0; in state 1 the total has ended.
func (t *Totals) inUnits(ctx context.Context, f *Followed) (*mdp.Table, error) {
	m, p := f.Whole, f.Policy
	start := place{m.Initial[0], "0", -1}
	if most := mostPlaces / float64(m.NumStates()); f.HasSteps() {
		if start.left = f.Steps(); float64(start.left) > most {
			return nil, &question.Error{Member: "horizon", Reason: fmt.Sprintf("%d is too large for a distribution: use at most %.0f", start.left, most)}
		}
	}
	r, _ := m.Reward(f.Reward) // checked before
	values, rewards := m.Values.Rationals(), [][]*big.Rat{r.State.Rationals(), r.Action.Rationals(), r.Transition.Rationals()}
	places := []place{start, {-1, "0", 0}}
	number, rows := map[place]int32{start: 0}, [][]mdp.Entry{}
	for i := 0; i < len(places); i++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, row := places[i].state, []mdp.Entry(nil)
		if _, isEnd := slices.BinarySearch(f.Ends, s); isEnd || places[i].left == 0 {
			rows = append(rows, []mdp.Entry{{State: 1, Probability: 1}})
			continue
		}
		actions, shares := p.At(int(s))
		for at, a := range actions {
			k, sum, share := m.StateStart[s]+a, new(big.Rat), big.NewRat(1, 1)
			if shares != nil {
				share = shares[at]
			}
			for _, x := range values[m.RowStart[k]:m.RowStart[k+1]] {
				sum.Add(sum, x)
			}
			for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
				x, reward := new(big.Rat).Quo(values[e], sum), new(big.Rat)
				for list, i := range []int32{s, k, e} {
					if len(rewards[list]) > 0 { // else all are 0
						reward.Add(reward, rewards[list][i])
					}
				}
				if reward.Sign() < 0 {
					return nil, &question.Error{
						Member: "distribution",
						Reason: fmt.Sprintf("a step from state %s has the reward %s: use rewards from 0 up", m.StateName(int(s)), reward.RatString()),
					}
				}
				to := place{m.Columns[e], reward.RatString(), max(places[i].left-1, -1)}
				if _, known := number[to]; !known {
					number[to] = int32(len(places))
					places = append(places, to)
				}
				probability, _ := x.Mul(x, share).Float64()
				row = append(row, mdp.Entry{State: number[to], Probability: probability})
			}
		}
		rows = append(rows, row)
	}
	unit := new(big.Rat)
	for _, at := range places {
		unit = divisor(unit, fraction(at.reward))
	}
	if unit.Sign() > 0 {
		t.Unit = unit
	}
	var b mdp.TableBuilder
	for i, row := range rows {
		b.AddState()
		units, _ := new(big.Rat).Quo(fraction(places[i].reward), t.Unit).Float64()
		b.AddAction(units)
		for _, e := range row {
			b.AddTransition(int(e.State), e.Probability)
		}
	}
	chain, err := b.Build()
	if err != nil {
		return nil, &ModelError{err}
	}
	return chain, nil
}

// fraction reads what RatString has written.
func fraction(text string) *big.Rat {
	x, _ := new(big.Rat).SetString(text)
	return x
}

// divisor returns the greatest common divisor of two fractions.
func divisor(x, y *big.Rat) *big.Rat {
	left, right := new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom())
	return new(big.Rat).SetFrac(left.GCD(nil, nil, left, right), right.Mul(x.Denom(), y.Denom()))
}
