package figure

// Text in pictures: subscripts, superscripts, and room for other fonts.

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// wider is the room that is left for text, as a multiple of what Liberation Sans takes:
// DejaVu Sans takes 1.2 times as much.
const wider = 1.22

// texts measures and draws text. It asks for the room that a wide font needs, and draws
// text from its anchor, so that it stays in its place in any font.
type texts struct{ text.Plain }

var handler = texts{text.Plain{Fonts: plot.DefaultTextHandler.Cache()}}

// piece is a part of a line that has one size and one height above the base line.
type piece struct {
	text  string
	shift float64 // up, in sizes of the line
	scale float64 // of the size of the line
}

// small are the characters that are drawn as ordinary ones, smaller and shifted: fonts
// do not always have them.
var small = func() map[rune]piece {
	pieces := map[rune]piece{}
	for shown, shift := range map[string]float64{"₀₁₂₃₄₅₆₇₈₉": -0.18, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻": 0.36} {
		for i, r := range []rune(shown) {
			pieces[r] = piece{string([]rune("0123456789−")[i]), shift, 0.72}
		}
	}
	return pieces
}()

// pieces cuts a line.
func pieces(line string) []piece {
	var cut []piece
	for _, r := range line {
		next, is := small[r]
		if !is {
			next = piece{string(r), 0, 1}
		}
		if last := len(cut) - 1; last >= 0 && cut[last].shift == next.shift {
			cut[last].text += next.text
			continue
		}
		cut = append(cut, next)
	}
	return cut
}

// width returns what a line takes in Liberation Sans.
func (h texts) width(line string, f font.Font) vg.Length {
	var sum vg.Length
	for _, p := range pieces(line) {
		face := h.Fonts.Lookup(f, f.Size*vg.Length(p.scale))
		sum += face.Width(p.text)
	}
	return sum
}

// Box implements [text.Handler]: it returns the room that a line needs in any font.
func (h texts) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box(line, f)
	return wider * h.width(line, f), height, depth
}

// besideTick centres labels that gonum lifts by the descent of their font.
const besideTick text.YAlignment = -0.75

// Draw implements [text.Handler]. What is centred vertically is so for digits and
// capitals.
func (h texts) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	if txt == "" {
		return
	}
	const middle = 0.36 // of a digit, in sizes above the base line
	lines := h.Lines(txt)
	below := vg.Length(len(lines)-1) * leading * style.Font.Size // of the last line below the first
	extents := h.Extents(style.Font)
	var base vg.Length // of the first line
	switch style.YAlign {
	case text.YTop:
		base = -extents.Ascent
	case text.YBottom:
		base = extents.Descent + below
	default:
		base = below/2 - middle*style.Font.Size
	}
	if style.YAlign == besideTick {
		base -= extents.Descent
	}
	sin, cos := math.Sincos(style.Rotation)
	for _, line := range lines {
		h.line(c, line, style, at.Add(vg.Point{X: -base * vg.Length(sin), Y: base * vg.Length(cos)}))
		base -= leading * style.Font.Size
	}
}

// line draws a line whose base line begins, ends or is centred at a point.
func (h texts) line(c vg.Canvas, line string, style text.Style, at vg.Point) {
	if svg, is := innermost(c).(*svgCanvas); is {
		svg.line(pieces(line), style, at)
		return
	}
	c.SetColor(style.Color)
	c.Push()
	defer c.Pop()
	c.Rotate(style.Rotation)
	sin64, cos64 := math.Sincos(style.Rotation)
	sin, cos := vg.Length(sin64), vg.Length(cos64)
	x, y := at.X*cos+at.Y*sin, at.Y*cos-at.X*sin
	x += vg.Length(style.XAlign) * h.width(line, style.Font)
	for _, p := range pieces(line) {
		face := h.Fonts.Lookup(style.Font, style.Font.Size*vg.Length(p.scale))
		c.FillString(face, vg.Point{X: x, Y: y + vg.Length(p.shift)*style.Font.Size}, p.text)
		x += face.Width(p.text)
	}
}

// innermost returns the canvas that others are parts of.
func innermost(c vg.Canvas) vg.Canvas {
	for {
		switch part := c.(type) {
		case *draw.Canvas:
			c = part.Canvas
		case draw.Canvas:
			c = part.Canvas
		default:
			return c
		}
	}
}

// wrap breaks text into lines of at most a width, in any font. It breaks at spaces.
func (h texts) wrap(text string, f font.Font, width vg.Length) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && wider*h.width(longer, f) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
