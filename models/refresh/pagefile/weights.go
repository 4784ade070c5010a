package pagefile

// This file reads weights that stand in a file of their own.

import (
	"context"
)

// Weights are weights by the names of pages.
type Weights struct {
	IDs     IDs
	Weights []float64
}

// ReadWeights reads a list with the columns id (or url) and weight: what [ReadPages]
// takes for weights, 1 for an empty cell. Rows that cannot be used, and all rows of
// an id but the first, are left out: see [Options] and [Report].
func ReadWeights(ctx context.Context, source Source, options Options) (*Weights, *Report, error) {
	needed := weightField
	needed.optional = false
	t, report, err := readTable(ctx, source, options, layout{idField, needed})
	if err != nil {
		return nil, report, err
	}
	return &Weights{t.ids, weightField.fill(t.numbers[0], t.ids.Len())}, report, nil
}

// Give gives the pages of a list their weights; those of others stay as they are. It
// returns the numbers of those in w that are not among the pages.
func (w *Weights) Give(pages *Pages) (unknown []int) {
	pages.Weights = weightField.fill(pages.Weights, pages.Len())
	return NewIndex(&pages.IDs).Match(&w.IDs, func(page, i int) { pages.Weights[page] = w.Weights[i] })
}
