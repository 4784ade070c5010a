// Package limit knows how far a solve may go, and how it may end.
package limit

import "errors"

// The ends of a solve. Package mdp shows them under the same names, with what
// they mean.
var (
	ErrIterationLimit = errors.New("iteration limit reached before the tolerance")
	ErrTimeLimit      = errors.New("time limit reached before the tolerance")
	ErrPrecisionLimit = errors.New("limit of floating-point precision reached before the tolerance")
	ErrTooLarge       = errors.New("too large")
	ErrOverflow       = errors.New("values are beyond the range of float64")
	ErrUnsupported    = errors.New("not supported by this model")
)
