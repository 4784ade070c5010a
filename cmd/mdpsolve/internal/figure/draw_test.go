package figure

// Pictures as their readers meet them: as SVG, as PNG in grey, as PDF.

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// samplePanels are panels of all kinds, with names and labels of all lengths.
func samplePanels() []Panel {
	var curves []Curve
	for i, name := range []string{"optimum", "a name that goes on and on, beyond its line in the margin", "γ = 1/2", "K → ∞", "a page leaves", "six"} {
		c := Curve{Name: name, Kind: Kind(i % 3)}
		for x := range 12 {
			c.Points = append(c.Points, XY{X: float64(x), Y: float64(10 - x*i/3)})
		}
		curves = append(curves, c)
	}
	of := [][]float64{{0.2, 0.3, 0.01}, {0.1, 0.05, 0.3}, {0.04, 0, 0}}
	plane, err := NewLayout(9, []*Variable{NewCount("x", 0, 3, func(i int) int { return i / 3 }), NewCount("q", -1, 3, func(i int) int { return i % 3 })}, "")
	must(err)
	shares := plane.Shares(Head{}, "share of time", func(i int) float64 { return of[i/3][i%3] }, ui.PercentText)[0].Cells[0]
	actions := plane.Actions(Head{}, []string{"rest", "send out again in all phases of the service"}, func(i int) int { return i / 2 % 2 })[0].Cells[0]
	return []Panel{
		{Title: "All kinds of curves in one panel", Given: "N = 16, λ = 1/10", X: Axis{Label: "x, whole", Whole: true}, Y: Axis{Label: "y"}, Curves: curves},
		{Title: "A title so long that it takes more than one line of the picture, as some do", X: Axis{Label: "γ, cost per unit of time with an empty queue", From: -0.5, To: 2.5}, Y: Axis{Label: "q, pages in the queue, which is a label longer than a small panel is high", Whole: true, From: -1.5, To: 2.5}, Cells: []*Cells{shares, actions}},
		{Title: "Bounds", X: Axis{Label: "iterations"}, Y: Axis{Label: "gap", Log: true}, Curves: []Curve{{Points: []XY{{X: 1, Y: 1}, {X: 2, Y: 1e-12}}}}},
		{Title: "Labels", X: Axis{Label: "x"}, Y: Axis{Label: "y", Zero: true}, Curves: []Curve{{Kind: Dots, Points: []XY{{X: 1, Y: 1}, {X: 2, Y: 3}}, Labels: []string{"8", "9"}}}},
		{Title: "Nothing", X: Axis{Label: "x"}, Y: Axis{Label: "y"}},
	}
}

// drawn returns the file of a picture.
func drawn(t *testing.T, extension string, width, height vg.Length, dpi int, panels []Panel) []byte {
	t.Helper()
	file, _, err := fileOf(extension, shape{width: width, height: height}, dpi, [][]Panel{panels})
	require.NoError(t, err)
	return file
}

// writtenText is a line of text in a picture, and where it is.
type writtenText struct {
	words string
	box   vg.Rectangle
}

// textsOf returns all text of a picture.
func textsOf(t *testing.T, width, height vg.Length, panels []Panel) []writtenText {
	t.Helper()
	return textsIn(t, width, height, panels, 1)
}

// textsIn is textsOf for panels in some columns.
func textsIn(t *testing.T, width, height vg.Length, panels []Panel, columns int) []writtenText {
	t.Helper()
	var record recorder.Canvas
	drawPanels(draw.NewCanvas(&record, width, height), panels, columns)
	turned := false
	var texts []writtenText
	for _, action := range record.Actions {
		switch action := action.(type) {
		case *recorder.Rotate:
			assert.InDelta(t, math.Pi/2, action.Angle, 1e-12)
			turned = true
		case *recorder.Pop:
			turned = false
		case *recorder.FillString:
			face := plot.DefaultTextHandler.Cache().Lookup(action.Font, action.Size)
			const high = 0.72 // of capitals and digits, in sizes
			x, y := action.Point.X, action.Point.Y
			long, tall := face.Width(action.String), high*action.Size
			box := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + long, Y: y + tall}}
			if turned {
				box = vg.Rectangle{Min: vg.Point{X: -y - tall, Y: x}, Max: vg.Point{X: -y, Y: x + long}}
			}
			texts = append(texts, writtenText{action.String, box})
		}
	}
	return texts
}

