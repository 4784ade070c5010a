package figure

// The style of all pictures: colours, dashes, marks, sizes.

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// look is how a curve differs from others: by colour, which prints as a grey of its own,
// by dash and by mark.
type look struct {
	ink    color.Color
	dashes []vg.Length
	mark   draw.GlyphDrawer
	size   vg.Length // of the mark, in radii
}

// looks are the looks of the curves of a panel, in their order. From the eighth curve on
// they repeat. Marks of later curves surround those of earlier ones, so that none hides
// another where curves meet.
var looks = []look{
	{rgb(0x1b3f73), nil, draw.CircleGlyph{}, 1},
	{rgb(0xd95f02), []vg.Length{6, 3}, draw.SquareGlyph{}, 1.5},
	{rgb(0x2a7f62), []vg.Length{1.5, 2.5}, draw.TriangleGlyph{}, 2},
	{rgb(0xc2569b), []vg.Length{9, 2.5, 1.5, 2.5}, draw.RingGlyph{}, 2.5},
	{rgb(0x000000), []vg.Length{13, 3}, draw.PlusGlyph{}, 2.8},
	{rgb(0x8c8c8c), []vg.Length{3, 1.5}, draw.CrossGlyph{}, 2.5},
	{rgb(0x8a5a12), []vg.Length{6, 2, 1.5, 2, 1.5, 2}, draw.BoxGlyph{}, 1},
}

// look returns the look of a curve at its place in the list.
func (c Curve) look(place int) look {
	if c.Look > 0 {
		place = c.Look - 1
	}
	return looks[place%len(looks)]
}

func rgb(hex uint32) color.Color {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 0xff} //nolint:gosec // a byte each
}

var (
	black     = color.Black
	white     = color.White
	darkGrey  = rgb(0x444444)
	faintGrey = rgb(0xe4e4e4)
)

const (
	lineWidth    vg.Length = 1.5
	faintWidth   vg.Length = 0.6
	markRadius   vg.Length = 1.7
	tickLength   vg.Length = 4
	labelPadding vg.Length = 4
	titleSize    vg.Length = 11
	sampleWidth            = 8 * vg.Millimeter // of a curve in the legend
	textSize     vg.Length = 9
	leading      vg.Length = 1.25 // of lines, in sizes
	bold                   = xfont.WeightBold
)

// sans returns the font of all text.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// words returns the style of text of a size and colour.
func words(size vg.Length, ink color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: ink, Font: sans(size), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}
