// Package architecture holds no code: its tests read the source of the whole
// module and fail where it breaks the rules that keep the layers apart.
//
// Imports point in one direction,
//
//	cmd, bench ─► models/… ─► mdp, queue ─► internal/…
//
// in tests too: mdp and queue do not know each other, models do not know each
// other (but robots compares itself with static), and nothing but cmd and bench
// knows models. The packages that others build on keep to few dependencies.
//
// Library packages neither print, nor log, nor exit; random numbers come from a
// source with a seed; and the message of a panic begins with the name of its
// package.
package architecture