// All text stays within the picture, and none overlaps.
func TestTextHasRoom(t *testing.T) {
	for _, size := range []vg.Point{{X: 16, Y: 40}, {X: 12, Y: 35}, {X: 10, Y: 35}, {X: 30, Y: 80}} {
		width, height := size.X*vg.Centimeter, size.Y*vg.Centimeter
		texts := textsOf(t, width, height, samplePanels())
		require.Greater(t, len(texts), 40)
		for i, text := range texts {
			b := text.box
			assert.True(t, b.Min.X >= 0 && b.Max.X <= width && b.Min.Y >= 0 && b.Max.Y <= height, "%q at %v", text.words, b)
			for _, other := range texts[:i] {
				o := other.box
				apart := b.Min.X >= o.Max.X || o.Min.X >= b.Max.X || b.Min.Y >= o.Max.Y || o.Min.Y >= b.Max.Y
				assert.True(t, apart, "%q over %q at %v: %v, %v", text.words, other.words, size, b, o)
			}
		}
	}
}

// Points on steps have marks where there is room. Below a narrow panel, a name has its whole width, and a
// curve without points has none.
func TestStepsAndNarrowLegends(t *testing.T) {
	const name = "policy-iteration: value of the policy"
	steps := Curve{Name: name, Kind: Steps, Points: []XY{{X: 1, Y: 1}, {X: 2, Y: 2}, {X: 3, Y: 2}}}
	assert.Len(t, steps.plotters(0, 6*vg.Centimeter), 2)
	assert.Len(t, steps.plotters(0, 1*vg.Centimeter), 1)
	var words []string
	for _, text := range textsOf(t, 8.5*vg.Centimeter, 7*vg.Centimeter, []Panel{{Curves: []Curve{steps, {Name: "nothing"}}}}) {
		words = append(words, text.words)
	}
	assert.Contains(t, words, name)
	assert.NotContains(t, words, "nothing")
}

// Curves are named in the legend, and the axes say what they show.
func TestPanelsSayWhatTheyShow(t *testing.T) {
	var words []string
	for _, text := range textsOf(t, 16*vg.Centimeter, 40*vg.Centimeter, samplePanels()) {
		words = append(words, text.words)
	}
	for _, word := range []string{
		"All kinds of curves in one panel", "N = 16, λ = 1/10", "optimum", "γ = 1/2", "K → ∞", "a page leaves",
		"share of time:", "10% and more", "0.3% and more", "10", "−12", "1", "8", "9", "iterations",
	} {
		assert.Contains(t, words, word)
	}
}

// Lines differ by dash, and by grey as printers and eyes weigh colours.
func TestLooksDifferInGrey(t *testing.T) {
	var dashes []string
	var greys []float64
	for _, l := range looks {
		text := ""
		for _, d := range l.dashes {
			text += fmt.Sprint(d) + " "
		}
		assert.NotContains(t, dashes, text)
		dashes = append(dashes, text)
		greys = append(greys, float64(color.GrayModel.Convert(l.ink).(color.Gray).Y))
		assert.Less(t, greys[len(greys)-1], 150.0, "too faint on white")
	}
	const apart = 20 // of 255
	for i := 1; i < len(greys); i++ {
		assert.Greater(t, math.Abs(greys[i]-greys[i-1]), float64(apart), "curves that are drawn together: %d and %d", i, i+1)
	}
	grey := func(f Fill) int { return int(color.GrayModel.Convert(f.ink).(color.Gray).Y) }
	lighten := slices.Clone(shareFills)
	for _, list := range [][]Fill{lighten, ramp(make([]string, mostShades)), fills(make([]string, 2)), fills(make([]string, 3)), fills(make([]string, 4)), fills(make([]string, len(tones)))} {
		for i := 1; i < len(list); i++ {
			assert.Less(t, grey(list[i]), grey(list[i-1])-8, "%d of %d", i, len(list))
		}
	}
	all := fills(make([]string, mostFills))
	for i, f := range all {
		for k, other := range all[:i] {
			if f.hatch == other.hatch {
				assert.Greater(t, math.Abs(float64(grey(f)-grey(other))), 20., "actions %d and %d", i, k)
			}
		}
	}
}

