package figure

// Points, such as the states of a model, over one or two variables: their actions, values and
// shares.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
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
	values string    // the word for the values of by
	fixed  []held
	rest   []string // variables not shown: points that differ in these alone are taken together
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
	l := &Layout{points: points, values: "values"}
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
	var free []*Variable // those that vary
	for _, v := range variables {
		if len(v.Values) > 1 && !slices.ContainsFunc(l.fixed, func(f held) bool { return f.Variable == v }) {
			free = append(free, v)
		}
	}
	if len(named) == 0 {
		if named = choose(free); len(named) == 0 {
			named = variables[:1]
		}
	}
	l.panels = []int{0}
	for i, v := range named {
		s := v.scale()
		switch i {
		case 0:
			l.x = &s
		case 1:
			l.y = &s
		default:
			l.by, l.panels = v, spread(len(v.Values))
		}
	}
	for _, v := range free {
		if !slices.Contains(named, v) {
			l.rest = append(l.rest, v.Name)
		}
	}
	return l, nil
}

// choose returns the variables for x, y and panels, of those that vary.
func choose(free []*Variable) []*Variable {
	chosen := slices.Clone(free)
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

// IsPlane reports whether there are two variables.
func (l *Layout) IsPlane() bool { return l.y != nil }

// NoNumber is the value of a point that has none.
var NoNumber = math.NaN()

// Head is what a panel has above its axes.
type Head struct {
	Title, Given string
}

// Merged returns a layout in which successive values of v share a panel if same says that each is like the
// one before it. If v is not the variable that has panels, Merged returns l.
func (l *Layout) Merged(v *Variable, same func(place int) bool) *Layout {
	if v == nil || l.by != v {
		return l
	}
	merged := *l
	merged.by, merged.values = v.merged(same), "ranges"
	merged.panels = spread(len(merged.by.Values))
	return &merged
}

// given returns the parameters, and what the panels do not show: fixed variables, values without a panel,
// and variables taken together.
func (l *Layout) given(parameters string) string {
	var words []string
	for _, f := range l.fixed {
		words = append(words, f.Name+" = "+f.Values[f.place])
	}
	if l.by != nil && len(l.panels) < len(l.by.Values) {
		words = append(words, fmt.Sprintf("%d of %d %s of %s", len(l.panels), len(l.by.Values), l.values, l.by.Name))
	}
	if l.rest != nil {
		words = append(words, "all "+strings.Join(l.rest, ", ")+" together")
	}
	if words == nil {
		return parameters
	}
	return strings.TrimPrefix(parameters+"; "+strings.Join(words, ", "), "; ")
}

// panel returns an empty panel.
func (l *Layout) panel(head Head, i int) Panel {
	p := Panel{Title: head.Title, Given: l.given(head.Given), X: l.x.axis()}
	if l.IsPlane() {
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
		if l.IsPlane() {
			row = l.y.bin(l.y.At(i))
		}
		use(i, panel, l.x.bin(l.x.At(i)), row)
	}
}

// fold returns a number for each panel, column and row: the numbers of its points, combined by join
// one after the other. NaN stands for no number.
func (l *Layout) fold(of func(point int) float64, join func(a, b float64) float64) [][][]float64 {
	rows := 1
	if l.IsPlane() {
		rows = l.y.bins()
	}
	all := make([][][]float64, l.Count())
	for i := range all {
		all[i] = make([][]float64, l.x.bins())
		for k := range all[i] {
			all[i][k] = slices.Repeat([]float64{NoNumber}, rows)
		}
	}
	l.each(func(point, panel, column, row int) {
		at, x := &all[panel][column][row], of(point)
		switch {
		case math.IsNaN(x):
		case math.IsNaN(*at):
			*at = x
		default:
			*at = join(*at, x)
		}
	})
	return all
}

// sum joins by adding. An infinite sum stays the one that it is.
func sum(a, b float64) float64 {
	if math.IsInf(a, 0) {
		return a
	}
	return a + b
}

// means returns the mean of the points of each panel, column and row.
func (l *Layout) means(of func(point int) float64) [][][]float64 {
	all := l.fold(of, sum)
	counts := l.fold(func(i int) float64 {
		if math.IsNaN(of(i)) {
			return NoNumber
		}
		return 1
	}, sum)
	for i, panel := range all {
		for k, column := range panel {
			for j := range column {
				column[j] /= counts[i][k][j]
			}
		}
	}
	return all
}

// finite returns the numbers that are finite, in order.
func finite(numbers [][][]float64) (all []float64) {
	for _, panel := range numbers {
		for _, x := range slices.Concat(panel...) {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				all = append(all, x)
			}
		}
	}
	slices.Sort(all)
	return all
}

