// Package interval decides when to switch robots on and off if the rates are only known to
// lie in ranges.
//
// Nature chooses the arrival rate λ of a robot and the service rate μ from
// closed intervals, anew in every state. [Solve] finds the policy of the least
// long-run cost in the worst case, with bounds, and the rates that are the worst.
// [EvaluateWorst] returns the worst case of any policy, and [Solution.Compare] the price of
// planning for the worst case, and of not doing so.
//
// This is a bounded-parameter Markov decision process (R. Givan, S. Leach and T. Dean,
// Bounded-parameter Markov decision processes, Artificial Intelligence 122 (2000),
// 71-109) for the long-run average, and so a stochastic game with perfect information
// (D. Gillette, Stochastic games with zero stop probabilities, Contributions to the
// Theory of Games III (1957), 179-187).
package interval
