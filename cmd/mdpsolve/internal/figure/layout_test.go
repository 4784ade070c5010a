package figure

// What is drawn of points over their variables.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// cube returns points with three variables, of 7, 5 and 3 values, in random order.
func cube(t *testing.T) (n int, at [][3]int, variables []*Variable) {
	t.Helper()
	const seed = 7
	random := rand.New(rand.NewPCG(seed, 0))
	n = 7 * 5 * 3
	for _, i := range random.Perm(n) {
		at = append(at, [3]int{i / 15, i / 3 % 5, i % 3})
	}
	for k, name := range []string{"a", "b", "c"} {
		variables = append(variables, NewVariable(name, n, func(i int) string { return fmt.Sprint(2*at[i][k] - 4) }))
	}
	return n, at, variables
}

func TestVariablesAreInOrder(t *testing.T) {
	for _, test := range []struct{ given, want []string }{
		{[]string{"10", "9", "-1", "9"}, []string{"-1", "9", "10"}},
		{[]string{"true", "false"}, []string{"false", "true"}},
		{[]string{"order 10", "order 9", "order 0"}, []string{"order 0", "order 9", "order 10"}},
		{[]string{"b", "a", "b", "c"}, []string{"b", "a", "c"}},
		{[]string{"x1", "y0"}, []string{"x1", "y0"}},
		{[]string{"0.5", "0.25"}, []string{"0.25", "0.5"}},
	} {
		v := NewVariable("v", len(test.given), func(i int) string { return test.given[i] })
		assert.Equal(t, test.want, v.Values)
		for i, text := range test.given {
			assert.Equal(t, text, v.Values[v.At(i)])
		}
	}
}

// Evenly spaced numbers have places by their size, and others one after the other. Many share cells.
func TestScales(t *testing.T) {
	scaleOf := func(values ...string) scale {
		return NewVariable("v", len(values), func(i int) string { return values[i] }).scale()
	}
	even := scaleOf("2", "4", "8")
	assert.Equal(t, []int{0, 1, 3}, []int{even.bin(0), even.bin(1), even.bin(2)})
	assert.Equal(t, Axis{Label: "v", From: 1, To: 9, Whole: true}, even.axis())
	assert.Equal(t, []string{"1", "2", "1000"}, scaleOf("1", "2", "1000").axis().Names)
	assert.Equal(t, []string{"red", "a long name f…"}, append(scaleOf("red").axis().Names, scaleOf("x", "a long name for a state").axis().Names[1]))
	many := NewCount("v", 0, 3*mostBins+1, nil).scale()
	assert.Equal(t, 4, many.per)
	assert.Equal(t, 0, many.bin(3))
	assert.Equal(t, 1, many.bin(4))
	assert.Equal(t, many.bins()-1, many.bin(3*mostBins))
}

func TestLayoutsChooseAxes(t *testing.T) {
	n, _, variables := cube(t)
	for axes, want := range map[string]struct {
		x, y, by string
		panels   int
		together string
	}{
		"":       {"a", "b", "c", 3, ""},
		"c,a":    {"c", "a", "", 1, "all b together"},
		"b":      {"b", "", "", 1, "all a, c together"},
		"c,b,a":  {"c", "b", "a", 7, ""},
		"c=0":    {"a", "b", "", 1, "c = 0"},
		"b,c=-2": {"b", "", "", 1, "c = -2, all a together"},
		"a, b,c": {"a", "b", "c", 3, ""},
	} {
		l, err := NewLayout(n, variables, axes)
		require.NoError(t, err, axes)
		found := want
		found.x, found.y, found.by, found.panels, found.together = l.x.Name, "", "", l.Count(), l.given("")
		if l.y != nil {
			found.y = l.y.Name
		}
		if l.by != nil {
			found.by = l.by.Name
		}
		assert.Equal(t, want, found, axes)
	}
	for axes, fault := range map[string]string{
		"z":         `"z" is no variable: use a, b or c`,
		"c=7":       `"7" is no value of c: use one of -4, -2 or 0`,
		"a,a":       "a is given twice",
		"a,b,c,a=0": "",
	} {
		_, err := NewLayout(n, variables, axes)
		if fault == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, fault)
	}
	steps := NewCount("step", 1, 100, func(i int) int { return i / n })
	steps.Apart = true
	l, err := NewLayout(100*n, []*Variable{steps, NewCount("a", 0, n, func(i int) int { return i % n }), NewCount("b", 0, 2, func(i int) int { return i % 2 })}, "")
	require.NoError(t, err)
	assert.Equal(t, []int{0, 19, 39, 59, 79, 99}, l.panels)
	assert.Equal(t, "6 of 100 values of step", l.given(""))
}

