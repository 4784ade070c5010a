package figure

// Points, such as the states of a model, over one or two variables: their actions, values and
// shares.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Layout lays out points over one variable or two, in a panel for each value of a third.
type Layout struct {
	points int
	x, y   *scale    // y is nil with one variable
	by     *Variable // nil for one panel
	panels []int     // the values of by that have a panel
	fixed  []held
	rest   []string // variables along which points are taken together
}

// held is a variable of which only one value is drawn.
type held struct {
	*Variable
	place int
}

// mostPanels is the greatest number of panels for the values of a variable.
const mostPanels = 12

// NewLayout lays out points by their variables. axes names up to three of them, for x, y and panels,
// and may fix others, as in "queue,robots,phase=2". If it is empty, all that vary are taken, up to
// three; of more than three, those with the most values.
func NewLayout(points int, variables []*Variable, axes string) (*Layout, error) {
	l := &Layout{points: points}
	var named []*Variable
	names := make([]string, len(variables))
	for i, v := range variables {
		names[i] = v.Name
	}
	var words []string
	if axes != "" {
		words = strings.Split(axes, ",")
	}
	for _, word := range words {
		name, value, isFixed := strings.Cut(strings.TrimSpace(word), "=")
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("%s is no variable: use %s", wording.Quote(name), wording.Alternatives(names))
		}
		v := variables[i]
		place := slices.Index(v.Values, value)
		switch {
		case isFixed && place < 0:
			return nil, fmt.Errorf("%s is no value of %s: use one of %s", wording.Quote(value), v.Name, wording.Alternatives(v.Values[:min(len(v.Values), mostPanels)]))
		case isFixed:
			l.fixed = append(l.fixed, held{v, place})
		case slices.Contains(named, v):
			return nil, fmt.Errorf("%s is given twice: give it once", v.Name)
		default:
			named = append(named, v)
		}
	}
	if len(named) > 3 {
		return nil, fmt.Errorf("%d variables are too many: use up to 3, for x, y and panels, and fix others, as in NAME=VALUE", len(named))
	}
	if len(named) == 0 {
		named = l.choose(variables)
	}
	shown := make([]scale, 0, 2)
	for i, v := range named {
		if i == 2 {
			l.by = v
			continue
		}
		shown = append(shown, v.scale())
	}
	l.x = &shown[0]
	if len(shown) > 1 {
		l.y = &shown[1]
	}
	l.panels = []int{0}
	if l.by != nil {
		l.panels = spread(len(l.by.Values))
	}
	for _, v := range variables {
		isFixed := slices.ContainsFunc(l.fixed, func(f held) bool { return f.Variable == v })
		if len(v.Values) > 1 && !isFixed && !slices.Contains(named, v) {
			l.rest = append(l.rest, v.Name)
		}
	}
	return l, nil
}

// choose returns the variables for x, y and panels.
func (l *Layout) choose(variables []*Variable) (chosen []*Variable) {
	for _, v := range variables {
		isFixed := slices.ContainsFunc(l.fixed, func(f held) bool { return f.Variable == v })
		if len(v.Values) > 1 && !isFixed {
			chosen = append(chosen, v)
		}
	}
	if len(chosen) == 0 {
		return variables[:1]
	}
	for len(chosen) > 3 {
		fewest := slices.MinFunc(chosen, fewer)
		chosen = slices.DeleteFunc(chosen, func(v *Variable) bool { return v == fewest })
	}
	if len(chosen) < 3 {
		return chosen
	}
	apart := slices.MinFunc(chosen, fewer)
	if i := slices.IndexFunc(chosen, func(v *Variable) bool { return v.Apart }); i >= 0 {
		apart = chosen[i]
	}
	return append(slices.DeleteFunc(chosen, func(v *Variable) bool { return v == apart }), apart)
}

func fewer(a, b *Variable) int { return len(a.Values) - len(b.Values) }

// spread returns n numbers from 0 or, if they are too many for panels, some of them, evenly, with the
// first and the last.
func spread(n int) []int {
	const few = 6
	count := n
	if n > mostPanels {
		count = few
	}
	all := make([]int, count)
	for i := 1; i < count; i++ {
		all[i] = i * (n - 1) / (count - 1)
	}
	return all
}

// Count returns the number of panels.
func (l *Layout) Count() int { return len(l.panels) }

// isPlane reports whether there are two variables.
func (l *Layout) isPlane() bool { return l.y != nil }

