package figure

// Pictures as their readers meet them: as SVG in any font, as PNG in grey, as PDF.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
)

// samples are panels of all kinds, with names and labels of all lengths.
func samples() []Panel {
	var curves []Curve
	for i, name := range []string{"optimum", "a name that goes on and on, beyond its line in the margin", "γ = 1/2", "K → ∞", "f₀(r)", "six"} {
		c := Curve{Name: name, Kind: Kind(i % 3)}
		for x := range 12 {
			c.Points = append(c.Points, XY{X: float64(x), Y: float64(10 - x*i/3)})
		}
		curves = append(curves, c)
	}
	shares := &Shares{What: "share of time", Of: [][]float64{{0.2, 0.3, 0.01}, {0.1, 0.05, 0.3}, {0.04, 0, 0}}}
	return []Panel{
		{Name: "all", Title: "All kinds of curves in one panel", Given: "N = 16, λ = 1/10", X: Axis{Label: "x, whole", Whole: true}, Y: Axis{Label: "y"}, Curves: curves},
		{Name: "one", Title: "A title so long that it takes more than one line of the picture, as some do", X: Axis{Label: "γ, cost per unit of time with an empty queue", From: -0.5, To: 2.5}, Y: Axis{Label: "q, pages in the queue, which is a label longer than a small panel is high", Never: true, From: -1.5, To: 2.5}, Shares: shares},
		{Name: "log", Title: "Bounds", X: Axis{Label: "iterations"}, Y: Axis{Label: "gap", Log: true}, Curves: []Curve{{Points: []XY{{X: 1, Y: 1}, {X: 2, Y: 1e-12}}}}},
		{Name: "dots", Title: "Labels", X: Axis{Label: "x"}, Y: Axis{Label: "y", Zero: true}, Curves: []Curve{{Kind: Dots, Points: []XY{{X: 1, Y: 1}, {X: 2, Y: 3}}, Labels: []string{"8", "9"}}}},
		{Name: "empty", Title: "Nothing", X: Axis{Label: "x"}, Y: Axis{Label: "y"}},
	}
}

// drawn returns a picture of panels.
func drawn(t *testing.T, extension string, width, height vg.Length, dpi int, panels []Panel) []byte {
	t.Helper()
	canvas := newCanvas(extension, width, height, dpi, panels)
	drawPanels(canvas, panels)
	var file bytes.Buffer
	_, err := canvas.WriteTo(&file)
	require.NoError(t, err)
	return file.Bytes()
}

// svgText is a line of text in an SVG.
type svgText struct {
	words, anchor, turn string
	x, y, size          float64
	isBold              bool
}

// readSVG returns the texts of an SVG, and how many rectangles are behind all.
func readSVG(t *testing.T, file []byte) (texts []svgText, grounds int, width, height float64) {
	t.Helper()
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return x
	}
	decoder := xml.NewDecoder(bytes.NewReader(file))
	inside := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts, grounds, width, height
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			at := map[string]string{}
			for _, a := range token.Attr {
				at[a.Name.Local] = a.Value
			}
			switch token.Name.Local {
			case "svg":
				box := strings.Fields(at["viewBox"])
				width, height = number(box[2]), number(box[3])
			case "rect":
				assert.Equal(t, "#ffffff", at["fill"])
				assert.Equal(t, "100%", at["width"])
				grounds++
			case "text":
				texts = append(texts, svgText{
					anchor: at["text-anchor"], turn: at["transform"], x: number(at["x"]), y: number(at["y"]),
					size: number(at["font-size"]), isBold: at["font-weight"] == "bold",
				})
				inside = true
			}
		case xml.EndElement:
			inside = inside && token.Name.Local != "text"
		case xml.CharData:
			if inside {
				texts[len(texts)-1].words += string(token)
			}
		}
	}
}