// Each cell has the action of its only point, or says that its points have several.
func TestActionsOfCells(t *testing.T) {
	n, at, variables := cube(t)
	names := []string{"wait", "go", "stop"}
	action := func(i int) int {
		p := at[i]
		switch {
		case p == [3]int{0, 0, 0}:
			return NoAction
		case p[0] == 6:
			return OneAction
		}
		return (p[0]*p[1] + p[2]/2) % 3
	}
	l, err := NewLayout(n, variables, "")
	require.NoError(t, err)
	for i, p := range at {
		want := action(i)
		if want == OneAction {
			want = len(names)
		}
		assert.Equal(t, want, l.Actions(Head{}, names, action)[p[2]].Cells[0].Of[p[0]][p[1]])
	}
	l, err = NewLayout(n, variables, "b,c")
	require.NoError(t, err)
	cells := l.Actions(Head{}, names, action)[0].Cells[0]
	for b := range 5 {
		for c := range 3 {
			seen := map[int]bool{}
			for i, p := range at {
				if p[1] == b && p[2] == c && action(i) != NoAction {
					seen[action(i)] = true
				}
			}
			assert.Equal(t, len(seen) > 1, cells.Of[b][c] == len(names)+1, "%d %d", b, c)
		}
	}
	l, err = NewLayout(n, variables, "b,a=-4,c=-4") // one variable: a row for each action
	require.NoError(t, err)
	panel := l.Actions(Head{}, names, action)[0]
	assert.Equal(t, names, panel.Y.Names)
	for i, p := range at {
		if p[0] == 0 && p[2] == 0 {
			for row := range names {
				assert.Equal(t, row == action(i), panel.Cells[0].Of[p[1]][row] == 0)
			}
		}
	}
}

// Actions beyond the number of fills share one, the rarest of them; numbered ones are levels.
func TestManyActions(t *testing.T) {
	const n = 50 * 50
	variables := []*Variable{NewCount("x", 0, 50, func(i int) int { return i / 50 }), NewCount("y", 0, 50, func(i int) int { return i % 50 })}
	l, err := NewLayout(n, variables, "")
	require.NoError(t, err)
	names, numbers := make([]string, 40), make([]string, 40)
	for i := range names {
		names[i], numbers[i] = string(rune('A'+i%26))+string(rune('a'+i/26)), fmt.Sprintf("order %d", i)
	}
	at := func(i int) int { return min(i/50, 39) }
	cells := l.Actions(Head{}, names, at)[0].Cells[0]
	assert.Equal(t, "other actions", cells.Kinds[mostFills-1].Name)
	kinds := map[int]bool{}
	for x := range 50 {
		kinds[cells.Of[x][0]] = true
	}
	assert.Len(t, kinds, mostFills)
	assert.NotEqual(t, mostFills-1, cells.Of[45][0], "the most frequent one has a kind of its own")
	cells = l.Actions(Head{}, numbers, at)[0].Cells[0]
	assert.Equal(t, "order", cells.Title)
	assert.Equal(t, []string{"below 5", "5 to 10", "10 to 15", "15 to 20", "20 to 25", "25 to 30", "30 to 35", "35 and more"}, namesOf(cells.Kinds[:8]))
	assert.Equal(t, []int{0, 1, 7}, []int{cells.Of[4][0], cells.Of[5][0], cells.Of[49][0]})
}

func namesOf(kinds []Fill) (names []string) {
	for _, k := range kinds {
		names = append(names, k.Name)
	}
	return names
}

