package figure

// The flags that ask for a picture, and its file.

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/plot/vg"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// Flags are those that ask for a picture.
func Flags(what string) []cli.Flag {
	return ui.Group(ui.OutputGroup,
		ui.ValueFlag("plot", "draw "+what+" to `FILE`, whose name ends in .svg, .png or .pdf", ""),
		ui.ValueFlag("size", "of the picture: `WxH` in cm, or as 120x80mm (default: 16x8 a panel)", ""),
		ui.ValueFlag("dpi", fmt.Sprintf("`n` dots per inch of a .png (default: %d)", defaultDPI), ""),
		ui.ValueFlag("panel", "draw one panel only, by its `NAME` or number from 1", ""),
	)
}

const (
	defaultDPI        = 150
	leastDPI, mostDPI = 30, 2400
	leastWidth        = 6 * vg.Centimeter
	leastHeight       = 4 * vg.Centimeter // of a panel
	mostSize          = 120 * vg.Centimeter
	defaultWidth      = 16 * vg.Centimeter
	defaultHeight     = 8 * vg.Centimeter // of a panel
	mostPixels        = 100e6
	rounded           = 1 + 1e-9 // lengths in points are
)

// File is the file of a picture that is to be drawn.
type File struct {
	out           *ui.OutFile
	width, height vg.Length // 0: by default
	dpi           int
	panel         int // from 0; −1: all
}

// Read reads the flags of [Flags]: nil where no picture is asked for. The panels that
// there will be are given by name.
func Read(a *ui.Arguments, panels ...string) *File {
	out := a.OutFile("plot", ".svg", ".png", ".pdf")
	for _, flag := range []string{"size", "dpi", "panel"} {
		a.OnlyWith(flag, "plot FILE", out != nil)
	}
	if out == nil {
		return nil
	}
	f := &File{out: out, dpi: defaultDPI, panel: -1}
	if a.CLI.IsSet("dpi") {
		a.OnlyWith("dpi", "plot FILE.png", f.extension() == ".png")
		f.dpi = int(a.WholeWithin("dpi", leastDPI, mostDPI))
	}
	if a.CLI.IsSet("panel") {
		f.panel = readPanel(a, panels)
	}
	if a.CLI.IsSet("size") {
		f.width, f.height = readSize(a)
		least := leastHeight
		if f.panel < 0 {
			least *= vg.Length(len(panels))
		}
		if f.width*rounded < leastWidth || f.height*rounded < least {
			a.Fault("size", "%s is not valid here: use at least %.4gx%.4g (cm), or one --panel of %s", a.CLI.String("size"),
				leastWidth/vg.Centimeter, least/vg.Centimeter, ui.Enumerate(panels))
		}
	}
	width, height := f.size(len(panels))
	if pixels := width.Dots(float64(f.dpi)) * height.Dots(float64(f.dpi)); f.extension() == ".png" && pixels > mostPixels {
		a.Fault("dpi", "%d is not valid for a picture of %.4g x %.4g cm, which would have %.3g pixels: use less, for at most %.3g",
			f.dpi, width/vg.Centimeter, height/vg.Centimeter, pixels, mostPixels)
	}
	return f
}

// readSize reads --size.
func readSize(a *ui.Arguments) (width, height vg.Length) {
	const allowed = "WxH in cm, up to 120 each, as 16x8 or 160x80mm"
	written := a.CLI.String("size")
	text, unit := strings.TrimSuffix(strings.ToLower(written), "cm"), vg.Centimeter
	if inMM, is := strings.CutSuffix(text, "mm"); is {
		text, unit = inMM, vg.Millimeter
	}
	across, down, found := strings.Cut(text, "x")
	lengths := [2]vg.Length{}
	for i, side := range []string{across, down} {
		number, err := strconv.ParseFloat(strings.TrimSpace(side), 64)
		lengths[i] = vg.Length(number) * unit
		if err != nil || !found || !(lengths[i] > 0 && lengths[i] <= mostSize*rounded) {
			a.Fault("size", "%q is not valid: use %s", written, allowed)
		}
	}
	return lengths[0], lengths[1]
}

// readPanel reads --panel.
func readPanel(a *ui.Arguments, panels []string) int {
	text := a.CLI.String("panel")
	if i := slices.Index(panels, text); i >= 0 {
		return i
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(panels) {
		return n - 1
	}
	words := slices.Clone(panels)
	if len(panels) > 1 {
		words = append(words, fmt.Sprintf("a number from 1 to %d", len(panels)))
	}
	a.Fault("panel", "%q is not valid: use %s", text, ui.Enumerate(words))
	return 0
}

// extension returns that of the file's name.
func (f *File) extension() string { return strings.ToLower(filepath.Ext(f.out.Name)) }

// size returns the size of a picture of so many panels.
func (f *File) size(panels int) (width, height vg.Length) {
	if f.width > 0 {
		return f.width, f.height
	}
	if f.panel >= 0 {
		panels = 1
	}
	return defaultWidth, vg.Length(max(panels, 1)) * defaultHeight
}

// Save draws panels and writes their file; to nil it draws nothing.
func (f *File) Save(panels func() []Panel) error {
	if f == nil {
		return nil
	}
	shown := panels()
	width, height := f.size(len(shown))
	if f.panel >= 0 {
		shown = shown[f.panel : f.panel+1]
	}
	picture, err := fileOf(f.extension(), width, height, f.dpi, shown)
	if err != nil {
		return err
	}
	return f.out.Write(func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}