// NoNumber is the value of a point that has none.
var NoNumber = math.NaN()

// Head is what a panel has above its axes.
type Head struct {
	Title, Given string
}

// Together says which variables points are taken together along; "" for none.
func (l *Layout) Together() string {
	var words []string
	for _, f := range l.fixed {
		words = append(words, f.Name+" = "+f.Values[f.place])
	}
	if l.by != nil && len(l.panels) < len(l.by.Values) {
		words = append(words, fmt.Sprintf("%d of %d values of %s", len(l.panels), len(l.by.Values), l.by.Name))
	}
	if l.rest != nil {
		words = append(words, "all "+strings.Join(l.rest, ", ")+" together")
	}
	return strings.Join(words, ", ")
}

// panel returns an empty panel.
func (l *Layout) panel(head Head, i int) Panel {
	p := Panel{Title: head.Title, Given: head.Given, X: l.x.axis()}
	if l.isPlane() {
		p.Y = l.y.axis()
	}
	if l.by != nil {
		p.Part = l.by.Name + " = " + l.by.Values[l.panels[i]]
	}
	return p
}

// each calls use with the panel, the column and the row of each point that is shown.
func (l *Layout) each(use func(point, panel, column, row int)) {
	panelOf := make(map[int]int, len(l.panels))
	for i, value := range l.panels {
		panelOf[value] = i
	}
points:
	for i := range l.points {
		for _, f := range l.fixed {
			if f.At(i) != f.place {
				continue points
			}
		}
		panel, row := 0, 0
		if l.by != nil {
			var is bool
			if panel, is = panelOf[l.by.At(i)]; !is {
				continue
			}
		}
		if l.isPlane() {
			row = l.y.bin(l.y.At(i))
		}
		use(i, panel, l.x.bin(l.x.At(i)), row)
	}
}

// cells returns cells over the variables, all empty.
func (l *Layout) cells(rows scale) *Cells {
	c := &Cells{Left: l.x.low(), Wide: l.x.wide(), Bottom: rows.low(), High: rows.wide(), Of: make([][]int, l.x.bins())}
	for i := range c.Of {
		c.Of[i] = slices.Repeat([]int{-1}, rows.bins())
	}
	return c
}

// table returns a number for each panel, column and row.
func (l *Layout) table(fill float64) [][][]float64 {
	rows := 1
	if l.isPlane() {
		rows = l.y.bins()
	}
	all := make([][][]float64, l.Count())
	for i := range all {
		all[i] = make([][]float64, l.x.bins())
		for k := range all[i] {
			all[i][k] = slices.Repeat([]float64{fill}, rows)
		}
	}
	return all
}

// The values of the function of [Layout.Actions] that are no action.
const (
	NoAction  = -1 - iota // the point is not shown
	OneAction             // there is nothing to decide
)

// Actions draws the action at each point, by its place among names, or [NoAction] or [OneAction]:
// over one variable as rows of actions, over two as regions.
func (l *Layout) Actions(head Head, names []string, at func(point int) int) []Panel {
	actions, used := NewVariable("", len(names), func(i int) string { return names[i] }), make([]int, len(names))
	place := func(point int) int {
		action := at(point)
		if action >= 0 {
			action = actions.At(action)
		}
		return action
	}
	l.each(func(point, _, _, _ int) {
		if action := place(point); action >= 0 {
			used[action]++
		}
	})
	if !l.isPlane() {
		return l.rows(head, actions, place)
	}
	var seen []int // the actions that are used
	for action, n := range used {
		if n > 0 {
			seen = append(seen, action)
		}
	}
	if actions.sizes != nil && len(seen) > mostShades {
		what := cmp.Or(strings.TrimSpace(actions.word), "action")
		return l.levels(head, what, func(i int) float64 {
			if action := place(i); action >= 0 {
				return actions.sizes[action]
			}
			return NoNumber
		}, niceLevels)
	}
	others := len(seen) > mostFills
	if others { // the rarest share a kind
		slices.SortStableFunc(seen, func(a, b int) int { return used[b] - used[a] })
		seen = seen[:mostFills-1]
		slices.Sort(seen)
	}
	var shown []string
	for _, action := range seen {
		shown = append(shown, actions.Values[action])
	}
	if others {
		shown = append(shown, "other actions")
	}
	kinds := fills(shown)
	if actions.sizes != nil {
		kinds = ramp(shown)
	}
	only, many := len(kinds), len(kinds)+1
	kinds = append(kinds, noDecision, several)
	panels, isUsed := make([]Panel, l.Count()), make([]bool, len(kinds))
	for i := range panels {
		panels[i] = l.panel(head, i)
		panels[i].Cells = []*Cells{l.cells(*l.y)}
		panels[i].Cells[0].Kinds, panels[i].Cells[0].Lines = kinds, true
	}
	l.each(func(point, panel, column, row int) {
		kind := place(point)
		switch kind {
		case NoAction:
			return
		case OneAction:
			kind = only
		default:
			if i, is := slices.BinarySearch(seen, kind); is {
				kind = i
			} else {
				kind = len(seen)
			}
		}
		cell := &panels[panel].Cells[0].Of[column][row]
		if *cell >= 0 && *cell != kind {
			kind = many
		}
		*cell, isUsed[kind] = kind, true
	})
	for i := range kinds[only:] {
		if !isUsed[only+i] {
			kinds[only+i].Name = ""
		}
	}
	return panels
}

