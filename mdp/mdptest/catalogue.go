package mdptest

import "slices"

// Catalogue returns the problems, each anew: they may be changed.
func Catalogue() []*Problem {
	return slices.Concat(
		howard(), textbook(), inventories(), queues(), queueControl(), networks(), replacements(),
		chains(), multichains(), games(), shortestPaths(), stopping(),
	)
}
