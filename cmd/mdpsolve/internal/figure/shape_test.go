package figure

// How panels share a picture.

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Side by side, panels have their common parameters once, values of a variable stay on one line, and
// axes begin at one height whatever the legends.
func TestPanelsSideBySide(t *testing.T) {
	panel := func(part string, names ...string) Panel {
		p := Panel{Title: "When a robot delivers: send it out again?", Part: part, Given: "N = 16", X: Axis{Label: "r"}, Y: Axis{Label: "q"}}
		for i, name := range names {
			p.Curves = append(p.Curves, Curve{Name: name, Points: []XY{{X: 0, Y: float64(i)}, {X: 1, Y: 2}}})
		}
		return p
	}
	for _, width := range []vg.Length{16, 18, 20, 22, 25} {
		panels := []Panel{panel("phase = 1", "a"), panel("phase = 2", "a", "b", "c", "d"), {Title: "Share", Given: "N = 16", X: Axis{Label: "r"}}}
		given, below := 0, []vg.Length(nil)
		joined := ""
		for _, text := range textsIn(t, width*vg.Centimeter, 14*vg.Centimeter, panels, 3) {
			joined += text.words + "\n"
			switch text.words {
			case "N = 16":
				given++
			case "r":
				below = append(below, text.box.Min.Y)
			}
		}
		assert.Equal(t, 1, given)
		assert.Contains(t, joined, "phase = 1")
		assert.Contains(t, joined, "phase = 2")
		assert.Len(t, below, 3)
		for _, y := range below {
			assert.InDelta(t, float64(below[0]), float64(y), 1e-6, "width %v", width)
		}
	}
}

// Subjects of several panels each fill the width, however many columns there may be.
func TestSubjectsFillTheWidth(t *testing.T) {
	var panels []Panel
	for _, title := range []string{"Policy", "Value"} {
		for _, part := range []string{"phase = 1", "phase = 2"} {
			panels = append(panels, Panel{Title: title, Part: part, X: Axis{Label: "r"}, Y: Axis{Label: "q"}})
		}
	}
	const width = 25 * vg.Centimeter
	for _, columns := range []int{2, 4} {
		beside := 0
		for _, text := range textsIn(t, width, 14*vg.Centimeter, panels, columns) {
			if text.words == "phase = 2" {
				beside++
				assert.InDelta(t, float64(width/2), float64(text.box.Min.X), float64(between))
			}
		}
		assert.Equal(t, 2, beside)
	}
	wide, high := shape{columns: mostColumns, sizes: []int{2, 2}}.size(4)
	assert.Equal(t, [2]vg.Length{16 * vg.Centimeter, 12.5 * vg.Centimeter}, [2]vg.Length{wide, high})
}

// Blocks of a row go into the first row with room; those of several rows have them for themselves.
func TestPack(t *testing.T) {
	for _, test := range []struct {
		sizes   []int
		columns int
		spots   []spot
		used    []int
	}{
		{[]int{1, 1, 1}, 2, []spot{{0, 0, 1, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}}, []int{2, 1}},
		{[]int{1, 3, 1}, 3, []spot{{0, 0, 1, 1}, {1, 0, 1, 3}, {0, 1, 1, 1}}, []int{2, 3}},
		{[]int{1, 3, 1}, 5, []spot{{0, 0, 1, 1}, {0, 1, 1, 3}, {0, 4, 1, 1}}, []int{5}},
		{[]int{5, 1, 1}, 3, []spot{{0, 0, 2, 3}, {2, 0, 1, 1}, {2, 1, 1, 1}}, []int{3, 2, 2}},
	} {
		spots, used := pack(test.sizes, test.columns)
		assert.Equal(t, test.spots, spots, "%v", test.sizes)
		assert.Equal(t, test.used, used, "%v", test.sizes)
	}
}

