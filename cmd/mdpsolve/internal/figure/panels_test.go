package figure

// What pictures of models show.

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots"
	"github.com/mdpsolve/mdpsolve/models/static"
	"github.com/mdpsolve/mdpsolve/queue"
)

// area returns that of a polygon.
func area(outline []XY) float64 {
	sum := 0.0
	for i, p := range outline {
		q := outline[(i+1)%len(outline)]
		sum += p.X*q.Y - q.X*p.Y
	}
	return math.Abs(sum) / 2
}

// What is shaded are the states in which the policy acts, one square each, and no
// impossible ones: no arrival without robots, no departure from an empty queue, and no
// activation where all robots are active.
func TestActingRegionsAreThePolicy(t *testing.T) {
	erlang, err := queue.ParseLaw("erlang:3", 1, nil)
	require.NoError(t, err)
	for _, law := range []queue.Law{nil, erlang} {
		p := robots.Parameters{Robots: 16, Buffer: 5, ArrivalRate: 0.1, ServiceRate: 1, StarvationWeight: 1.4, Service: law}
		solution, err := robots.Solve(t.Context(), p, mdp.Settings{})
		require.NoError(t, err)
		policy := solution.Policy
		panels := Switching(policy, solution.Measures.Distribution, "")
		departures, arrivals := 0, 0
		for r := range p.Robots + 1 {
			for q := range p.Buffer + 1 {
				if q == 0 && r == 0 {
					continue // nothing can happen there, and no policy is there
				}
				departs, arrives := q > 0 && r < p.Robots, r > 0
				for phase := range policy.Phases() {
					state := robots.State{Queue: q, Phase: phase, Active: []int{r}}
					if q == 0 {
						state.Phase = 0 // there is no service
					}
					d := policy.Decisions(state)
					departs = departs && (phase < policy.Phases()-1 || d.Activate != robots.NoClass) // services end in the last phase
					arrives = arrives && d.Reactivate.Has(0)
				}
				if departs {
					departures++
				}
				if arrives {
					arrivals++
				}
			}
		}
		assert.InDelta(t, float64(departures), area(panels[0].Acting), 1e-9)
		assert.InDelta(t, float64(arrivals), area(panels[1].Acting), 1e-9)
		for i, curves := range policy.Curves() {
			borders := panels[1].Curves[i].Points
			assert.Len(t, borders, 2*p.Robots)
			for k, at := range borders {
				r := k/2 + 1
				assert.Equal(t, XY{X: float64(r) - 0.5 + float64(k%2), Y: float64(curves.Arrival[r]) + 0.5}, at, "along the borders of cells")
			}
		}
		for _, c := range panels[0].Curves {
			assert.Equal(t, float64(p.Robots)-0.5, c.Points[len(c.Points)-1].X)
		}
		for i, panel := range panels[:2] {
			if len(panel.Curves) == 1 {
				border := panel.Curves[0].Points
				assert.Equal(t, border, panel.Acting[:len(border)], "panel %d", i)
			}
			for _, curve := range panel.Curves {
				for _, at := range curve.Points {
					assert.True(t, at.X > panel.X.From && at.X < panel.X.To && at.Y > panel.Y.From && at.Y < panel.Y.To, "inside the frame")
				}
			}
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