// extremes returns the least and the greatest of the numbers that are finite.
func extremes(numbers [][][]float64) (least, most float64) {
	if all := finite(numbers); len(all) > 0 {
		return all[0], all[len(all)-1]
	}
	return math.Inf(1), math.Inf(-1)
}

// filled returns panels with cells like some, whose kinds follow from numbers.
func (l *Layout) filled(head Head, like Cells, numbers [][][]float64, kind func(x float64) int) []Panel {
	panels, used := make([]Panel, l.Count()), make([]bool, len(like.Kinds))
	for i, columns := range numbers {
		cells := like
		cells.Left, cells.Wide, cells.Bottom, cells.High = l.x.low(), l.x.wide(), l.y.low(), l.y.wide()
		cells.Of = make([][]int, len(columns))
		for k, column := range columns {
			for _, x := range column {
				of := -1
				if !math.IsNaN(x) {
					of = kind(x)
					used[of] = true
				}
				cells.Of[k] = append(cells.Of[k], of)
			}
		}
		panels[i] = l.panel(head, i)
		panels[i].Cells = []*Cells{&cells}
	}
	for i := range like.Kinds { // which all panels share
		if k := &like.Kinds[i]; k.rare && !used[i] {
			k.Name = ""
		}
	}
	return panels
}

// The values of the function of [Layout.Actions] that are no action.
const (
	NoAction  = -1 - iota // the point is not shown
	OneAction             // there is nothing to decide
)

// Blend is a decision that is left to chance: its name, and its two likeliest actions by their places among
// the names of actions, the likeliest first.
type Blend struct {
	Name string
	Of   [2]int
}

// Actions draws the action at each point, by its place among names and, after these, blends, or [NoAction] or
// [OneAction]: over one variable as rows of actions, over two as regions. If there are few names, each has
// its own colour, whichever of them occur. A blend has the colours of its two actions.
func (l *Layout) Actions(head Head, names []string, at func(point int) int, blends ...Blend) []Panel {
	if !l.IsPlane() {
		names = slices.Clip(names)
		for _, b := range blends {
			names = append(names, b.Name)
		}
	}
	actions := NewVariable("action", len(names), func(i int) string { return names[i] })
	first := len(actions.Values) // of the blends
	place := func(point int) int {
		action := at(point)
		if action >= len(names) {
			action += first - len(names)
		} else if action >= 0 {
			action = actions.At(action)
		}
		return action
	}
	if !l.IsPlane() {
		return l.rows(head, actions, place)
	}
	used := make([]int, first+len(blends))
	l.each(func(point, _, _, _ int) {
		if action := place(point); action >= 0 {
			used[action]++
		}
	})
	var seen []int // the actions and blends that are used
	shades := 0    // the actions among them
	for action, n := range used {
		if n > 0 {
			seen = append(seen, action)
			if action < first {
				shades++
			}
		}
	}
	if actions.sizes != nil && shades > mostShades {
		return l.levels(head, cmp.Or(strings.TrimSpace(actions.word), "action"), l.means(func(i int) float64 {
			action := place(i)
			if action >= first {
				action = actions.At(blends[action-first].Of[0])
			}
			if action < 0 {
				return NoNumber
			}
			return actions.sizes[action]
		}), niceLevels)
	}
	others := len(seen) > mostFills
	if others { // the rarest share a kind
		slices.SortStableFunc(seen, func(a, b int) int { return used[b] - used[a] })
		seen = seen[:mostFills-1]
		slices.Sort(seen)
	}
	all := actions.fills(seen, blends)
	var kinds []Fill
	for _, action := range seen {
		kinds = append(kinds, all[action])
	}
	if others {
		kinds = append(kinds, Fill{Name: "other actions", ink: several.ink})
	}
	only, many := len(kinds), len(kinds)+1
	kinds = append(kinds, noDecision, several)
	kind := func(point int) float64 {
		switch action := place(point); action {
		case NoAction:
			return NoNumber
		case OneAction:
			return float64(only)
		default:
			if i, is := slices.BinarySearch(seen, action); is {
				return float64(i)
			}
			return float64(len(seen))
		}
	}
	title := ""
	if actions.numbers != nil {
		title = "action"
	}
	return l.filled(head, Cells{Title: title, Kinds: kinds, Lines: true}, l.fold(kind, func(a, b float64) float64 {
		if a == b {
			return a
		}
		return float64(many)
	}), func(x float64) int { return int(x) })
}

