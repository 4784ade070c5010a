package total

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rounding"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
	"github.com/mdpsolve/mdpsolve/mdp/internal/vector"
)

// Sweeps over a large component in the order of the distance from its end, in place, so that one sweep
// carries values from the end to all states (Gauss-Seidel; Bertsekas 2012, §2.2). They go on to the
// tolerance; where that would take long, policies are evaluated in between. If they do not get there,
// policy iteration starts from the policy that they find.
//
// The first policy leads each state to states before it. Sweeps do not start from values that are
// all 0: actions that lead to states without a value yet would look cheap, and many sweeps would
// raise these values little by little.

const (
	// exactStates is the size of components that are swept, and of problems where float64 is used:
	// policy iteration takes little time in smaller ones.
	exactStates = 64

	// startRounds is the most rounds before policy iteration, and startError the relative error of
	// values at which they end.
	startRounds, startError = 100, 1e-6

	// policySweeps is the number of sweeps over a block with a fixed policy in a round, before the sweep over
	// all choices: the block stays in the caches meanwhile. They go on over half of the next block, so that
	// the block does not wait for the next round to feel its changes. A block has at least leastBlock states.
	policySweeps, leastBlock = 3, 1024

	// After patientRounds rounds, or soonRounds in a chain and once a policy was evaluated, the policy is
	// evaluated if sweeps are expected to take more than mostRounds more. If it is the one evaluated last,
	// sweeps yield to policy iteration. They go on for dearRounds rounds first if the policy does not lead to
	// the end yet, or if it cannot be evaluated by elimination: other ways take longer than so many rounds.
	patientRounds, soonRounds, mostRounds, dearRounds = 64, 16, 200, 512

	// A block rests for some rounds if its excess is at most still.
	still, rest = 0.1, 4

	// leastExit is the least probability of a step to the end that a first estimate of values regards.
	leastExit = 0x1p-40

	// leastShare is the least relative error of a value that sweeps in float64 reach.
	leastShare = 0x1p-42

	// Values are extrapolated after a number of rounds, if the changes of two rounds point in the
	// same direction, by the cosine of their angle. Changes that alternate do so over two rounds each, which
	// others hardly do. What extrapolation makes of the part of the last changes that points elsewhere is at
	// most mostAcross times as large as these.
	extrapolated, leastCosine, leastCosineOfTwo, mostAcross = 8, 0.99, 0.999, 2.5

	// encloseSweeps is the most sweeps in which values become proved bounds.
	encloseSweeps = 32
)

// sweeps are sweeps over a component in progress.
type sweeps struct {
	*component
	jumps  *rows.Rows // no choice stays in its state: see jump
	apart  float64    // the most that the bounds of a state outside the component are apart
	share  float64    // the same relative to its value
	beyond float64    // the largest magnitude of a value outside, +Inf where products with values lose digits
	values []float64
	policy []int32      // of the last sweep
	before []float64    // values of a block before a round
	past   [3][]float64 // values some rounds before
	size   int          // the number of states of a block
	blocks []blockState

	// enough is the relative error of values at which the sweeps end. A state may be off in one
	// step by this share of its cost and of pace times its value: pace is the reciprocal of steps, the mean
	// number of steps to the end, if some costs are 0, otherwise 0.
	enough, steps, pace float64

	rounds  int
	isWhole bool    // the last round left out nothing
	excess  float64 // the greatest change in the last round, as a multiple of what a state may be off
	half    float64 // the same after half of the rounds at the next judgement
	judged  int     // the rounds at the next judgement
	yields  bool    // policy iteration will take less time

	evaluated []int32 // the policy of the last evaluation
}

// blockState is how a block of states did in its last round.
type blockState struct {
	excess float64 // of its states
	rested int     // rounds since then
}

