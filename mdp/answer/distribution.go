package answer

// This file finds the distribution of a total under a policy.

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// Totals is the distribution of a total, or in a CTMC of the time until a target.
type Totals struct {
	mdp.Distribution // X: Least plus 0, 1, 2, … units, up to the greatest point; in a CTMC, the points

	// Unit divides total − Least. It is the greatest common divisor of the rewards or, in a finite
	// horizon, of all differences between a reward and the least reward of its step. It is 1 for a time,
	// or if there is only one total.
	Unit *big.Rat

	// Least is a lower bound on the total: 0, or in a finite horizon the sum of the least rewards that
	// its steps can have.
	Least *big.Rat

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
// state: until the target, or within a finite horizon without discount. In a CTMC it finds that of
// the time until the target. x lists the points, at least one, in ascending order. Without a
// horizon, points and rewards are from 0 up. A reward in floating point counts as the nearest decimal
// of 12 digits, unless it is a multiple of 2⁻²⁰.
//
// Errors are a [*question.Error], a [*ModelError], and those of [mdp.TotalDistribution],
// [mdp.HorizonDistribution] and [mdp.TimeDistribution]. With [mdp.ErrTooLarge], for a point of
// too many units, it returns Totals with Unit.
func Distribution(ctx context.Context, f *Followed, x []*big.Rat, settings Settings) (*Totals, error) {
	refuse := func(member, reason string) (*Totals, error) {
		return nil, &question.Error{Member: member, Reason: reason}
	}
	switch {
	case f.Criterion != question.Total && !f.HasSteps():
		return refuse("distribution", "not valid for this question: use a total or a finite horizon")
	case f.Discount != nil:
		return refuse("discount", "not valid with a distribution: leave it out")
	case len(x) == 0:
		return refuse("distribution", "give one number or more")
	case x[0].Sign() < 0 && !f.HasSteps():
		return refuse("distribution", fmt.Sprintf("%s is not valid: without a horizon use numbers from 0 up", number.Short(x[0])))
	}
	if f.Model.Kind == modelfile.SMDP {
		return refuse("distribution", "not valid for an SMDP, of which only the mean sojourn times are known")
	}
	t := &Totals{Unit: big.NewRat(1, 1), Least: new(big.Rat)}
	if f.HasSteps() {
		settings.phase("solving")
		return t, t.ofSteps(ctx, f, x)
	}
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
	found, err = mdp.TotalDistribution(ctx, mdp.Rounded{Table: chain}, only(chain), []int32{1}, []mdp.Entry{{State: 0, Probability: 1}}, min(t.units(x[len(x)-1]), math.MaxInt32), settings.Settings)
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

// units returns how many units x exceeds Least by, rounded down: a negative number if x < Least.
func (t *Totals) units(x *big.Rat) int {
	count := new(big.Rat).Sub(x, t.Least)
	count.Quo(count, t.Unit)
	whole := new(big.Int).Div(count.Num(), count.Denom()) // rounded down
	if whole.IsInt64() && int64(int(whole.Int64())) == whole.Int64() {
		return int(whole.Int64())
	}
	if whole.Sign() < 0 {
		return -1
	}
	return math.MaxInt
}

// total returns Least plus a number of units.
func (t *Totals) total(units int) *big.Rat {
	x := new(big.Rat).SetInt64(int64(units))
	return x.Add(x.Mul(x, t.Unit), t.Least)
}

// between sets Points from the distribution, which is known at Least plus whole units. The total T is
// one of these numbers, so E[(T − x)⁺] = E[(T − y)⁺] − (x − y)·P(T > y), where y is the greatest of the
// numbers up to x. For x < Least, E[(T − x)⁺] is E[T] − x.
func (t *Totals) between(x []*big.Rat) {
	for j, at := range rounded(x) {
		i := t.units(x[j])
		if i < 0 {
			below := rounded([]*big.Rat{new(big.Rat).Sub(t.Least, x[j])})[0]
			one := mdp.Bounds{Lower: 1, Upper: 1}
			t.Points = append(t.Points, Point{at, mdp.Bounds{}, one, plus(t.Excess[0], mdp.Bounds{Lower: below, Upper: below})})
			continue
		}
		i = min(i, len(t.X)-1) // the greatest total of a horizon
		e, rest := t.Excess[i], rounded([]*big.Rat{new(big.Rat).Sub(x[j], t.total(i))})[0]
		if rest > 0 && !math.IsInf(e.Upper, 1) {
			e.Lower = max(0, e.Lower*(1-outward)-rest*t.Above[i].Upper*(1+outward))
			e.Upper = e.Upper*(1+outward) - rest*t.Above[i].Lower*(1-outward)
		}
		t.Points = append(t.Points, Point{at, t.AtMost[i], t.Above[i], e})
	}
}

// outward is more than the relative error of a product and a sum.
const outward = 0x1p-51

// plus returns bounds on a sum.
func plus(x, y mdp.Bounds) mdp.Bounds {
	off := outward * max(math.Abs(x.Lower), math.Abs(x.Upper), math.Abs(y.Lower), math.Abs(y.Upper))
	if x.Lower == 0 && x.Upper == 0 || y.Lower == 0 && y.Upper == 0 || math.IsInf(off, 1) {
		off = 0
	}
	return mdp.Bounds{Lower: x.Lower + y.Lower - off, Upper: x.Upper + y.Upper + off}
}

// inRewards turns the distribution in units above Least into one in rewards.
func (t *Totals) inRewards() {
	size, _ := t.Unit.Float64()
	scaled := func(b mdp.Bounds) mdp.Bounds {
		if size == 1 {
			return b
		}
		return mdp.Bounds{Lower: b.Lower * size * (1 - outward), Upper: b.Upper * size * (1 + outward)}
	}
	least, isExact := t.Least.Float64()
	from := mdp.Bounds{Lower: least, Upper: least}
	if !isExact {
		from = plus(from, mdp.Bounds{Lower: -0x1p-1074, Upper: 0x1p-1074})
	}
	t.Mean = plus(scaled(t.Mean), from)
	for i := range t.X {
		t.Excess[i] = scaled(t.Excess[i])
		t.X[i], _ = t.total(i).Float64()
	}
}

// decimal returns the number that a reward counts as. Programs store 0.1 as the nearest float64, which
// no useful unit divides.
func decimal(x *big.Rat) *big.Rat {
	const fine = 20
	bits := x.Denom().BitLen() - 1
	if bits <= fine || x.Denom().TrailingZeroBits() != uint(bits) {
		return x
	}
	float, _ := x.Float64()
	return fraction(strconv.FormatFloat(float, 'g', 12, 64))
}

// transitions are those of a model, with their rewards, in fractions.
type transitions struct {
	model   *modelfile.Model
	values  []*big.Rat
	rewards [3][]*big.Rat // by state, by choice and by transition
}

func transitionsOf(f *Followed) *transitions {
	t := &transitions{model: f.Whole, values: f.Whole.Values.Rationals()}
	rewards, _ := f.Whole.Reward(f.Reward) // checked before
	for i, list := range []*modelfile.Numbers{&rewards.State, &rewards.Action, &rewards.Transition} {
		for _, x := range list.Rationals() {
			t.rewards[i] = append(t.rewards[i], decimal(x))
		}
	}
	return t
}

// transition is where an action may lead, with what probability, and what that earns.
type transition struct {
	to                  int32
	probability, reward *big.Rat
}

// from returns the transitions of an action in a state.
func (t *transitions) from(s, a int32) (list []transition) {
	m, sum := t.model, new(big.Rat)
	k := m.StateStart[s] + a
	for _, x := range t.values[m.RowStart[k]:m.RowStart[k+1]] {
		sum.Add(sum, x)
	}
	for e := m.RowStart[k]; e < m.RowStart[k+1]; e++ {
		reward := new(big.Rat)
		for of, i := range []int32{s, k, e} {
			if len(t.rewards[of]) > 0 { // else all are 0
				reward.Add(reward, t.rewards[of][i])
			}
		}
		list = append(list, transition{m.Columns[e], new(big.Rat).Quo(t.values[e], sum), reward})
	}
	return list
}

// place is a state of the chain that is solved: a state of the model, and the reward of the step
// that led there. The chain earns this reward one step later, in this place. So the reward may
// depend on both states of a transition, and on an action that is drawn at random.
type place struct {
	state  int32
	reward string
}

// inUnits returns the chain of the places that can be reached, and sets the unit to the greatest
// common divisor of their rewards. The chain starts in state 0; in state 1 the total has ended.
func (t *Totals) inUnits(ctx context.Context, f *Followed) (*mdp.Table, error) {
	start, all := place{f.Whole.Initial[0], "0"}, transitionsOf(f)
	places := []place{start, {-1, "0"}}
	number, rows := map[place]int32{start: 0}, [][]mdp.Entry{}
	for i := 0; i < len(places); i++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, row := places[i].state, []mdp.Entry(nil)
		if _, isEnd := slices.BinarySearch(f.Ends, s); isEnd || s < 0 {
			rows = append(rows, []mdp.Entry{{State: 1, Probability: 1}})
			continue
		}
		actions, shares := f.Policy.At(int(s))
		for at, a := range actions {
			share := big.NewRat(1, 1)
			if shares != nil {
				share = shares[at]
			}
			for _, x := range all.from(s, a) {
				if x.reward.Sign() < 0 {
					return nil, &question.Error{
						Member: "distribution",
						Reason: fmt.Sprintf("a step from state %s has the reward %s: use rewards from 0 up, or a finite horizon", f.Whole.StateName(int(s)), x.reward.RatString()),
					}
				}
				to := place{x.to, x.reward.RatString()}
				if _, known := number[to]; !known {
					number[to] = int32(len(places))
					places = append(places, to)
				}
				probability, _ := x.probability.Mul(x.probability, share).Float64()
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