// fills returns the kinds of actions, which are the values of v, and of blends after them. If there are more
// actions than colours, only those that are seen have one.
func (v *Variable) fills(seen []int, blends []Blend) []Fill {
	n, most, colours := len(v.Values), len(tones), fills
	if v.sizes != nil {
		most, colours = mostShades, ramp
	}
	var coloured []int
	for action := range n {
		isSeen := slices.ContainsFunc(seen, func(s int) bool {
			return s == action || s >= n && (v.At(blends[s-n].Of[0]) == action || v.At(blends[s-n].Of[1]) == action)
		})
		if n <= most || isSeen {
			coloured = append(coloured, action)
		}
	}
	names := make([]string, len(coloured))
	for i, action := range coloured {
		names[i] = v.Values[action]
	}
	all := make([]Fill, n+len(blends))
	for i, fill := range colours(names) {
		all[coloured[i]] = fill
	}
	for i, b := range blends {
		all[n+i] = Fill{Name: b.Name, ink: all[v.At(b.Of[0])].ink, hatch: rising, stripes: all[v.At(b.Of[1])].ink}
	}
	return all
}

// mostShades is the greatest number of shades that a picture tells apart.
const mostShades = 10

// rows draws actions over one variable, each in its row. Where points that are taken together have
// several actions, the shade is the share of the points that have each.
func (l *Layout) rows(head Head, actions *Variable, place func(point int) int) []Panel {
	plane, rows := *l, *actions
	rows.At = func(i int) int { return max(0, place(i)) }
	vertical := rows.scale()
	plane.y = &vertical
	shares, isMixed := plane.fold(func(i int) float64 {
		if place(i) < 0 {
			return NoNumber
		}
		return 1
	}, sum), false
	for _, panel := range shares {
		for _, column := range panel {
			all := 0.0
			for _, n := range column {
				if !math.IsNaN(n) {
					all += n
				}
			}
			for row := range column {
				column[row] /= all
				isMixed = isMixed || column[row] < 1
			}
		}
	}
	if !isMixed {
		return plane.filled(head, Cells{Kinds: []Fill{{ink: tones[4]}}}, shares, func(float64) int { return 0 })
	}
	cells := Cells{Title: "share of the states", Kinds: ramp(probabilityNames), Nested: true}
	cells.Kinds[0].Name = "" // there is no cell without any
	return plane.filled(head, cells, shares, func(x float64) int { return levelOf(probabilityLevels, x) })
}

// curve returns a curve like another through the numbers of a panel.
func (l *Layout) curve(like Curve, numbers [][]float64) Curve {
	for k, column := range numbers {
		if y := column[0]; !math.IsNaN(y) {
			like.Points = append(like.Points, XY{X: l.x.low() + (float64(k)+0.5)*l.x.wide(), Y: y})
		}
	}
	return like
}

