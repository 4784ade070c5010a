// Package queue holds stationary formulas of single-server queues with a
// finite buffer, [MM1K] and [MG1K], and the service laws ([Law]) they need.
//
// Every probability is computed without a subtraction that could cancel, so
// small ones (an empty queue under heavy load, a loss in a long buffer)
// are as accurate as large ones. Outside their domain the formulas return
// NaN, as stated under "Special cases"; constructors of laws return errors.
package queue