// The level of a cell is that of the mean of its points; infinite ones have kinds of their own.
func TestValuesOfCells(t *testing.T) {
	n, at, variables := cube(t)
	value := func(i int) float64 {
		switch p := at[i]; {
		case p[0] == 0 && p[1] == 0:
			return math.Inf(1)
		case p[0] == 1 && p[1] == 0:
			return NoNumber
		default:
			return float64(10*p[0] + p[1] + 100*p[2])
		}
	}
	l, err := NewLayout(n, variables, "a,b")
	require.NoError(t, err)
	cells := l.Values(Head{}, "cost", value, value, value)[0].Cells[0]
	bounds, kinds := niceLevels([]float64{101, 164}) // the means are those of c = 1
	require.Len(t, kinds, len(bounds)+1)
	for a := range 7 {
		for b := range 5 {
			switch kind := cells.Of[a][b]; {
			case a == 0 && b == 0:
				assert.Equal(t, "∞", cells.Kinds[kind].Name)
			case a == 1 && b == 0:
				assert.Equal(t, -1, kind)
			default:
				x := float64(100 + 10*a + b)
				assert.True(t, (kind == 0 || x >= bounds[kind-1]) && (kind == len(bounds) || x < bounds[kind]), "%v in %q", x, cells.Kinds[kind].Name)
			}
		}
	}
	shares := l.Shares(Head{}, "time", func(i int) float64 { return float64(1+at[i][0]) / 420 }, ui.PercentText)[0].Cells[0]
	for a := range 7 { // 3 points of (1+a)/420: 0.7% … 5%
		want := map[bool]string{true: "3% and more", false: "1% and more"}[float64(1+a)/140 >= 0.03]
		if a == 0 {
			want = "0.3% and more"
		}
		assert.Equal(t, want, shares.Kinds[shares.Of[a][0]].Name)
	}
	certain := l.Shares(Head{}, "probability", func(int) float64 { return 1. / 3 }, ui.PercentText)[0].Cells[0] // 3 points
	assert.Equal(t, "100%", certain.Kinds[certain.Of[0][0]].Name, "there is no more")
}

// Where nearly all numbers are close together, levels have about as many of them, so that a map shows
// where they differ.
func TestLevelsOfCrowdedNumbers(t *testing.T) {
	var all []float64
	for i := range 1000 {
		all = append(all, 1000-500/float64(1000-i))
	}
	slices.Sort(all)
	bounds, kinds := niceLevels(all)
	require.Len(t, kinds, len(bounds)+1)
	assert.True(t, slices.IsSorted(bounds))
	count := make([]int, len(kinds))
	for _, x := range all {
		count[levelOf(bounds, x)]++
	}
	assert.Len(t, count, 8)
	assert.Less(t, slices.Max(count), 2*len(all)/len(count), "%v", bounds)
	even, _ := niceLevels([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, even, "round numbers")
	few, _ := niceLevels([]float64{0, 0, 0, 0, 1})
	assert.NotEmpty(t, few, "two values")
	none, kinds := niceLevels(nil)
	assert.Empty(t, none)
	assert.Len(t, kinds, 1)
}

// Over one variable, bounds are drawn where they are visible, and points that are taken together lie
// between two curves.
func TestValuesOverOneVariable(t *testing.T) {
	n, at, variables := cube(t)
	l, err := NewLayout(n, variables, "a,b=0,c=0")
	require.NoError(t, err)
	value := func(i int) float64 { return float64(at[i][0] * at[i][0]) }
	off := func(by float64) func(i int) float64 { return func(i int) float64 { return value(i) + by } }
	panel := l.Values(Head{}, "cost", off(-1e-9), value, off(1e-9))[0]
	require.Len(t, panel.Curves, 1)
	for k, p := range panel.Curves[0].Points {
		assert.Equal(t, XY{X: float64(2*k - 4), Y: float64(k * k)}, p)
	}
	var names []string
	for _, c := range l.Values(Head{}, "cost", off(-1), value, off(1))[0].Curves {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"upper bound", "value", "lower bound"}, names)
	l, err = NewLayout(n, variables, "b")
	require.NoError(t, err)
	panel = l.Values(Head{}, "cost", value, value, value)[0]
	require.Len(t, panel.Curves, 2)
	for i, extreme := range []float64{36, 0} {
		assert.False(t, slices.ContainsFunc(panel.Curves[i].Points, func(p XY) bool { return p.Y != extreme }))
	}
}