// Shares draws numbers of 0 or more, such as the share of time at each point. For points that are taken
// together, it draws their sum. text writes a number in the legend.
func (l *Layout) Shares(head Head, what string, of func(point int) float64, text func(float64) string) []Panel {
	sums := l.fold(of, sum)
	if l.IsPlane() {
		return l.levels(head, what, sums, func(all []float64) ([]float64, []Fill) { return shareLevels(all, text) })
	}
	panels := make([]Panel, l.Count())
	for i := range panels {
		panels[i] = l.panel(head, i)
		panels[i].Curves, panels[i].Y = []Curve{l.curve(Curve{Kind: Whole}, sums[i])}, Axis{Label: what, Zero: true}
	}
	return panels
}

// shareFills are the colours of shares, from the least up; cells below the least level are white.
// They differ in grey, too, and lines are visible on all of them.
var shareFills = []Fill{{ink: white}, {ink: rgb(0xedf3f8)}, {ink: rgb(0xd9e5f1)}, {ink: rgb(0xc0d4e8)}, {ink: rgb(0xa5c0dc)}, {ink: rgb(0x86a8cc)}}

// shareLevels returns the bounds between levels of shares, and their kinds: 30%, 10%, 3% and so on down
// from the greatest.
func shareLevels(all []float64, text func(float64) string) (bounds []float64, kinds []Fill) {
	kinds = slices.Clone(shareFills)
	if len(all) == 0 || all[len(all)-1] <= 0 {
		return nil, kinds
	}
	greatest := all[len(all)-1]
	for power := math.Pow(10, math.Floor(math.Log10(greatest))); len(bounds) < len(kinds)-1; power /= 10 {
		for _, step := range []float64{3 * power, power} {
			if step <= greatest && len(bounds) < len(kinds)-1 {
				bounds = append(bounds, step)
			}
		}
	}
	slices.Reverse(bounds)
	for i, step := range bounds {
		if kinds[i+1].Name = text(step); step < greatest {
			kinds[i+1].Name += " and more"
		}
	}
	return bounds, kinds
}

// Values draws the value at each point: over one variable as a line, with its bounds where they are
// visibly apart; over two as levels, of the mean of points that are taken together.
func (l *Layout) Values(head Head, label string, lower, value, upper func(point int) float64) []Panel {
	if l.IsPlane() {
		return l.levels(head, label, l.means(value), niceLevels)
	}
	infinite, apart := 0, 0.0 // states, and the most that bounds are apart
	ofFinite := func(of func(point int) float64) func(i int) float64 {
		return func(i int) float64 {
			if math.IsInf(value(i), 0) {
				return NoNumber
			}
			return of(i)
		}
	}
	l.each(func(i, _, _, _ int) {
		switch x := value(i); {
		case math.IsInf(x, 0):
			infinite++
		case !math.IsNaN(x):
			apart = max(apart, upper(i)-lower(i))
		}
	})
	if infinite > 0 {
		head.Given = strings.TrimPrefix(head.Given+"; infinite in "+wording.Count(infinite, "state"), "; ")
	}
	low, high := l.fold(ofFinite(value), math.Min), l.fold(ofFinite(value), math.Max)
	bottom, top := l.fold(ofFinite(lower), math.Min), l.fold(ofFinite(upper), math.Max)
	least, _ := extremes(low)
	_, most := extremes(high)
	const visible = 0.004 // of the height
	isBounded := !math.IsInf(apart, 0) && apart > visible*(most-least) && apart > 1e-9*math.Abs(most)
	isSplit := !slices.EqualFunc(low, high, func(a, b [][]float64) bool {
		return slices.EqualFunc(a, b, func(x, y []float64) bool { return y[0]-x[0] <= visible*(most-least) || math.IsNaN(x[0]) })
	})
	kind, many := Line, 60
	if l.x.bins() <= many {
		kind = Whole
	}
	panels := make([]Panel, l.Count())
	for i := range panels {
		panels[i] = l.panel(head, i)
		panels[i].Y = Axis{Label: label}
		add := func(name string, look int, numbers [][][]float64) {
			panels[i].Curves = append(panels[i].Curves, l.curve(Curve{Kind: kind, Name: name, Look: look}, numbers[i]))
		}
		switch {
		case isBounded:
			add("upper bound", 2, top)
			if !isSplit {
				add("value", 1, low)
			}
			add("lower bound", 3, bottom)
		case isSplit:
			add("greatest", 2, high)
			add("least", 1, low)
		default:
			add("", 1, low)
		}
		if len(panels) > 1 && most > least { // the same axis for all
			const room = 0.05
			panels[i].Y.From, panels[i].Y.To = least-room*(most-least), most+room*(most-least)
		}
	}
	return panels
}

