package elimination

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp/internal/limit"
)

// StuckError says that elimination cannot go on at a state: the probability with which
// the chain leaves that state, and those eliminated before, is too small for float64.
type StuckError struct{ State int32 }

// Error names the state.
func (e *StuckError) Error() string {
	return fmt.Sprintf("mdp: exact evaluation: the probability of ever leaving for good from state %d is too small for float64", e.State)
}

// Unwrap returns [limit.ErrPrecisionLimit].
func (*StuckError) Unwrap() error { return limit.ErrPrecisionLimit }