// sweep sweeps from the first policy. It reports whether values are proved within the
// tolerance; otherwise policy iteration starts from the policy found.
func (c *component) sweep(ctx context.Context, lower, upper side) (isProved bool, err error) {
	n, p := len(c.states), c.problem
	// Neighbours in a plane lie up to √n states apart in the order of distances, and a block is to hold both.
	size := max(leastBlock, 2*int(math.Sqrt(float64(n))))
	s := &sweeps{
		component: c, values: make([]float64, n+1), policy: slices.Clone(c.policy),
		before: make([]float64, min(n, size)), size: size, blocks: make([]blockState, (n-1)/size+1),
		enough: startError, steps: float64(n), pace: 1 / float64(n), excess: math.Inf(1), judged: patientRounds,
	}
	s.jump(lower)
	if isChain := len(c.choice) == n; isChain {
		s.judged = soonRounds
	} else {
		s.first()
	}
	// A component inherits what the bounds of others are apart, so each may add its share of the tolerance.
	share := p.Tolerance / float64(p.Rows.NumStates())
	own, allowed := share*float64(n), share*float64(p.solved+n)
	if own < 4*leastShare {
		for i := 0; i < startRounds && len(c.choice) > n; i++ {
			if _, _, err := s.Iterate(ctx); err != nil || s.IsFinished() {
				break
			}
		}
		s.take()
		return false, nil
	}
	for s.enough = own / 4; ; {
		end, err := p.Run.Drive(ctx, s)
		if err != nil {
			return false, err
		}
		p.Run.Note(end)
		if end != nil {
			s.enough *= 2 * max(1, s.excess) // bounds as close as the values are now
		}
		gap := math.Inf(1)
		if s.take() && !s.yields {
			gap = s.enclose(lower, upper)
		}
		switch {
		case gap <= allowed, end != nil && !math.IsInf(gap, 1):
			p.IsSwept = true
			return true, nil
		case end != nil || math.IsInf(gap, 1):
			return false, nil
		}
		if s.enough *= allowed / gap / 2; s.enough < leastShare {
			return false, nil
		}
		s.jump(lower)
	}
}

// take makes the policy of the sweeps that of the component, if it leads to the end from every
// state.
func (s *sweeps) take() bool {
	place := s.problem.place
	leads := make([]bool, len(s.states))
	for left := len(s.states); left > 0 && s.problem.ends == 0; {
		before := left
		for i := range s.states {
			if leads[i] {
				continue
			}
			k := s.start[i] + s.policy[i]
			leads[i] = slices.ContainsFunc(s.jumps.Next(k), func(j int32) bool { return leads[j] }) ||
				slices.ContainsFunc(s.problem.Rows.Next(s.choice[k]), func(j int32) bool { return place[j] == 0 })
			if leads[i] {
				left--
			}
		}
		if left == before {
			return false
		}
	}
	copy(s.component.policy, s.policy)
	return true
}

// jump makes rows between the states in which no choice stays in its state: a choice is repeated until it
// leads to another state. Their costs include the values of states outside the component, on one side.
func (s *sweeps) jump(of side) {
	all, place, transitions := s.problem.Rows, s.problem.place, 0
	if s.jumps == nil {
		for _, state := range s.states {
			first, end := all.Choices(int(state))
			transitions += int(all.RowStart[end] - all.RowStart[first])
		}
		s.jumps = &rows.Rows{
			StateStart: s.start, RowStart: make([]int32, len(s.choice)+1), Costs: make([]float64, len(s.choice)),
			Columns: make([]int32, 0, transitions), Probabilities: make([]float64, 0, transitions),
		}
	}
	lower, upper, values, factor := s.problem.Lower.High, s.problem.Upper.High, of.values.High, s.problem.goesOn
	columns, probabilities, length := s.jumps.Columns[:cap(s.jumps.Columns)], s.jumps.Probabilities[:cap(s.jumps.Columns)], 0
	for i, state := range s.states {
		all.Prefetch(s.states, i)
		for c := s.start[i]; c < s.start[i+1]; c++ {
			k, first := s.choice[c], length
			leave, cost := 0.0, of.costs[k]
			from, end := all.RowStart[k], all.RowStart[k+1]
			chances := all.Probabilities[from:end]
			for e, j := range all.Columns[from:end] {
				if j == state {
					continue
				}
				q := factor * chances[e]
				leave += q
				if at := place[j]; at > 0 {
					columns[length], probabilities[length] = at-1, q
					length++
				} else {
					term := float64(q * values[j])
					cost += term
					if s.beyond = max(s.beyond, math.Abs(values[j])); term != 0 && math.Abs(term) < rounding.Tiny {
						s.beyond = math.Inf(1)
					}
					if gap := upper[j] - lower[j]; gap > 0 {
						s.apart, s.share = max(s.apart, gap), max(s.share, gap/math.Abs(lower[j]))
					}
				}
			}
			if leave += s.problem.ends; length == first { // [rows.Rows.Backup] expects an entry
				columns[length], probabilities[length] = int32(i), 0
				length++
			}
			if math.Abs(leave-1) >= 0x1p-50 {
				cost /= leave
				for e := first; e < length; e++ {
					probabilities[e] /= leave
				}
			}
			s.jumps.Costs[c], s.jumps.RowStart[c+1] = cost, int32(length)
		}
	}
	s.jumps.Columns, s.jumps.Probabilities = columns[:length], probabilities[:length]
}