// Between states of the same colour there is no line, whatever the resolution.
func TestSharesHaveNoHairlines(t *testing.T) {
	plane, err := NewLayout(23*11, []*Variable{NewCount("x", 0, 23, func(i int) int { return i / 11 }), NewCount("y", 0, 11, func(i int) int { return i % 11 })}, "")
	require.NoError(t, err)
	panel := plane.Shares(Head{}, "share", func(int) float64 { return 0.02 }, ui.PercentText)[0]
	for _, dpi := range []int{97, 150, 211} {
		picture, err := png.Decode(bytes.NewReader(drawn(t, ".png", 13*vg.Centimeter, 7*vg.Centimeter, dpi, []Panel{panel})))
		require.NoError(t, err)
		fill := color.NRGBAModel.Convert(shareFills[len(shareFills)-1].ink)
		inside := image.Rectangle{Min: picture.Bounds().Max}
		for y := range picture.Bounds().Max.Y {
			for x := range picture.Bounds().Max.X * 3 / 5 { // the legend is beyond
				if color.NRGBAModel.Convert(picture.At(x, y)) == fill {
					inside.Min.X, inside.Min.Y = min(inside.Min.X, x), min(inside.Min.Y, y)
					inside.Max.X, inside.Max.Y = max(inside.Max.X, x), max(inside.Max.Y, y)
				}
			}
		}
		inside = image.Rectangle{Min: inside.Min, Max: inside.Max}.Inset(2)
		require.Greater(t, inside.Dx()*inside.Dy(), 10000)
		for y := inside.Min.Y; y < inside.Max.Y; y++ {
			for x := inside.Min.X; x < inside.Max.X; x++ {
				require.Equal(t, fill, color.NRGBAModel.Convert(picture.At(x, y)), "%d, %d at %d dpi", x, y, dpi)
			}
		}
	}
}

func TestPictureFiles(t *testing.T) {
	for _, dpi := range []int{72, 97, 300} {
		bitmap := drawn(t, ".png", 12*vg.Centimeter, 8*vg.Centimeter, dpi, samplePanels()[:1])
		picture, err := png.Decode(bytes.NewReader(bitmap))
		require.NoError(t, err)
		assert.InDelta(t, 12/2.54*float64(dpi), picture.Bounds().Dx(), 1)
		assert.InDelta(t, 8/2.54*float64(dpi), picture.Bounds().Dy(), 1)
		_, physical, found := bytes.Cut(bitmap, []byte("pHYs"))
		require.True(t, found)
		assert.InDelta(t, float64(dpi)/0.0254, binary.BigEndian.Uint32(physical), 0.5)
	}
	svg := drawn(t, ".svg", 12*vg.Centimeter, 40*vg.Centimeter, 0, samplePanels())
	assert.Contains(t, string(svg), "<title>All kinds of curves in one panel (N = 16, λ = 1/10); A title so long")
	assert.Contains(t, string(svg), ">γ = 1/2</text>")
	assert.Contains(t, string(svg), "font-family:'Liberation Sans',Arial,", "whose characters are as wide")
	assert.NoError(t, xml.Unmarshal(svg, new(struct{})))
	file := drawn(t, ".pdf", 12*vg.Centimeter, 40*vg.Centimeter, 0, samplePanels())
	assert.True(t, bytes.HasPrefix(file, []byte("%PDF-")))
	assert.Contains(t, string(file), "/MediaBox [0 0 340.16 1133.86]")
	for extension, file := range map[string][]byte{".svg": svg, ".pdf": file} {
		assert.Equal(t, file, drawn(t, extension, 12*vg.Centimeter, 40*vg.Centimeter, 0, samplePanels()), "the same picture is the same file")
	}
}

