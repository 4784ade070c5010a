package rates

// The last pass: it gives the pages their rates and proves how good they are.

import (
	"math"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// tally sums up the rates that the pages of a group get in the end.
type tally struct {
	Used     doubledouble.Accumulator // Σ x
	Value    doubledouble.Accumulator // Σ f(x)
	Size     float64                  // Σ |f(x)|
	Gap      float64                  // Σ max(0, (f′(x) − λ)·(y − x)), see check
	Residual float64                  // greatest relative violation of the conditions of optimality
	Greatest float64                  // greatest marginal value of a page that could take more
	Active   int                      // pages with a rate above 0
	AtLeast  int                      // pages with their least rate, above 0,
	AtMost   int                      // and with their greatest one
}

func (t *tally) merge(other *tally) {
	t.Used.Merge(other.Used)
	t.Value.Merge(other.Value)
	t.Size += other.Size
	t.Gap += other.Gap
	t.Residual = max(t.Residual, other.Residual)
	t.Greatest = max(t.Greatest, other.Greatest)
	t.Active += other.Active
	t.AtLeast += other.AtLeast
	t.AtMost += other.AtMost
}

// settle implements source.
func (m *memory) settle(at []prices) ([]tally, error) {
	cornered, corners := m.objective.(refresh.Cornered)
	return sweep(m, at, func(b *buffer, its run, from, to int, into *tally) {
		p, n := at[its.group], to-from
		settled, values, marginals := b.settled[:n], b.values[:n], b.marginals[:n]
		wanted := m.settleChunk(b, settled, p)
		m.objective.Measure(values, marginals, b.Pages, settled)
		multiplier := p.multiplier(math.Inf(1))
		if corners {
			cornered.Corner(marginals, b.Pages, settled, multiplier)
		}
		into.Used.AddAll(settled)
		into.Value.AddAll(values)
		for _, value := range values {
			into.Size += math.Abs(value)
		}
		into.check(b, multiplier, wanted)
		if m.order == nil {
			copy(m.rates[from:to], settled)
			return
		}
		for i, page := range m.order[from:to] {
			m.rates[page] = settled[i]
		}
	}), nil
}

// settleChunk fills in the rates of a chunk. It returns the demand at the multiplier of the
// prices.
func (m *memory) settleChunk(b *buffer, settled []float64, p prices) (wanted []float64) {
	n := len(settled)
	wanted, slopes := b.rates[:n], b.slopes[:n]
	m.ask(b, wanted, slopes, p.High)
	if p.Low == p.High {
		for i, rate := range wanted {
			least, most := b.limits(i)
			settled[i] = min(max(rate+p.Share*slopes[i], least), most)
		}
		return wanted
	}
	others := b.others[:n]
	m.ask(b, others, slopes, p.Low)
	for i, rate := range wanted {
		if settled[i] = rate; p.Share > 0 { // else others may be infinite
			settled[i] += p.Share * (others[i] - rate)
		}
	}
	if math.IsInf(p.High, 1) {
		return others
	}
	return wanted
}

// check adds by how much the rates of a chunk miss the conditions of optimality at the
// group's multiplier λ, and by how much the dual function there may lie above their value.
// With x the rate and y the one that maximises f − λx, concavity bounds that of each page:
//
//	f(y) − λy ≤ f(x) − λx + (f′(x) − λ)·(y − x).
//
// The last term is small in itself, not a difference of large numbers. Summed up, the bound
// on the optimum is Σf(x) + λ(R − Σx) + Σ max(0, last term).
func (t *tally) check(b *buffer, multiplier float64, wanted []float64) {
	worst := 0.0 // of marginal − multiplier
	settled, marginals := b.settled[:len(wanted)], b.marginals[:len(wanted)]
	for i, want := range wanted {
		rate, marginal := settled[i], marginals[i]
		least, most := b.limits(i)
		if rate < most {
			t.Greatest = max(t.Greatest, marginal)
		}
		if rate > 0 {
			t.Active++
		}
		if rate != want {
			t.Gap += max(0, (marginal-multiplier)*(want-rate))
		}
		excess := marginal - multiplier
		if rate == least {
			excess = max(0, excess)
			if least > 0 {
				t.AtLeast++
			}
		}
		if rate == most {
			excess = min(0, excess)
			t.AtMost++
		}
		worst = max(worst, math.Abs(excess))
	}
	if worst > 0 {
		t.Residual = max(t.Residual, worst/multiplier)
	}
}

// finish settles the rates and says how good they are.
func (s *solver) finish() (*Solution, error) {
	at := s.settlement()
	tallies, err := s.pages.settle(at)
	if err != nil {
		return nil, err
	}
	s.passes++
	all := tally{}
	for g := range tallies {
		all.merge(&tallies[g])
		s.multipliers[g] = at[g].multiplier(tallies[g].Greatest)
	}
	price, rest := s.whole.end.multiplier(all.Greatest), all.Used.Below(s.bandwidth)
	gap := unused(price, rest) + all.Gap
	s.whole.rest, s.off = rest, max(0, -rest/s.bandwidth)
	if !s.plenty() {
		s.off = math.Abs(rest) / s.bandwidth
	}
	for g, r := range s.capped {
		rest := tallies[g].Used.Below(s.caps[g])
		if r != nil {
			r.rest = rest
			gap += unused(max(0, s.multipliers[g]-price), rest)
		}
		if rest < 0 || r != nil && rest != 0 { // a cap may be 0
			s.off = max(s.off, math.Abs(rest)/s.caps[g])
		}
	}
	solution := &Solution{
		Value: all.Value.Sum(), Residual: all.Residual, Used: all.Used.Sum(), Active: all.Active,
		AtLeast: all.AtLeast, AtMost: all.AtMost, Multiplier: price, Passes: s.passes,
	}
	solution.Bound = bound(s.objective.Minimizes(), all.Value, max(0, gap)+allowance*all.Size)
	return solution, nil
}

// allowance bounds the rounding of each value in [refresh.Objective.Measure], relative to it: 64
// units in the last place.
const allowance = 0x1p-46

// unused is the price of what is left of a budget. It is 0 if nothing is left, and if the
// price is infinite and rounding alone makes rest negative.
func unused(price, rest float64) float64 {
	if rest == 0 || rest < 0 && math.IsInf(price, 1) {
		return 0
	}
	return price * rest
}

// bound returns the value of the dual function: the value of the rates plus gap, or
// minus gap where a cost is minimised.
func bound(minimize bool, value doubledouble.Accumulator, gap float64) float64 {
	if minimize {
		gap = -gap
	}
	switch {
	case math.IsInf(value.Sum(), 0):
		return value.Sum()
	case math.IsInf(gap, 0):
		return gap
	}
	value.Add(gap)
	return value.Sum()
}