// Lines run between cells of different kinds, each edge once, and each line is straight.
func TestLinesBetweenCells(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for range 50 {
		c := &Cells{Of: make([][]int, 6)}
		for i := range c.Of {
			for range 5 {
				c.Of[i] = append(c.Of[i], random.IntN(4)-1)
			}
		}
		want, drawn := map[[2]corner]bool{}, map[[2]corner]bool{}
		for i := range 6 {
			for j := range 5 {
				a := c.Of[i][j]
				if i < 5 && a >= 0 && c.Of[i+1][j] >= 0 && a != c.Of[i+1][j] {
					want[[2]corner{{i + 1, j}, {i + 1, j + 1}}] = true
				}
				if j < 4 && a >= 0 && c.Of[i][j+1] >= 0 && a != c.Of[i][j+1] {
					want[[2]corner{{i, j + 1}, {i + 1, j + 1}}] = true
				}
			}
		}
		starts := map[[2]corner]bool{} // edges with which lines begin
		for _, line := range c.lines() {
			step := corner{min(1, line[1].x-line[0].x), min(1, line[1].y-line[0].y)}
			require.Equal(t, 1, step.x+step.y)
			for at := line[0]; at != line[1]; {
				next := corner{at.x + step.x, at.y + step.y}
				edge := [2]corner{at, next}
				assert.False(t, drawn[edge])
				drawn[edge], starts[edge] = true, at == line[0]
				at = next
			}
		}
		assert.Equal(t, want, drawn)
		for edge, isStart := range starts {
			before := [2]corner{{2*edge[0].x - edge[1].x, 2*edge[0].y - edge[1].y}, edge[0]}
			assert.False(t, isStart && drawn[before], "a line goes on as far as it can")
		}
	}
}

// Values of states that are drawn together have two lines where these would be apart, and one where not.
func TestValuesTogether(t *testing.T) {
	const n = 100_000
	for spread, names := range map[float64][]string{0: {""}, 30_000: {"greatest", "least"}} {
		l, err := NewLayout(n, []*Variable{NewCount("state", 0, n, func(i int) int { return i })}, "")
		require.NoError(t, err)
		value := func(i int) float64 { return float64(i) + spread*float64(i%2) }
		panel := l.Values(Head{}, "cost", value, value, value)[0]
		require.Len(t, panel.Curves, len(names))
		for i, c := range panel.Curves {
			assert.Equal(t, names[i], c.Name)
			assert.Len(t, c.Points, mostBins)
		}
	}
}

// Values in a row that show the same have one panel.
func TestMergedPanels(t *testing.T) {
	step := NewCount("step", 1, 30, func(i int) int { return i / 4 })
	step.Apart = true
	l, err := NewLayout(120, []*Variable{step, NewCount("x", 0, 2, func(i int) int { return i % 2 }), NewCount("y", 0, 2, func(i int) int { return i / 2 % 2 })}, "")
	require.NoError(t, err)
	action := func(step int) int { return min(2, max(0, step-27)) } // step counts from 0
	merged := l.Merged(step, func(step int) bool { return action(step) == action(step-1) })
	parts := func(l *Layout) (parts []string) {
		for _, p := range l.Actions(Head{Title: "A", Given: "K = 5"}, []string{"wait", "go", "stop"}, func(i int) int { return action(i / 4) }) {
			kind := p.Cells[0].Of[0][0]
			parts = append(parts, p.Part+": "+p.Cells[0].Kinds[kind].Name+"; "+p.Given)
		}
		return parts
	}
	assert.Equal(t, []string{"step = 1 to 28: wait; K = 5", "step = 29: go; K = 5", "step = 30: stop; K = 5"}, parts(merged))
	assert.Equal(t, "step = 1: wait; K = 5; 6 of 30 values of step", parts(l)[0])
	assert.Same(t, l, l.Merged(nil, nil), "no panels for steps")
}

// A few actions have the same colours whichever are drawn, numbered ones too; a decision left to chance has
// those of its actions, the likelier one below.
func TestColoursOfActions(t *testing.T) {
	l, err := NewLayout(4, []*Variable{NewCount("x", 0, 2, func(i int) int { return i % 2 }), NewCount("y", 0, 2, func(i int) int { return i / 2 })}, "")
	require.NoError(t, err)
	for _, names := range [][]string{{"wait", "go", "stop"}, {"0", "1", "2"}} {
		fill := func(at []int, blends ...Blend) map[string]Fill {
			byName := map[string]Fill{}
			for _, k := range l.Actions(Head{}, names, func(i int) int { return at[i] }, blends...)[0].Cells[0].Kinds {
				byName[k.Name] = k
			}
			return byName
		}
		all, two := fill([]int{0, 1, 2, 2}), fill([]int{1, 1, 2, 2})
		mixed := fill([]int{1, 3, 3, 1}, Blend{"mostly 2", [2]int{2, 0}})
		for _, i := range []int{1, 2} {
			assert.Equal(t, all[names[i]], two[names[i]])
		}
		assert.NotContains(t, two, names[0], "an action that is not there is not in the legend")
		assert.Equal(t, all[names[1]], mixed[names[1]])
		assert.Equal(t, Fill{Name: "mostly 2", ink: all[names[2]].ink, hatch: rising, stripes: all[names[0]].ink}, mixed["mostly 2"])
	}
}
