package elimination

import "fmt"

// TooLargeError says that an elimination would take more memory than [MaxBytes].
type TooLargeError struct {
	States   int
	Forecast Forecast
}

// Error says how much.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("exact evaluation of %d states would take %s: at most %g MB may be used", e.States, e.Forecast, float64(MaxBytes)/1e6)
}

// StuckError says that the chain, once in a state, leaves what comes before it
// in the elimination with a probability that is too small for float64.
type StuckError struct{ State int32 }

// Error names the state.
func (e *StuckError) Error() string {
	return fmt.Sprintf("exact evaluation: the probability of ever leaving for good from state %d is too small for float64", e.State)
}