// first finds the first policy, and values for it. From a state, the way to the end leads through the
// states before it in the order. The values of states after it are not known yet: they count as larger
// than its own value by as much as the states before it are smaller, so that steps to and fro cost
// what they would on a line. For a choice that may lead to the end, another estimate is to repeat it
// until then; the smaller estimate counts.
func (s *sweeps) first() {
	isGain := !slices.ContainsFunc(s.jumps.Costs, func(c float64) bool { return c > 0 })
	for i := range int32(len(s.states)) {
		best, fallback := math.Inf(1), math.Inf(1)
		action, last := s.policy[i], s.policy[i]
		for k := s.start[i]; k < s.start[i+1]; k++ {
			ahead, sum, behind := 0.0, 0.0, 0.0
			for e := s.jumps.RowStart[k]; e < s.jumps.RowStart[k+1]; e++ {
				if j, p := s.jumps.Columns[e], s.jumps.Probabilities[e]; j < i {
					ahead += p
					sum += float64(p * s.values[j])
				} else {
					behind += p
				}
			}
			exit := 1 - ahead - behind
			if exit < leastExit {
				exit = 0
			}
			cost, x := s.jumps.Costs[k], math.Inf(1)
			if exit > 0 && cost >= 0 {
				x = cost / exit
			}
			if isGain {
				x = cost + sum
			} else if ahead+exit > 0 && behind < 0.5 {
				x = min(x, ((cost+sum)*(ahead+exit)-behind*(sum+s.inherited(i, k)))/((ahead+exit)*(1-2*behind)))
			}
			if x < best {
				best, action = x, k-s.start[i]
			}
			if math.IsInf(best, 1) && ahead+exit > 0 && (cost+sum)/(1-behind) < fallback {
				fallback, last = (cost+sum)/(1-behind), k-s.start[i]
			}
		}
		if math.IsInf(best, 1) {
			best, action = fallback, last
		}
		if s.policy[i] = action; !math.IsInf(best, 1) {
			s.values[i] = best
		}
	}
	s.take()
}

// inherited returns the part of the cost of a jump that comes from values of states outside the component.
func (s *sweeps) inherited(i, k int32) float64 {
	if s.beyond == 0 {
		return 0
	}
	all, leave := s.problem.Rows, s.problem.ends
	for e := all.RowStart[s.choice[k]]; e < all.RowStart[s.choice[k]+1]; e++ {
		if all.Columns[e] != s.states[i] {
			leave += s.problem.goesOn * all.Probabilities[e]
		}
	}
	return s.jumps.Costs[k] - all.Costs[s.choice[k]]/leave
}

// Iterate makes a round.
func (s *sweeps) Iterate(ctx context.Context) (lower, upper float64, err error) {
	if ctx.Err() != nil {
		return 0, 0, context.Cause(ctx)
	}
	s.round()
	switch s.rounds++; s.rounds % extrapolated {
	case extrapolated - 4:
		s.past[0] = append(s.past[0][:0], s.values...)
	case extrapolated - 2:
		s.past[1] = append(s.past[1][:0], s.values...)
	case extrapolated - 1:
		s.past[2] = append(s.past[2][:0], s.values...)
	case 0:
		if !s.extrapolate(s.past[1], s.past[2], leastCosine) {
			s.extrapolate(s.past[0], s.past[1], leastCosineOfTwo)
		}
	}
	left := 0.0 // rounds
	switch {
	case 2*s.rounds == s.judged:
		s.half = s.excess
	case s.rounds == s.judged:
		pace := math.Log(s.half/s.excess) / float64(s.rounds/2)
		if left = math.Log(s.excess) / pace; !(pace > 0) {
			left = math.Inf(1)
		}
		s.yields = !(left <= mostRounds)
		s.half, s.judged = s.excess, 2*s.judged
	}
	switch {
	case !s.yields || s.isEvaluated():
	case !s.take():
		s.yields = s.rounds >= dearRounds || !(left <= dearRounds)
	default:
		if err := s.evaluate(ctx); err != nil && ctx.Err() != nil {
			return 0, 0, err
		}
	}
	return s.problem.Lower.High[0], math.Inf(1), nil
}

