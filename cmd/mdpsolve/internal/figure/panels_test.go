package figure

// What pictures of models show.

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Cells are filled by the decisions of the policy, one for each state, and there is none for impossible
// states: no arrival without robots, no departure from an empty queue, and no activation where all
// robots are active. Each phase of the service has its arrivals.
func TestDecisionsAreThePolicy(t *testing.T) {
	erlang, err := queue.ParseLaw("erlang:3", 1, nil)
	require.NoError(t, err)
	for _, law := range []queue.Law{nil, erlang} {
		p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4, Service: law}
		solution, err := robots.Solve(t.Context(), p, mdp.Settings{})
		require.NoError(t, err)
		policy := solution.Policy
		panels := Switching(policy, solution.Measures.Distribution, "")
		require.Len(t, panels, switchingPanels(policy.Phases()))
		kind := map[bool]int{false: 0, true: 1}
		for r := range p.Robots + 1 {
			for q := range p.Buffer + 1 {
				for phase := range policy.Phases() {
					var d robots.Decisions
					if q > 0 || r > 0 && phase == 0 { // there is no service in an empty queue
						d = policy.Decisions(robots.State{Queue: q, Phase: phase, Active: []int{r}})
					}
					want := -1
					if r > 0 && (q > 0 || phase == 0) {
						want = kind[d.Reactivate.Has(0)]
					}
					assert.Equal(t, want, panels[1+phase].Cells[0].Of[r][q], "phase %d at %d, %d", phase, r, q)
					if phase < policy.Phases()-1 {
						continue // services end in the last phase
					}
					if want = -1; q > 0 && r < p.Robots {
						want = kind[d.Activate != robots.NoClass]
					}
					assert.Equal(t, want, panels[0].Cells[0].Of[r][q], "%d, %d", r, q)
				}
			}
		}
		for i, curves := range policy.Curves() {
			for r := 1; r <= p.Robots; r++ {
				for q := range p.Buffer + 1 {
					if q > 0 || i == 0 {
						assert.Equal(t, q <= curves.Arrival[r], panels[1+i].Cells[0].Of[r][q] == 1, "phase %d at %d, %d", i+1, r, q)
					}
				}
			}
		}
		for _, panel := range panels {
			assert.Equal(t, [2]float64{-0.5, 16.5}, [2]float64{panel.X.From, panel.X.To})
			assert.Equal(t, [2]float64{-0.5, 5.5}, [2]float64{panel.Y.From, panel.Y.To})
		}
	}
}

// The curves of Figures 2 and 5 jump where both numbers cost the same.
func TestFixedJumpsAreComputed(t *testing.T) {
	p := static.Parameters{ArrivalRate: 1 / 5.7, ServiceRate: 1, StarvationWeight: 1, Buffer: 10}
	for _, test := range []struct {
		axis     static.Axis
		from, to float64
		limit    bool
		jump     float64
	}{
		{static.OverWeight, 0.1, 6, false, 0.22204796749584954}, // in fractions, see models/static
		{static.OverRatio, 0.5, 6, true, 1.5},
	} {
		grid, err := static.Grid(test.axis, test.from, test.to, 5) // however few points there are
		require.NoError(t, err)
		points, err := static.Sweep(p, test.axis, grid)
		require.NoError(t, err)
		panels := Fixed(test.axis, "", []FixedCurve{{Name: "K = 10", Parameters: p, Points: points, LimitOnly: test.limit}})
		curve := panels[len(panels)-1].Curves[0]
		assert.InEpsilon(t, test.jump, curve.Points[1].X, 1e-12)
		assert.Equal(t, curve.Points[1].X, curve.Points[2].X)
		assert.Equal(t, curve.Points[1].Y+1, curve.Points[2].Y)
		assert.Equal(t, test.from, curve.Points[0].X)
		assert.Equal(t, test.to, curve.Points[len(curve.Points)-1].X)
	}
}
