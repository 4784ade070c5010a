package mdp_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// serviceControl is a queue on 0 … n−1 to which customers come at rate 1, and
// whose service rate is chosen. Waiting costs the root of their number.
func serviceControl(t *testing.T, n int, rates ...float64) *mdp.Table {
	t.Helper()
	fastest := 0.0
	for _, r := range rates {
		fastest = max(fastest, r)
	}
	return buildTable(t, func(b *mdp.TableBuilder) {
		for s := range n {
			b.AddState()
			for i, r := range rates {
				b.AddAction(math.Sqrt(float64(s)) + float64(5*i*i))
				up, down := 1/(1+fastest), r/(1+fastest)
				b.AddTransition(s, 1-up-down)
				b.AddTransition(min(s+1, n-1), up)
				b.AddTransition(max(s-1, 0), down)
			}
		}
	})
}

// decomposable is blocks of states, random within, that are left for a random
// state with a small probability.
func decomposable(t *testing.T, random *rand.Rand, blocks, size int, coupling float64) *mdp.Table {
	t.Helper()
	return buildTable(t, func(b *mdp.TableBuilder) {
		for s := range blocks * size {
			b.AddState()
			for range 3 {
				b.AddAction(0)
				for range 4 {
					b.AddTransition(s/size*size+random.IntN(size), (1-coupling)/4)
				}
				b.AddTransition(random.IntN(blocks*size), coupling)
				b.AddCost(random.Float64())
			}
		}
	})
}

// controlledWalk is a walk on a square that is steered a little, among places of
// random cost.
func controlledWalk(t *testing.T, random *rand.Rand, width int, steering float64) *mdp.Table {
	t.Helper()
	steps := [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	inside := func(i int) int { return min(max(i, 0), width-1) }
	return buildTable(t, func(b *mdp.TableBuilder) {
		for s := range width * width {
			b.AddState()
			y, x := s/width, s%width
			cost := random.Float64()
			for chosen := range steps {
				b.AddAction(cost)
				for i, step := range steps {
					p := (1 - steering) / 4
					if i == chosen {
						p += steering
					}
					b.AddTransition(inside(y+step[0])*width+inside(x+step[1]), p)
				}
			}
		}
	})
}