// In a font as wide as DejaVu Sans, which takes 1.2 times as much as the one that is
// measured, all text stays within the picture, and text that is level does not overlap.
func TestTextHasRoomInWideFonts(t *testing.T) {
	const dejaVu = 1.2
	for _, size := range []vg.Point{{X: 16, Y: 40}, {X: 8.5, Y: 25}, {X: 30, Y: 80}} {
		texts, grounds, width, height := readSVG(t, drawn(t, ".svg", size.X*vg.Centimeter, size.Y*vg.Centimeter, 0, samples()))
		assert.Equal(t, 1, grounds, "one background, all over")
		require.Greater(t, len(texts), 40)
		type box struct{ left, right, bottom, top float64 }
		var boxes []box
		for _, text := range texts {
			f := sans(vg.Length(text.size))
			if text.isBold {
				f.Weight = bold
			}
			long := dejaVu * float64(handler.width(text.words, f))
			share := map[string]float64{"": 0, "middle": 0.5, "end": 1}[text.anchor]
			b := box{text.x - share*long, text.x + (1-share)*long, text.y, text.y - 0.7*text.size}
			if text.turn != "" {
				assert.Contains(t, text.turn, "rotate(-90 ")
				b = box{text.x - 0.7*text.size, text.x, text.y + long/2, text.y - long/2}
			}
			assert.True(t, b.left >= 0 && b.right <= width && b.top >= 0 && b.bottom <= height, "%q at %v", text.words, b)
			for i, other := range boxes {
				apart := b.left >= other.right || other.left >= b.right || b.top >= other.bottom || other.top >= b.bottom
				assert.True(t, apart, "%q over %q", text.words, texts[i].words)
			}
			boxes = append(boxes, b)
		}
	}
}

// Lines differ by dash, and by grey as printers and eyes weigh colours.
func TestLooksDifferInGrey(t *testing.T) {
	var dashes []string
	var greys []float64
	for _, l := range looks {
		text := ""
		for _, d := range l.dashes {
			text += decimal(d) + " "
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
	for i := 1; i < len(shareFills); i++ {
		lighter, darker := color.GrayModel.Convert(shareFills[i]).(color.Gray).Y, color.GrayModel.Convert(shareFills[i-1]).(color.Gray).Y
		assert.Greater(t, int(lighter), int(darker)+10)
	}
}

// Between states of the same colour there is no line, whatever the resolution.
func TestSharesHaveNoHairlines(t *testing.T) {
	level := make([][]float64, 23)
	for i := range level {
		level[i] = slices.Repeat([]float64{0.02}, 11)
	}
	panel := Panel{X: Axis{From: -0.5, To: 22.5}, Y: Axis{From: -0.5, To: 10.5}, Shares: &Shares{"share", level}}
	for _, dpi := range []int{97, 150, 211} {
		picture, err := png.Decode(bytes.NewReader(drawn(t, ".png", 13*vg.Centimeter, 7*vg.Centimeter, dpi, []Panel{panel})))
		require.NoError(t, err)
		fill := color.NRGBAModel.Convert(shareFills[0])
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
		bitmap := drawn(t, ".png", 12*vg.Centimeter, 8*vg.Centimeter, dpi, samples()[:1])
		picture, err := png.Decode(bytes.NewReader(bitmap))
		require.NoError(t, err)
		assert.InDelta(t, 12/2.54*float64(dpi), picture.Bounds().Dx(), 1)
		assert.InDelta(t, 8/2.54*float64(dpi), picture.Bounds().Dy(), 1)
		_, physical, found := bytes.Cut(bitmap, []byte("pHYs"))
		require.True(t, found)
		assert.InDelta(t, float64(dpi)/0.0254, binary.BigEndian.Uint32(physical), 0.5)
	}
	file := drawn(t, ".pdf", 12*vg.Centimeter, 40*vg.Centimeter, 0, samples())
	assert.True(t, bytes.HasPrefix(file, []byte("%PDF-")))
	assert.Contains(t, string(file), "/ToUnicode", "text can be searched")
	assert.Contains(t, string(file), "/MediaBox [0 0 340.16 1133.86]")
	assert.Equal(t, file, drawn(t, ".pdf", 12*vg.Centimeter, 40*vg.Centimeter, 0, samples()), "the same picture is the same file")
}

// Names stay in the order of the ends of their curves, apart from each other and in the
// panel, and where there is room for all they stay where the curves end.
func TestNamesAreSpread(t *testing.T) {
	const seed = 12
	random := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		names := make([]name, 1+random.IntN(8))
		for i := range names {
			names[i] = name{lines: slices.Repeat([]string{"x"}, 1+random.IntN(2)), wanted: vg.Length(random.Float64() * 250)}
		}
		spread(names, 0, 250)
		slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(b.middle, a.middle) })
		for i, n := range names {
			assert.True(t, n.middle+n.height()/2 <= 250+n.height()/2+1e-9 && n.middle >= -textSize, "seed %d", seed)
			if i > 0 {
				above := names[i-1]
				assert.GreaterOrEqual(t, float64(above.middle-n.middle), float64(above.height()+n.height())/2-1e-9)
				assert.GreaterOrEqual(t, above.wanted, n.wanted)
			}
		}
	}
	alone := []name{{lines: []string{"x"}, wanted: 77}}
	spread(alone, 0, 250)
	assert.Equal(t, vg.Length(77), alone[0].middle)
}