// mostShades is the greatest number of shades that a picture tells apart.
const mostShades = 10

// rows draws actions over one variable, each in its row. Where points that are taken together have
// several actions, the shade is the share of the points that have each.
func (l *Layout) rows(head Head, actions *Variable, place func(point int) int) []Panel {
	panels, rows := make([]Panel, l.Count()), actions.scale()
	counts, isMixed := make([][]map[int]int, l.Count()), false
	for i := range counts {
		counts[i] = make([]map[int]int, l.x.bins())
	}
	l.each(func(point, panel, column, _ int) {
		if action := place(point); action >= 0 {
			if counts[panel][column] == nil {
				counts[panel][column] = map[int]int{}
			}
			counts[panel][column][action]++
			isMixed = isMixed || len(counts[panel][column]) > 1
		}
	})
	for i := range panels {
		panels[i] = l.panel(head, i)
		panels[i].Y = rows.axis()
		panels[i].Y.Label = "action"
		cells := l.cells(rows)
		panels[i].Cells, cells.Kinds = []*Cells{cells}, []Fill{{ink: tones[4]}}
		if isMixed {
			cells.Title, cells.Kinds, cells.Nested = "share of the states", ramp(probabilityNames), true
			cells.Kinds[0].Name = "" // there is no cell without any
		}
		for column, actions := range counts[i] {
			all := 0
			for _, n := range actions {
				all += n
			}
			for action, n := range actions {
				if cell := &cells.Of[column][rows.bin(action)]; isMixed {
					*cell = levelOf(probabilityLevels, float64(n)/float64(all))
				} else {
					*cell = 0
				}
			}
		}
	}
	return panels
}

// Shares draws numbers from 0 that are added for points that are taken together, such as the share of
// time at each point. text writes one in the legend.
func (l *Layout) Shares(head Head, what string, of func(point int) float64, text func(float64) string) []Panel {
	sums, greatest := l.table(math.NaN()), 0.0
	l.each(func(point, panel, column, row int) {
		sum := &sums[panel][column][row]
		if math.IsNaN(*sum) {
			*sum = 0
		}
		*sum += of(point)
		greatest = max(greatest, *sum)
	})
	panels := make([]Panel, l.Count())
	for i := range panels {
		panels[i] = l.panel(head, i)
		if l.isPlane() {
			panels[i].Cells = []*Cells{l.shares(what, sums[i], greatest, text)}
			continue
		}
		curve := Curve{Kind: Whole}
		for k, sum := range sums[i] {
			if !math.IsNaN(sum[0]) {
				curve.Points = append(curve.Points, XY{X: l.x.low() + (float64(k)+0.5)*l.x.wide(), Y: sum[0]})
			}
		}
		panels[i].Curves, panels[i].Y = []Curve{curve}, Axis{Label: what, Zero: true}
	}
	return panels
}

// shareFills are the colours of shares, from the least up; cells below the least level are white.
// They differ in grey, too, and lines are visible on all of them.
var shareFills = []Fill{{ink: white}, {ink: rgb(0xedf3f8)}, {ink: rgb(0xd9e5f1)}, {ink: rgb(0xc0d4e8)}, {ink: rgb(0xa5c0dc)}, {ink: rgb(0x86a8cc)}}

