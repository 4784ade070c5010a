package mdp_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp"
)

var long = flag.Bool("long", false, "run thousands of random models instead of hundreds")

// trials runs body on many random sources; each failure names the seed.
func trials(t *testing.T, count int, body func(t *testing.T, random *rand.Rand)) {
	t.Helper()
	switch {
	case *long:
		count *= 35 // some 10,000 for the largest tests
	case testing.Short():
		count = (count + 9) / 10
	}
	t.Logf("seeds 1 to %d", count)
	for seed := range uint64(count) {
		ok := t.Run(fmt.Sprintf("seed=%d", seed+1), func(t *testing.T) {
			body(t, rand.New(rand.NewPCG(seed+1, 0)))
		})
		if !ok && !*long {
			return // one counterexample is enough to look at
		}
	}
}

// structure is the structure of a random model.
type structure int

const (
	communicating  structure = iota
	unichain                 // every policy can reach state 0
	periodic                 // every step leads from one third of the states to the next
	nearlyPeriodic           // but for one in a million
	multichain
	absorbing
	structures // how many there are
)

func (s structure) String() string {
	return [...]string{"communicating", "unichain", "periodic", "nearly periodic", "multichain", "absorbing"}[s]
}

// scale is what numbers a random model is made of.
type scale int

const (
	plain     scale = iota // weights 1 … 9, costs 0 … 9
	signed                 // costs −5 … 5
	free                   // costs 0
	spread                 // probabilities over 12 orders of magnitude
	spreadAll              // costs over 12 orders of magnitude too, of both signs
	scales
)

func (s scale) String() string {
	return [...]string{"plain", "signed", "free", "spread", "spread all"}[s]
}

// randomTable returns a model of a few states, so that all its policies can be
// enumerated.
func randomTable(t *testing.T, random *rand.Rand, structure structure, scale scale) *mdp.Table {
	t.Helper()
	n := 2 + random.IntN(3)
	return buildTable(t, func(b *mdp.TableBuilder) {
		for s := range n {
			b.AddState()
			for action := range 1 + random.IntN(3) {
				next := randomSuccessors(random, structure, n, s, action)
				probabilities := randomDistribution(random, scale, len(next))
				if structure == nearlyPeriodic {
					next, probabilities = stayRarely(next, probabilities, int32(s))
				}
				b.AddAction(randomCost(random, scale))
				for i, j := range next {
					b.AddTransition(int(j), probabilities[i])
				}
			}
		}
	})
}

// randomSuccessors returns some next states of s, at least one.
func randomSuccessors(random *rand.Rand, structure structure, n, s, action int) []int32 {
	wanted := map[int]bool{}
	for range random.IntN(n) + 1 {
		wanted[random.IntN(n)] = true
	}
	switch structure {
	case communicating:
		if action == 0 {
			wanted[(s+1)%n] = true
		}
	case unichain:
		wanted[0] = true
	case periodic, nearlyPeriodic:
		clear(wanted)
		period := min(n, 3)
		for j := range n {
			if j%period == (s+1)%period && (j < period || random.IntN(2) == 0) {
				wanted[j] = true
			}
		}
	case absorbing:
		if s == n-1 {
			clear(wanted)
			wanted[s] = true
		}
	default:
	}
	var next []int32
	for _, j := range random.Perm(n) {
		if wanted[j] {
			next = append(next, int32(j))
		}
	}
	return next
}

// stayRarely adds a probability of 10⁻⁶ of staying to a row that leads elsewhere.
func stayRarely(next []int32, probabilities []float64, s int32) ([]int32, []float64) {
	const stay = 1e-6
	for i := range probabilities {
		probabilities[i] *= 1 - stay
	}
	return append(next, s), append(probabilities, stay)
}

func randomDistribution(random *rand.Rand, scale scale, n int) []float64 {
	p, sum := make([]float64, n), 0.0
	for i := range p {
		p[i] = float64(1 + random.IntN(9))
		if scale == spread || scale == spreadAll {
			p[i] = math.Pow(10, -12*random.Float64())
		}
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func randomCost(random *rand.Rand, scale scale) float64 {
	switch scale {
	case signed:
		return float64(random.IntN(11) - 5)
	case free:
		return 0
	case spreadAll:
		return (random.Float64() - 0.5) * math.Pow(10, -12*random.Float64())
	default:
		return float64(random.IntN(10))
	}
}

// backupOnly hides all interfaces of a model but [mdp.Model].
type backupOnly struct{ model mdp.Model }

func (b backupOnly) NumStates() int { return b.model.NumStates() }

func (b backupOnly) Backup(dst []float64, act []int32, v []float64, lo, hi int) {
	b.model.Backup(dst, act, v, lo, hi)
}
