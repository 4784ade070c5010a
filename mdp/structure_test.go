package mdp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/internal/evaluate"
	"github.com/mdpsolve/mdpsolve/mdp/internal/rows"
)

// bruteStructure finds by trying every policy what Analyze claims: whether all
// have one closed class, and whether some policy leads from each state to each.
type bruteStructure struct {
	unichain, communicating, weakly bool
}

func brute(t *testing.T, model Explicit) bruteStructure {
	t.Helper()
	n := model.NumStates()
	b := bruteStructure{unichain: true}
	reach := make([][]bool, n) // under some policy: in the graph of all actions
	g, err := rows.UnionGraph(context.Background(), model)
	require.NoError(t, err)
	for s := range n {
		reach[s] = make([]bool, n)
		reach[s][s] = true
		for queue := []int32{int32(s)}; len(queue) > 0; queue = queue[1:] {
			for _, j := range g.Next(queue[0]) {
				if !reach[s][j] {
					reach[s][j] = true
					queue = append(queue, j)
				}
			}
		}
	}
	recurrent := make([]bool, n) // under some policy
	policy := make([]int32, n)
	for more := true; more; {
		classes := evaluate.NewChain(model, policy).Closed()
		b.unichain = b.unichain && len(classes) == 1
		for _, class := range classes {
			for _, s := range class {
				recurrent[s] = true
			}
		}
		more = false
		for s := range policy {
			if policy[s]++; int(policy[s]) < model.NumActions(s) {
				more = true
				break
			}
			policy[s] = 0
		}
	}
	b.communicating, b.weakly = true, true
	for s := range n {
		for j := range n {
			b.communicating = b.communicating && reach[s][j]
			if recurrent[s] && recurrent[j] {
				b.weakly = b.weakly && reach[s][j]
			}
		}
	}
	return b
}

func TestAnalyzeAgainstEveryPolicy(t *testing.T) {
	const seed = 20
	random := rand.New(rand.NewPCG(seed, 0))
	found := map[string]int{}
	missed := 0
	for range 3000 {
		n := 1 + random.IntN(5)
		problem := Problem[int, int]{
			Start:   make([]int, n),
			Actions: func(dst []int, _ int) []int { return append(dst, 0, 1)[:len(dst)+1+random.IntN(2)] },
			Cost:    func(int, int) float64 { return 0 },
			Next: func(dst []Outcome[int], _, _ int) []Outcome[int] {
				if random.IntN(2) == 0 {
					return append(dst, Outcome[int]{random.IntN(n), 1})
				}
				return append(dst, Outcome[int]{random.IntN(n), 0.5}, Outcome[int]{random.IntN(n), 0.5})
			},
		}
		for s := range n {
			problem.Start[s] = s
		}
		model, err := problem.Compile(t.Context())
		require.NoError(t, err)
		s, want := Analyze(model), brute(t, model)
		found[s.Classification]++
		place := fmt.Sprintf("seed %d: %v", seed, *model.rows)
		switch s.Classification {
		case "unichain":
			require.True(t, want.unichain, place)
		case "communicating":
			require.True(t, want.communicating, place)
		case "weakly-communicating":
			require.True(t, want.weakly && !want.communicating, place)
		case "multichain":
			require.False(t, want.weakly || want.unichain, place)
		default:
			require.Fail(t, place)
		}
		if want.unichain && s.Classification != "unichain" {
			missed++ // allowed, but not often
		}
	}
	assert.Len(t, found, 4)
	assert.Less(t, missed, 30, "%v", found)
}

func TestPeriod(t *testing.T) {
	cycle := func(lengths ...int) *Table {
		var b TableBuilder
		for _, length := range lengths {
			for i := range length {
				first := b.AddState() - i
				b.AddAction(0)
				b.AddTransition(first+(i+1)%length, 1)
			}
		}
		table, err := b.Build()
		require.NoError(t, err)
		return table
	}
	for _, lengths := range [][]int{{1}, {2}, {7}, {3, 5, 2}} {
		s := Analyze(cycle(lengths...))
		longest := 0
		for _, l := range lengths {
			longest = max(longest, l)
		}
		assert.Equal(t, longest, s.Period)
		assert.Equal(t, len(lengths), s.EndComponents)
	}
}

func ExampleAnalyze() {
	// Two machines, one of which is bought and kept.
	problem := Problem[string, string]{
		Start: []string{"shop"},
		Actions: func(dst []string, s string) []string {
			if s == "shop" {
				return append(dst, "old", "new")
			}
			return append(dst, "run")
		},
		Cost: func(s, _ string) float64 { return map[string]float64{"old": 3, "new": 2}[s] },
		Next: func(dst []Outcome[string], s, a string) []Outcome[string] {
			if s == "shop" {
				s = a
			}
			return append(dst, Outcome[string]{s, 1})
		},
	}
	model, _ := problem.Compile(context.Background())
	s := Analyze(model)
	fmt.Println(s.Classification, s.EndComponents, s.Component)
	// Output: multichain 2 [-1 0 1]
}