// shares returns cells with levels of shares: 30%, 10%, 3% and so on down from the greatest.
func (l *Layout) shares(what string, of [][]float64, greatest float64, text func(float64) string) *Cells {
	c := l.cells(*l.y)
	c.Title, c.Nested, c.Kinds = what, true, slices.Clone(shareFills)
	power := math.Pow(10, math.Floor(math.Log10(max(greatest, math.SmallestNonzeroFloat64))))
	var steps []float64 // from the greatest down
	for len(steps) < len(c.Kinds)-1 {
		for _, step := range []float64{3 * power, power} {
			if step <= greatest && len(steps) < len(c.Kinds)-1 || greatest == 0 {
				steps = append(steps, step)
			}
		}
		power /= 10
	}
	for i := 1; i < len(c.Kinds) && greatest > 0; i++ {
		step := steps[len(c.Kinds)-1-i]
		if c.Kinds[i].Name = text(step); step < greatest {
			c.Kinds[i].Name += " and more"
		}
	}
	for i, column := range of {
		for j, x := range column {
			if math.IsNaN(x) {
				continue
			}
			c.Of[i][j] = 0
			for k := range steps {
				if x >= steps[k] {
					c.Of[i][j] = len(c.Kinds) - 1 - k
					break
				}
			}
		}
	}
	return c
}

