// Package replicate runs independent replications of a simulation.
package replicate

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Run makes n runs, shared by workers. Run i draws from a generator of its own (PCG), seeded by
// the i-th pair of numbers from the generator of the seed, so that the outcomes do not depend on
// the number of workers. done, if not nil, is called after each run, by several goroutines at
// once. If the context ends, Run returns its error, and the outcomes of the runs before the
// first that did not come to its end. With any other error there are no outcomes.
func Run[R any](ctx context.Context, n, workers int, seed uint64, run func(random *rand.Rand) (R, error), done func()) ([]R, error) {
	seeds := rand.NewPCG(seed, 0)
	sources := make([]*rand.Rand, n)
	for i := range sources {
		sources[i] = rand.New(rand.NewPCG(seeds.Uint64(), seeds.Uint64()))
	}
	outcomes, failures := make([]R, n), make([]error, n)
	parallel.For(workers, n, func(i int) {
		outcomes[i], failures[i] = run(sources[i])
		if done != nil {
			done()
		}
	})
	switch end := errors.Join(failures...); {
	case end == nil:
		return outcomes, nil
	case ctx.Err() == nil:
		return nil, end
	}
	first := slices.IndexFunc(failures, func(err error) bool { return err != nil })
	return outcomes[:first], context.Cause(ctx)
}