// Without --panels, a picture of a given size has the columns in which axes are largest.
func TestColumnsOfASlide(t *testing.T) {
	slides := shape{width: 25.4 * vg.Centimeter, height: 25.4 * 9 / 16 * vg.Centimeter, zoom: 1.5}
	for panels, columns := range map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 3, 6: 3} {
		assert.Equal(t, columns, slides.roomiest(panels), "%d panels", panels)
	}
	assert.Equal(t, 1, shape{width: 8.5 * vg.Centimeter}.roomiest(3), "a column of a paper is as high as it needs")
	assert.Zero(t, shape{width: 5 * vg.Centimeter, height: 3 * vg.Centimeter}.roomiest(2), "too small for any")
}

// In rows and columns, the legends of all panels are together, each once, if there is room: in the place
// that is left free at the end of the last row, or to the right of all.
func TestSharedLegend(t *testing.T) {
	plane, err := NewLayout(12, []*Variable{NewCount("x", 0, 4, func(i int) int { return i % 4 }), NewCount("y", 0, 3, func(i int) int { return i / 4 })}, "")
	require.NoError(t, err)
	panels := plane.Actions(Head{Title: "A"}, []string{"rest", "send"}, func(i int) int { return i % 2 })
	panels = append(panels, plane.Actions(Head{Title: "B"}, []string{"rest", "send"}, func(i int) int { return i / 2 % 2 })...)
	panels = append(panels, plane.Shares(Head{Title: "C"}, "share of time", func(i int) float64 { return float64(i) / 66 }, ui.PercentText)...)
	times := func(width, height vg.Length, columns int) (rest, share int) {
		for _, text := range textsIn(t, width*vg.Centimeter, height*vg.Centimeter, panels, columns) {
			switch text.words {
			case "rest":
				rest++
			case "share of time:":
				share++
				if columns == 2 && len(panels[2].Curves) == 0 {
					assert.Greater(t, text.box.Min.X, width/2*vg.Centimeter)
				}
			}
		}
		return rest, share
	}
	rest, share := times(20, 16, 2)
	assert.Equal(t, []int{1, 1}, []int{rest, share})
	rest, share = times(20, 16, 3)
	assert.Equal(t, []int{2, 1}, []int{rest, share}, "no place is free")
	panels = append(panels, panels[0])
	rest, share = times(20, 16, 2)
	assert.Equal(t, []int{1, 1}, []int{rest, share}, "to the right")
	rest, _ = times(20, 9, 2)
	assert.Equal(t, 1, rest)
	panels[2].Curves = []Curve{{Points: []XY{{X: 1, Y: 1}}}}
	rest, _ = times(20, 16, 2)
	assert.Equal(t, 3, rest, "curves look as their places say")
}

// Axes are equally high in all rows, whatever the headings and the legends of a row take.
func TestRowsOfAxesAreEquallyHigh(t *testing.T) {
	panel := func(title, part string, names ...string) Panel {
		p := Panel{Title: title, Part: part, X: Axis{Label: "r", From: 100, To: 110}, Y: Axis{Label: "q", From: 0, To: 10}}
		for i, name := range names {
			p.Curves = append(p.Curves, Curve{Name: name, Points: []XY{{X: 101, Y: float64(i)}, {X: 109, Y: 2}}})
		}
		return p
	}
	panels := []Panel{
		panel("Policy", "phase = 1", "a"), panel("Policy", "phase = 2", "a"), panel("Policy", "phase = 3", "a"),
		panel("A long title of a panel without parts, which takes two lines or more in a column", "", "a", "b", "c", "d", "e", "f"),
	}
	for _, columns := range []int{1, 2, 3, 4} {
		ends := map[string][]vg.Length{} // of the axes, by panel
		for _, text := range textsIn(t, vg.Length(columns)*4.5*vg.Centimeter, 25*vg.Centimeter, panels, columns) {
			ends[text.words] = append(ends[text.words], text.box.Min.Y)
		}
		require.Len(t, ends["0"], len(panels))
		for i := range panels {
			assert.InDelta(t, float64(ends["10"][0]-ends["0"][0]), float64(ends["10"][i]-ends["0"][i]), 1e-6, "%d columns", columns)
		}
	}
}