// Values draws the value at each point: over one variable as a line, with its bounds where they are
// visibly apart; over two as levels, of the mean of points that are taken together.
func (l *Layout) Values(head Head, label string, lower, value, upper func(point int) float64) []Panel {
	if l.isPlane() {
		return l.levels(head, label, value, niceLevels)
	}
	type range_ struct{ least, most, lower, upper float64 }
	none := range_{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	found, infinite := make([][]range_, l.Count()), 0
	for i := range found {
		found[i] = slices.Repeat([]range_{none}, l.x.bins())
	}
	all, apart := none, 0.0
	l.each(func(point, panel, column, _ int) {
		x := value(point)
		switch {
		case math.IsInf(x, 0):
			infinite++
			return
		case math.IsNaN(x):
			return
		}
		r, low, high := &found[panel][column], lower(point), upper(point)
		r.least, r.most = min(r.least, x), max(r.most, x)
		r.lower, r.upper = min(r.lower, low), max(r.upper, high)
		all.least, all.most = min(all.least, x), max(all.most, x)
		apart = max(apart, high-low)
	})
	if infinite > 0 {
		head.Given = strings.TrimPrefix(head.Given+"; infinite in "+wording.Count(infinite, "state"), "; ")
	}
	const visible = 0.004 // of the height
	bounded := !math.IsInf(apart, 0) && apart > visible*(all.most-all.least) && apart > 1e-9*math.Abs(all.most)
	panels := make([]Panel, l.Count())
	for i := range panels {
		panels[i] = l.panel(head, i)
		panels[i].Y = Axis{Label: label}
		kind, most := Line, 60
		if l.x.bins() <= most {
			kind = Whole
		}
		low, high := Curve{Kind: kind, Name: label}, Curve{Kind: kind}
		bottom, top := Curve{Kind: kind, Name: "lower bound", Look: 3}, Curve{Kind: kind, Name: "upper bound", Look: 2}
		split := false
		for k, r := range found[i] {
			if r.least > r.most {
				continue
			}
			x := l.x.low() + (float64(k)+0.5)*l.x.wide()
			low.Points, high.Points = append(low.Points, XY{X: x, Y: r.least}), append(high.Points, XY{X: x, Y: r.most})
			bottom.Points, top.Points = append(bottom.Points, XY{X: x, Y: r.lower}), append(top.Points, XY{X: x, Y: r.upper})
			split = split || r.most > r.least
		}
		switch {
		case bounded:
			panels[i].Curves = []Curve{top, bottom}
			if !split {
				low.Name, low.Look = "value", 1
				panels[i].Curves = []Curve{top, low, bottom}
			}
		case split:
			low.Name, low.Look, high.Name, high.Look = "least", 1, "greatest", 2
			panels[i].Curves = []Curve{high, low}
		default:
			low.Name = ""
			panels[i].Curves = []Curve{low}
		}
		if len(panels) > 1 && all.most > all.least { // the same axis for all
			const room = 0.05
			panels[i].Y.From, panels[i].Y.To = all.least-room*(all.most-all.least), all.most+room*(all.most-all.least)
		}
	}
	return panels
}

// Probabilities draws the probability of something at each point, such as of an action.
func (l *Layout) Probabilities(head Head, what string, of func(point int) float64) []Panel {
	if !l.isPlane() {
		panels := l.Values(head, what, of, of, of)
		for i := range panels {
			panels[i].Y.From, panels[i].Y.To = -0.03, 1.03
		}
		return panels
	}
	return l.levels(head, what, of, func(_, _ float64) ([]float64, []string) { return probabilityLevels, probabilityNames })
}

// The bounds between levels of probabilities, and the names of the levels. Rounding does not keep a
// probability from the first or the last one.
var (
	probabilityLevels = []float64{1e-9, 0.2, 0.4, 0.6, 0.8, 1 - 1e-9}
	probabilityNames  = []string{"0", "up to 20%", "20 to 40%", "40 to 60%", "60 to 80%", "80% and more", "1"}
)

// levelOf returns the level of a number, given the bounds between levels.
func levelOf(bounds []float64, x float64) int {
	at, equal := slices.BinarySearch(bounds, x)
	if equal {
		at++
	}
	return at
}

// levels draws means of numbers over two variables, by levels. NaN stands for no number. split
// returns the bounds between levels, ascending, and the names of the levels.
func (l *Layout) levels(head Head, what string, of func(point int) float64, split func(least, most float64) ([]float64, []string)) []Panel {
	panels := make([]Panel, l.Count())
	sums, means, counts := make([]*Cells, l.Count()), l.table(math.NaN()), l.table(0)
	for i := range panels {
		sums[i] = l.cells(*l.y)
	}
	l.each(func(point, panel, column, row int) {
		x := of(point)
		if math.IsNaN(x) {
			return
		}
		mean, count := &means[panel][column][row], &counts[panel][column][row]
		*count++
		switch {
		case *count == 1:
			*mean = x
		case !math.IsInf(*mean, 0):
			*mean += (x - *mean) / *count
		}
	})
	least, most := math.Inf(1), math.Inf(-1)
	for _, panel := range means {
		for _, column := range panel {
			for _, x := range column {
				if !math.IsNaN(x) && !math.IsInf(x, 0) {
					least, most = min(least, x), max(most, x)
				}
			}
		}
	}
	bounds, names := split(least, most)
	kinds, isInfinite := append(ramp(names), above, below), [2]bool{}
	for i, panel := range means {
		for k, column := range panel {
			for j, x := range column {
				switch {
				case math.IsNaN(x):
				case math.IsInf(x, 1):
					sums[i].Of[k][j], isInfinite[0] = len(names), true
				case math.IsInf(x, -1):
					sums[i].Of[k][j], isInfinite[1] = len(names)+1, true
				default:
					sums[i].Of[k][j] = levelOf(bounds, x)
				}
			}
		}
	}
	for i, is := range isInfinite {
		if !is {
			kinds[len(names)+i].Name = ""
		}
	}
	for i := range panels {
		panels[i] = l.panel(head, i)
		sums[i].Title, sums[i].Kinds, sums[i].Nested = what, kinds, true
		panels[i].Cells = []*Cells{sums[i]}
	}
	return panels
}

// niceLevels returns the bounds between about eight levels, at round numbers, or at powers of ten
// where numbers above 0 differ by more than three of them.
func niceLevels(least, most float64) (bounds []float64, names []string) {
	const count, decadesApart = 10, 1000
	if !(least < most) || most-least <= 1e-9*math.Max(math.Abs(least), math.Abs(most)) {
		if math.IsInf(least, 0) {
			return nil, []string{""}
		}
		return nil, []string{ui.ShortText(least, 5)}
	}
	ticks := niceTicks(Axis{}, least, most, count)
	if least > 0 && most > decadesApart*least {
		ticks = decades(math.Log10(least), math.Log10(most), count)
		for i := range ticks {
			ticks[i].Value = math.Pow(10, ticks[i].Value)
		}
	}
	for _, t := range ticks {
		if t.Value > least {
			bounds = append(bounds, t.Value)
		}
	}
	for i := range len(bounds) + 1 {
		switch {
		case i == 0:
			names = append(names, "below "+ui.ShortText(bounds[0], 5))
		case i == len(bounds):
			names = append(names, ui.ShortText(bounds[i-1], 5)+" and more")
		default:
			names = append(names, ui.ShortText(bounds[i-1], 5)+" to "+ui.ShortText(bounds[i], 5))
		}
	}
	return bounds, names
}