// A letter covers what its outline encloses: that of a capital I is a bar.
func TestTextIsOutlined(t *testing.T) {
	var record recorder.Canvas
	canvas := outlines{&record}
	style := words(100, black, 0, 0)
	canvas.FillString(plot.DefaultTextHandler.Cache().Lookup(style.Font, 100), vg.Point{X: 10, Y: 20}, "I")
	require.Len(t, record.Actions, 1)
	path := record.Actions[0].(*recorder.Fill).Path
	var x, y []float64
	for _, part := range path[:len(path)-1] {
		x, y = append(x, float64(part.Pos.X)), append(y, float64(part.Pos.Y))
	}
	assert.Equal(t, vg.CloseComp, path[len(path)-1].Type)
	assert.Equal(t, 20.0, slices.Min(y), "on the base line")
	assert.InDelta(t, 20+68.8, slices.Max(y), 0.1, "as tall as a capital of Liberation Sans")
	assert.InDelta(t, 9.3, slices.Max(x)-slices.Min(x), 0.1)
}

// The vertical axes of panels are in line, however wide their labels are.
func TestAxesAreInLine(t *testing.T) {
	var lower, upper, gap []XY
	for i := range 27 {
		x := float64(i + 1)
		lower, upper = append(lower, XY{X: x, Y: 0.03 * x}), append(upper, XY{X: x, Y: 4 - 0.1*x})
		gap = append(gap, XY{X: x, Y: math.Pow(10, 0.5-0.37*x)})
	}
	x := Axis{Label: "iterations", Whole: true}
	panels := []Panel{
		{Title: "Bounds", Given: "given", X: x, Y: Axis{Label: "value"}, Curves: []Curve{{Name: "upper bound", Points: upper}, {Name: "lower bound", Points: lower}}},
		{Title: "Gap", Given: "given", X: x, Y: Axis{Label: "upper − lower bound", Log: true}, Curves: []Curve{{Points: gap}}},
	}
	places := map[string][]float64{}
	for _, text := range textsOf(t, 16*vg.Centimeter, 16*vg.Centimeter, panels) {
		if text.words == "15" || text.words == "20" {
			places[text.words] = append(places[text.words], float64(text.box.Min.X))
		}
	}
	require.Len(t, places, 2)
	for label, at := range places {
		require.Len(t, at, 2, label)
		assert.InDelta(t, at[0], at[1], 1e-6, label)
	}
}

// TestEvenLines wants a label that needs two lines in lines of about the same width, and
// no more of them.
func TestEvenLines(t *testing.T) {
	style := words(textSize, black, 0, 0)
	const label = "S, share of time with an empty queue"
	width := style.Width("S, share of time with an empty")
	assert.Equal(t, []string{"S, share of time with an empty", "queue"}, wrap(label, style, width))
	assert.Equal(t, []string{"S, share of time with", "an empty queue"}, even(label, style, width))
	assert.Equal(t, []string{label}, even(label, style, 2*width))
	assert.Equal(t, []string{"oneword"}, even("oneword", style, 1))
	assert.Empty(t, even("", style, width))
}

// A legend that is longer than its panel ends with an ellipsis, and all text stays within the picture;
// in the file, text is drawn smaller before anything is left out.
func TestLongLegends(t *testing.T) {
	names := make([]string, mostFills)
	for i := range names {
		names[i] = "action " + string(rune('A'+i))
	}
	plane, err := NewLayout(30*2, []*Variable{NewCount("x", 0, 30, func(i int) int { return i / 2 }), NewCount("y", 0, 2, func(i int) int { return i % 2 })}, "")
	require.NoError(t, err)
	panels := plane.Actions(Head{Title: "Best action"}, names, func(i int) int { return i / 2 % mostFills })
	const width, height = 12 * vg.Centimeter, leastHeight
	var words []string
	for _, text := range textsOf(t, width, height, panels) {
		words = append(words, text.words)
		assert.True(t, text.box.Min.Y >= 0 && text.box.Max.X <= width, "%q at %v", text.words, text.box)
	}
	assert.Contains(t, words, "action A")
	assert.Contains(t, words, "…")
	assert.NotContains(t, words, "action R")
	file := string(drawn(t, ".svg", width, 8*vg.Centimeter, 0, panels))
	assert.Contains(t, file, ">action R</text>")
	assert.NotContains(t, file, ">…</text>")
}