// evaluate evaluates the policy in float64, to the tolerance of the sweeps, which go on from there. If it
// fails they yield.
func (s *sweeps) evaluate(ctx context.Context) error {
	s.list()
	chain := evaluate.NewChain(s.links.WithCosts(s.costsToward(s.problem.lower())), s.policy)
	if operations, err := s.totals.Operations(ctx, &chain.Chain); err != nil || math.IsInf(operations, 1) && s.rounds < dearRounds {
		s.yields, s.judged = false, dearRounds
		return err
	}
	s.evaluated = append(s.evaluated[:0], s.policy...)
	if err := s.prepare(ctx, chain, s.policy); err != nil {
		return err
	}
	for _, enough := range []float64{startError, s.enough / 8} { // the first tells how many steps there are
		v, err := evaluate.RefineTotals(ctx, s.totals, s.sweeper.Team, chain, vector.Extended(s.values), enough/s.steps)
		if err != nil {
			return err
		}
		s.values = v.High
		s.round()
	}
	s.yields, s.rounds, s.judged = false, 0, soonRounds
	return nil
}

// isEvaluated reports whether the last evaluation was that of the policy.
func (s *sweeps) isEvaluated() bool { return slices.Equal(s.policy, s.evaluated) }

// extrapolate moves the values to where a geometric series of changes leads that begins with those from third
// to second and to the values (Aitken's method, with one ratio for all states), and reports whether they point in
// the same direction.
func (s *sweeps) extrapolate(third, second []float64, leastCosine float64) (isGeometric bool) {
	before, after, product := 0.0, 0.0, 0.0
	for i, x := range second {
		first, last := x-third[i], s.values[i]-x
		before, after, product = before+float64(first*first), after+float64(last*last), product+float64(first*last)
	}
	ratio, size, across := product/before, math.Sqrt(before*after), math.Sqrt(max(0, before*after-product*product))
	isGeometric = product >= leastCosine*size
	if isGeometric && ratio*across < mostAcross*(1-ratio)*size {
		for i, x := range second {
			s.values[i] += ratio / (1 - ratio) * (s.values[i] - x)
		}
	}
	return isGeometric
}

// IsFinished reports whether values are good enough, or policy iteration will be faster.
func (s *sweeps) IsFinished() bool { return s.isWhole && s.excess <= 1 || s.yields }

// round sweeps some times with the policy and once over all choices, block by block. It leaves out
// blocks whose values hardly change, for some rounds, but not before the sweeps finish.
func (s *sweeps) round() {
	isWhole := s.excess <= 1
	s.isWhole, s.excess = true, 0
	hasFree, values, costs := false, 0.0, 0.0 // sums of magnitudes
	for b, lo := 0, 0; lo < len(s.states); b, lo = b+1, lo+s.size {
		hi, block := min(lo+s.size, len(s.states)), &s.blocks[b]
		if block.excess <= still && block.rested < rest && !isWhole {
			s.isWhole, s.excess = false, max(s.excess, block.excess)
			block.rested++
			continue
		}
		copy(s.before, s.values[lo:hi])
		s.jumps.Relax(s.values, s.policy, lo, min(hi+s.size/2, len(s.states)), policySweeps)
		s.jumps.Backup(s.values, s.policy, s.values, lo, hi)
		excess, start, policy, before := 0.0, s.start[lo:hi], s.policy[lo:hi], s.before[:hi-lo]
		for i, x := range s.values[lo:hi] {
			cost, size := math.Abs(s.jumps.Costs[start[i]+policy[i]]), math.Abs(x)
			values, costs, hasFree = values+size, costs+cost, hasFree || cost == 0
			if change, off := math.Abs(x-before[i]), s.off(size, cost); !(change <= excess*off) {
				excess = change / off
			}
		}
		*block = blockState{excess: excess}
		s.excess = max(s.excess, excess)
	}
	if s.isWhole && costs > 0 {
		s.steps = values / costs
		if s.pace = 0; hasFree {
			s.pace = costs / values
		}
	}
}

// off returns how much a state may be off in one step.
func (s *sweeps) off(size, cost float64) float64 { return s.enough * (cost + size*s.pace) }

