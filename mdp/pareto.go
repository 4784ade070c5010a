package mdp

import (
	"context"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/tradeoff"
)

// Front is an answer of [ParetoFront].
type Front struct {
	// Points are the policies, in the order in which the costs of the model grow (rewards that
	// are maximised: fall) and the others improve.
	Points []FrontPoint

	// Gap bounds how much any policy can save for any weight, compared with the best of Points,
	// relative to the sum of the magnitudes |weight·value|.
	Gap float64

	// Solves counts the weights for which the model was solved.
	Solves int
}

// FrontPoint is a policy that is best for some weights.
type FrontPoint struct {
	Policy       []int32
	Value, Other float64 // of the costs of the model and of the others

	// From and To are the weights w between which no other policy has a better
	// Value + w·Other: with − in place of + if one of them is a cost and the other a reward.
	// To may be infinite.
	From, To float64
}

// ParetoFront finds the trade-off between the costs of a model and others, from a state: the
// deterministic policies that are best for a weighted sum. Mixtures of two neighbours have all pairs
// of values that no policy improves on in both. The criterion and its sense are as for
// [SolveConstrained]; other has the other costs in the order of TableArrays.Costs, which are
// maximised if maximizeOther is set.
//
// The search is that of Eisner and Severance (1976): two solves for each point. If it ends
// early, the front beside the error has what is found by then, nil if that is nothing.
func ParetoFront(ctx context.Context, model Explicit, criterion Criterion, state int, other []float64, maximizeOther bool, settings Settings) (*Front, error) {
	begin := time.Now()
	limit := Constraint{Costs: other, Bound: new(big.Rat), AtLeast: maximizeOther}
	c, err := newConstrained(model, criterion, state, []Constraint{limit}, settings)
	if err != nil {
		return nil, err
	}
	ctx, cancel := c.settings.within(ctx, begin)
	defer cancel()
	search := tradeoff.Front[*judged]{Solve: c.solve}
	end := search.Run(ctx, [2]float64{0, 1}, [2]float64{1, 0}, 0)
	if len(search.Vertices) == 0 {
		return nil, end
	}
	front := &Front{Solves: c.best.Solves}
	if len(search.Vertices) == 1 && end != nil {
		front.Gap = math.Inf(1)
	}
	to := math.Inf(1)
	for i := range search.Vertices {
		v, from := &search.Vertices[i], 0.0
		if i+1 < len(search.Vertices) {
			from = v.Next[1] / v.Next[0]
			front.Gap = max(front.Gap, v.Gap)
		}
		if math.IsInf(from, 1) { // as good as its neighbour in the other costs, and worse in its own
			continue
		}
		front.Points = append(front.Points, FrontPoint{v.Policy.policy.Actions, c.signs[0]*v.Values[0] + 0, c.signs[1]*v.Values[1] + 0, from, to})
		to = from
	}
	slices.Reverse(front.Points)
	return front, end
}
