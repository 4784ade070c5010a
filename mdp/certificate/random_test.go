package certificate

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

var long = flag.Bool("long", false, "run thousands of random models instead of hundreds")

// trials runs body on many random sources; each failure names the seed.
func trials(t *testing.T, count int, body func(t *testing.T, random *rand.Rand)) {
	t.Helper()
	switch {
	case *long:
		count *= 20
	case testing.Short():
		count = (count + 9) / 10
	}
	t.Logf("seeds 1 to %d", count)
	for seed := range uint64(count) {
		ok := t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) {
			body(t, rand.New(rand.NewPCG(seed+1, 7)))
		})
		if !ok && !*long {
			return // one counterexample is enough to look at
		}
	}
}

// style is how a random model is made.
type style struct {
	kind      modelfile.Kind
	exact     bool // with rationals such as 1/3
	structure structure
	scale     scale
}

type structure int

const (
	cyclic    structure = iota // each state leads to the next
	periodic                   // every step leads from one third of the states to the next
	layered                    // steps lead to the state itself and to later ones
	absorbing                  // some states are never left
	arbitrary
	structures // how many there are
)

type scale int

const (
	plain     scale = iota // small whole numbers
	signed                 // costs of both signs
	sparse                 // costs 0 but for a few
	halves                 // probabilities with few binary digits
	spread                 // probabilities or rates over 12 orders of magnitude
	spreadAll              // costs over 12 orders of magnitude too, of both signs
	scales
)

// randomStyle returns a style.
func randomStyle(random *rand.Rand) style {
	return style{
		kind:      modelfile.Kind(1 + random.IntN(5)),
		exact:     random.IntN(4) == 0,
		structure: structure(random.IntN(int(structures))),
		scale:     scale(random.IntN(int(scales))),
	}
}

// randomModel returns a model of a few states, so that all its policies can be
// gone through, with the reward model "cost" and the label "goal".
func randomModel(t testing.TB, random *rand.Rand, style style) *modelfile.Model {
	t.Helper()
	n := 1 + random.IntN(5)
	m := &modelfile.Model{
		Kind: style.kind, StateStart: []int32{0}, RowStart: []int32{0}, Initial: []int32{int32(random.IntN(n))},
		Labels: map[string][]int32{"goal": {int32(n - 1)}},
	}
	if n > 2 && random.IntN(3) == 0 {
		m.Labels["goal"] = []int32{0, int32(n - 1)}
	}
	reward := modelfile.RewardModel{Name: "cost"}
	if style.exact {
		for _, list := range []*modelfile.Numbers{&m.Values, &reward.State, &reward.Action, &reward.Transition} {
			list.Exact = []*big.Rat{}
		}
	}
	choices := 0
	for s := range n {
		actions := 1
		if style.kind.HasChoices() {
			actions += random.IntN(3)
		}
		for range actions {
			row := randomRow(random, style, n, s)
			for j, x := range row {
				if x.Sign() > 0 {
					m.Columns = append(m.Columns, int32(j))
					put(&m.Values, x)
				}
			}
			m.RowStart = append(m.RowStart, int32(len(m.Columns)))
			put(&reward.Action, randomCost(random, style))
			for range len(m.Columns) - len(reward.Transition.Float) {
				put(&reward.Transition, randomCost(random, style))
			}
			choices++
		}
		m.StateStart = append(m.StateStart, int32(choices))
		put(&reward.State, randomCost(random, style))
	}
	zeros := modelfile.Numbers{}
	switch random.IntN(4) {
	case 0:
		reward.Action, reward.Transition = zeros, zeros
	case 1:
		reward.State, reward.Transition = zeros, zeros
	case 2:
		reward.Transition = zeros
	}
	m.Rewards = []modelfile.RewardModel{reward}
	require.NoError(t, m.Validate())
	return m
}

// put appends a number.
func put(n *modelfile.Numbers, x *big.Rat) {
	float, _ := x.Float64()
	n.Float = append(n.Float, float)
	if n.Exact != nil {
		n.Exact = append(n.Exact, x)
	}
}

// randomRow returns the probabilities, or rates, of a choice of state s.
func randomRow(random *rand.Rand, style style, n, s int) []*big.Rat {
	row := zeros(n)
	weight := func(j int) {
		switch style.scale {
		case spread, spreadAll:
			row[j].SetFloat64(math.Pow(10, -12*random.Float64()))
		case halves:
			row[j].SetInt64(1)
		default:
			row[j].SetInt64(1 + random.Int64N(9))
		}
	}
	ends := style.structure == absorbing && (s == n-1 || random.IntN(4) == 0)
	if ends && style.kind.IsContinuous() && style.kind != modelfile.SMDP {
		return row
	}
	successors := successorsOf(random, style, n, s)
	if ends {
		successors = []int{s}
	}
	if style.scale == halves {
		for len(successors)&(len(successors)-1) != 0 {
			successors = successors[1:]
		}
	}
	for _, j := range successors {
		weight(j)
	}
	if style.kind.IsContinuous() {
		return row
	}
	sum := new(big.Rat)
	for _, x := range row {
		sum.Add(sum, x)
	}
	for _, x := range row {
		x.Quo(x, sum)
	}
	return row
}

// successorsOf returns different states that a choice of state s leads to.
func successorsOf(random *rand.Rand, style style, n, s int) []int {
	allowed := func(j int) bool {
		switch style.structure {
		case periodic:
			return n < 3 || j%3 == (s%3+1)%3
		case layered:
			return j >= s
		default:
			return true
		}
	}
	candidates := slices.DeleteFunc(random.Perm(n), func(j int) bool { return !allowed(j) })
	if len(candidates) == 0 {
		return []int{s}
	}
	successors := candidates[:1+random.IntN(len(candidates))]
	if next := (s + 1) % n; style.structure == cyclic && !slices.Contains(successors, next) {
		successors[0] = next
	}
	return successors
}

func randomCost(random *rand.Rand, style style) *big.Rat {
	cost := new(big.Rat)
	switch style.scale {
	case signed:
		cost.SetInt64(random.Int64N(11) - 5)
	case sparse:
		if random.IntN(4) == 0 {
			cost.SetInt64(1 + random.Int64N(3))
		}
	case spreadAll:
		cost.SetFloat64(math.Pow(10, -12*random.Float64()) * float64(random.IntN(3)-1))
	default:
		cost.SetInt64(random.Int64N(10))
	}
	if style.exact && style.scale == plain {
		cost.Quo(cost, big.NewRat(3, 1))
	}
	return cost
}