// offs returns how much each state may be off in one step, and a rough sum of that until the end. The
// part in proportion to costs sums to a share of the values; sweeps find the sum of the rest.
func (s *sweeps) offs() (margins, sums []float64) {
	margins, sums, rest := make([]float64, len(s.states)), vector.Scaled(s.values, 0), *s.jumps
	if s.pace > 0 {
		rest.Costs = make([]float64, len(s.jumps.Costs))
	}
	for i := range margins {
		k, size := s.start[i]+s.policy[i], math.Abs(s.values[i])
		margins[i] = s.off(size, math.Abs(s.jumps.Costs[k]))
		if s.pace > 0 {
			rest.Costs[k] = s.off(size, 0)
		}
	}
	for sweep := 0; s.pace > 0 && sweep < mostRounds; sweep++ {
		most := 0.0
		for lo := 0; lo < len(s.states); lo += s.size {
			hi := min(lo+s.size, len(s.states))
			copy(s.before, sums[lo:hi])
			rest.BackupPolicy(sums, s.policy, sums, lo, hi)
			for i, x := range sums[lo:hi] {
				if change := x - s.before[i]; change > most*margins[lo+i] {
					most = change / margins[lo+i]
				}
			}
		}
		if most <= 0.25 {
			break
		}
	}
	for i := range margins {
		sums[i] += s.enough * math.Abs(s.values[i])
	}
	return margins, sums
}

// enclose turns the values into bounds for both sides, and returns how far apart those of a state
// are, relative to the values; +Inf if they are not proved. It moves values by the sum of what
// states may be off, and those for the upper bound by what the bounds of states outside are apart, as
// the values are for the lower one: as a share of the values if no costs cancel. Then it makes a few
// sweeps, if they do not satisfy the inequalities of [Problem] yet.
func (s *sweeps) enclose(lower, upper side) (gap float64) {
	margins, sums := s.offs()
	hasOneSign := s.apart == 0 || slices.Min(s.jumps.Costs) >= 0 || slices.Max(s.jumps.Costs) <= 0
	h, next, isSure := make([]float64, len(s.values)), make([]float64, len(s.states)), make([]bool, len(s.states))
	s.component.values = vector.Of(h)
	isMoved := false // whether costs of jumps are no longer those of both sides
	for _, of := range []side{lower, upper} {
		for i, sum := range sums {
			h[i] = s.values[i] + of.direction*sum
			switch {
			case of.direction < 0:
			case hasOneSign:
				h[i] += s.share * math.Abs(s.values[i])
			default:
				h[i] += s.apart
			}
		}
		s.put(of)
		clear(isSure)
		if !isMoved && (of.direction < 0 || s.apart == 0) {
			s.sure(of, next, isSure)
		}
		isProved := s.isProved(of, isSure)
		if !isProved {
			isMoved = true
			s.jump(of)
			for i, margin := range margins {
				for k := s.start[i]; k < s.start[i+1]; k++ {
					s.jumps.Costs[k] += of.direction * margin
				}
			}
		}
		for sweep := 0; sweep < encloseSweeps && !isProved; sweep++ {
			for lo := 0; lo < len(s.states); lo += s.size {
				hi := min(lo+s.size, len(s.states))
				if of.direction < 0 {
					s.jumps.Backup(h, nil, h, lo, hi)
				} else {
					s.jumps.BackupPolicy(h, s.policy, h, lo, hi)
				}
			}
			s.put(of)
			isProved = s.isProved(of, nil)
		}
		if !isProved {
			return math.Inf(1)
		}
	}
	for _, i := range s.states {
		low, high := lower.values.High[i], upper.values.High[i]
		switch {
		case low == high:
		case (low > 0) != (high > 0):
			return math.Inf(1)
		default:
			if size := min(math.Abs(low), math.Abs(high)); !(high-low <= gap*size) {
				gap = (high - low) / size
			}
		}
	}
	return gap
}

// sure marks the states for which a sweep over the jumps in float64 proves the inequalities of a side, by more
// than its rounding errors. Let V be the largest magnitude of a value. The value x of a choice is off by the
// relative error of a few sums times |x| + 3V: at most 5V if |x| ≤ 2V. If |x| is larger, x is on the same side
// of all values as without errors. It overwrites next.
func (s *sweeps) sure(of side, next []float64, isSure []bool) {
	n, h := len(s.states), s.component.values.High
	if of.direction < 0 {
		s.jumps.Backup(next, nil, h, 0, n)
	} else {
		s.jumps.BackupPolicy(next, s.policy, h, 0, n)
	}
	longest := s.problem.Rows.Longest()
	relative := float64(4*longest+32)*rounding.Unit + 4*s.problem.RelativeError
	err := 8*relative*max(s.beyond, vector.LargestMagnitude(h)) + rounding.Underflow(longest+8)
	for i, x := range next {
		isSure[i] = (h[i]-x)*of.direction > err
	}
}
