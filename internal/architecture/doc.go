// Package architecture holds no code: its tests read the source of the whole
// module and fail if it breaks the rules that separate the layers.
//
// Imports point in one direction,
//
//	cmd, bench ─► models/… ─► mdp, queue ─► internal/…
//
// in tests too. mdp and queue do not import each other, models do not import each
// other (except that robots compares itself with static), and only cmd and bench
// import models. Library packages have few dependencies.
//
// Library packages do not print, log or exit. Random numbers come from a source with a
// seed. The message of a panic begins with the name of its package. Exported types have
// examples.
package architecture
