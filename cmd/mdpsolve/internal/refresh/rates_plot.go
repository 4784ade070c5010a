package refresh

// The picture of refresh rates.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// panels draws rates against change rates, like Figure 2 of Azar et al.: a curve for each
// weight, or, if there are many weights, for each quarter of the pages in order of weight.
func (r *ratesAnswer) panels(given string) []figure.Panel {
	pages := r.problem.Pages
	weights := pages.Weights
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(pages.ChangeRates))
	}
	var order []int // pages that change, by weight, then change rate
	for i, change := range pages.ChangeRates {
		if change > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(weights[i], weights[j]), cmp.Compare(pages.ChangeRates[i], pages.ChangeRates[j]))
	})
	panel := figure.Panel{
		Title: "Best access rates", Given: given,
		X: figure.Axis{Label: "changes " + r.unit.Per()},
		Y: figure.Axis{Label: "accesses " + r.unit.Per(), Zero: true},
	}
	panel.X.Log = isWide(order, pages.ChangeRates)
	for _, group := range byWeight(order, weights) {
		first, last := weights[group[0]], weights[group[len(group)-1]]
		name := "weight " + ui.ShortText(first, 4)
		if last > first {
			name = fmt.Sprintf("weights %s to %s", ui.ShortText(first, 3), ui.ShortText(last, 3))
		}
		slices.SortFunc(group, func(i, j int) int { return cmp.Compare(pages.ChangeRates[i], pages.ChangeRates[j]) })
		const most = 400 // marks
		curve := figure.Curve{Name: name, Kind: figure.Dots}
		for k := range min(len(group), most) {
			i := group[k*(len(group)-1)/max(1, min(len(group), most)-1)] // both ends included
			curve.Points = append(curve.Points, figure.XY{X: pages.ChangeRates[i], Y: r.solution.Rates[i]})
		}
		panel.Curves = append(panel.Curves, curve)
	}
	if len(panel.Curves) == 1 && pages.Weights == nil {
		panel.Curves[0].Name = ""
	}
	return []figure.Panel{panel}
}

// isWide reports whether change rates need a logarithmic axis: whether the greatest exceeds
// their 5% quantile by more than a factor of 100.
func isWide(order []int, changeRates []float64) bool {
	const wide, outside = 100, 20
	sorted := make([]float64, len(order))
	for k, i := range order {
		sorted[k] = changeRates[i]
	}
	slices.Sort(sorted)
	return len(sorted) > 0 && sorted[len(sorted)-1] > wide*sorted[len(sorted)/outside]
}

// byWeight groups pages that are sorted by weight: by weight, or in quarters if there are many
// weights.
func byWeight(order []int, weights []float64) [][]int {
	const few, parts = 6, 4
	var groups [][]int
	begin := 0
	for k := 1; k <= len(order) && len(groups) <= few; k++ {
		if k == len(order) || weights[order[k]] != weights[order[begin]] {
			groups = append(groups, order[begin:k])
			begin = k
		}
	}
	if len(groups) <= few {
		return groups
	}
	groups = nil
	for part := range parts {
		groups = append(groups, order[part*len(order)/parts:(part+1)*len(order)/parts])
	}
	return groups
}
