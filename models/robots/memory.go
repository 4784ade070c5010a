// This file forecasts how much memory solves take.

package robots

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
)

// What solves of many sizes were seen to take.
const (
	programBytes   = 24e6 // whatever the size
	sweepBytes     = 150  // by state: values, actions, a policy; twice that in the authors' iteration
	graphBytes     = 300  // by state: the graph of all transitions, and an order to eliminate in
	krylovBytes    = 1500 // by state, where elimination is too much: a basis and a multigrid
	growth         = 1.15 // what the garbage collector lets lie about, of an elimination
	growthTwice    = 1.6  // … of one by the solve and one for measures
	mostElimBytes  = 8 << 30
	branchBytes    = 100 // by transition, where services go on in many phases
	fillPerState   = 8.  // elements of a factorization by state and by level of nested dissection
	fillBranching  = 10. // … where services go on in many phases
	bytesPerNumber = 8
)

// SolveBytes forecasts the memory that a program takes for [Solve] and for the measures
// of its policy: with relative value iteration, where sweeps says so, or else with the
// method that Solve chooses. It is at least what that takes, and for the plain process
// at most twice as much. Errors are those of [NewModel].
func (p Parameters) SolveBytes(sweeps bool) (float64, error) {
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
	fill, branches := min(band, fillPerState*levels), 0.
	if next := service.MostNext(); next > 1 {
		fill, branches = min(n, fillBranching*levels), n*float64(next)
	}
	elements := n * fill
	if !p.IsPlain() && n*band*band > measureOperations { // there are no measures
		elements = 0
	}
	elimination := min(bytesPerNumber*elements, mostElimBytes)
	if sweeps {
		return programBytes + sweepBytes*n + growth*elimination, nil
	}
	return programBytes + branchBytes*branches + max(krylovBytes*n, graphBytes*n+growthTwice*elimination), nil
}
