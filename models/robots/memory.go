// This file forecasts the memory of solves.

package robots

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// SolveBytes forecasts the memory of [Solve] with a method, and of the measures of its
// policy, see [mdp.SolveBytes]; 0 stands for the method that Solve chooses. The forecast is
// never too low: it is for policies that connect all states. Errors are those of [NewModel].
func (p Parameters) SolveBytes(method mdp.Method) (float64, error) {
	if err := p.Validate(); err != nil {
		return 0, err
	}
	service, err := phases.Of(p.Service, p.ServiceRate)
	if err != nil {
		return 0, fmt.Errorf("robots: Service: %w", err)
	}
	if err := p.checkSize(service.Count()); err != nil {
		return 0, err
	}
	n := p.countStates(service.Count())
	longest := p.Buffer
	for _, class := range p.ClassList() {
		longest = max(longest, class.Robots)
	}
	band := n / float64(longest+1)
	levels := float64(service.Count()) * math.Log2(n)
	// By state: what an elimination keeps where the states are a grid, and its moves.
	fill, moves := min(band, 8*levels), 3.
	if next := service.MostNext(); next > 1 {
		fill, moves = min(n, 10*levels), float64(next)
	}
	if !p.IsPlain() && n*band*band > measureOperations { // there are no measures
		fill = 0
	}
	return mdp.SolveBytes(method, n, n*moves, fill), nil
}