// The bounds between levels of probabilities, and the names of the levels. Rounding does not keep a
// probability from the first or the last one.
var (
	probabilityLevels = []float64{1e-9, 0.2, 0.4, 0.6, 0.8, 1 - 1e-9}
	probabilityNames  = []string{"0", "up to 20%", "20 to 40%", "40 to 60%", "60 to 80%", "80% and more", "100%"}
)

// levelOf returns the level of a number, given the bounds between levels.
func levelOf(bounds []float64, x float64) int {
	at, equal := slices.BinarySearch(bounds, x)
	if equal {
		at++
	}
	return at
}

// levels draws numbers over two variables by levels. split returns the bounds between levels, ascending,
// and their kinds, for the numbers that are finite, in order.
func (l *Layout) levels(head Head, what string, numbers [][][]float64, split func(all []float64) ([]float64, []Fill)) []Panel {
	bounds, kinds := split(finite(numbers))
	return l.filled(head, Cells{Title: what, Kinds: append(kinds, above, below), Nested: true}, numbers, func(x float64) int {
		switch {
		case math.IsInf(x, 1):
			return len(kinds)
		case math.IsInf(x, -1):
			return len(kinds) + 1
		}
		return levelOf(bounds, x)
	})
}

// niceLevels returns the bounds between about eight levels: round numbers or, if all numbers are above 0 and
// the greatest is more than 1000 times the least, powers of ten. If one of these levels had more than half of
// the numbers, levels with about as many numbers each take their place.
func niceLevels(all []float64) (bounds []float64, kinds []Fill) {
	const count, decadesApart = 10, 1000
	if len(all) == 0 {
		return nil, ramp([]string{""})
	}
	least, most := all[0], all[len(all)-1]
	if most-least <= 1e-9*math.Max(math.Abs(least), math.Abs(most)) {
		return nil, ramp([]string{ui.ShortText(least, 5)})
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
	inLevel := make([]int, len(bounds)+1)
	for _, x := range all {
		inLevel[levelOf(bounds, x)]++
	}
	const few = 3
	if even := evenLevels(all); slices.Max(inLevel) > len(all)/2 && len(even) >= few {
		bounds = even
	}
	var names []string
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
	return bounds, ramp(names)
}

// evenLevels returns the bounds between levels with about as many numbers each, with as few digits as
// tell them apart.
func evenLevels(all []float64) (bounds []float64) {
	const count, leastDigits, mostDigits = 8, 2, 6
	for digits := leastDigits; digits <= mostDigits; digits++ {
		bounds = nil
		for i := 1; i < count; i++ {
			x, err := strconv.ParseFloat(strconv.FormatFloat(all[i*len(all)/count], 'g', digits, 64), 64)
			must(err)
			if x > all[0] && x < all[len(all)-1] && !slices.Contains(bounds, x) {
				bounds = append(bounds, x)
			}
		}
		if len(bounds) == count-1 {
			break
		}
	}
	return bounds
}
