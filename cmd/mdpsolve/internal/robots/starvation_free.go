// This file holds robots solve --starvation-free.

package robots

import (
	"context"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/soon"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// findFree finds for how long there is no starvation.
func (f *answer) findFree(ctx context.Context, times []float64) (err error) {
	if f.within != nil && f.within.Other != nil {
		return ui.UsageErrorf("--starvation-free: not valid for this --%s, whose answer is one of two policies, drawn at the start: leave it out", f.limit.flag)
	}
	f.free, err = soon.Do(ctx, ui.Patience, func() (*mdp.Distribution, error) {
		return f.Policy.StarvationFree(ctx, times, mdp.Settings{Workers: f.method.Settings.Workers})
	})
	switch {
	case ui.EndedEarly(err):
		return ui.EndEarly(ui.ExitInterrupted, "interrupted: no answer to --starvation-free yet")
	case err != nil:
		return ui.UsageErrorf("--starvation-free: use a smaller problem or shorter times (%v)", err)
	}
	return nil
}

// freeRecord says for how long there is no starvation, where that is asked for.
func (f *answer) freeRecord() ui.Record {
	if f.free == nil {
		return nil
	}
	mean, times := f.free.Mean, []ui.Record{}
	for i, x := range f.free.X {
		p := f.free.Above[i]
		times = append(times, ui.Record{{"time", x}, {"probability", (p.Lower + p.Upper) / 2}, {"lower", p.Lower}, {"upper", p.Upper}})
	}
	return ui.Record{{"starvation_free", ui.OnlyJSON(ui.Record{
		{"mean", (mean.Lower + mean.Upper) / 2}, {"mean_lower", mean.Lower}, {"mean_upper", mean.Upper}, {"longer", times},
	})}}
}

// freeWords says so in words.
func (f *answer) freeWords() string {
	var words []string
	for i, x := range f.free.X {
		words = append(words, fmt.Sprintf("%s with probability %s", ui.ShortText(x, 6), ui.PercentText(f.free.Above[i].Lower)))
	}
	return fmt.Sprintf("once it ends, there is none for %s on average; for more than %s", ui.PlainText(f.free.Mean.Lower), strings.Join(words, ", "))
}
