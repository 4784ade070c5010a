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
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Flags are the flags that ask for a picture.
func Flags(what string) []cli.Flag {
	return ui.Group(ui.OutputGroup,
		ui.ValueFlag("plot", "draw "+what+" to `FILE`, which ends in .svg, .png or .pdf", ""),
		ui.ValueFlag("size", "size `WxH` of the picture in cm, or with a unit, as in 120x80mm (default: 16x8 for each panel)", ""),
		ui.ValueFlag("dpi", fmt.Sprintf("resolution of a .png: `n` dots per inch (default: %d)", defaultDPI), ""),
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

// File is the file of a picture.
type File struct {
	out           *ui.OutFile
	width, height vg.Length // 0: the default
	dpi           int
}

// Read reads the flags of [Flags] for a picture with a number of panels; it returns nil
// without --plot. With several numbers, each is that of a page of a .pdf; other files have
// all panels on one page.
func Read(a *ui.Arguments, panelsOfPages ...int) *File {
	out := a.OutFile("plot", ".svg", ".png", ".pdf")
	for _, flag := range []string{"size", "dpi"} {
		a.OnlyWith(flag, "plot FILE", out != nil)
	}
	if out == nil {
		return nil
	}
	f := &File{out: out, dpi: defaultDPI}
	panels := 0 // on the largest page
	for _, n := range panelsOfPages {
		if f.hasPages() {
			panels = max(panels, n)
		} else {
			panels += n
		}
	}
	if a.CLI.IsSet("dpi") {
		a.OnlyWith("dpi", "plot FILE.png", f.extension() == ".png")
		f.dpi = int(a.WholeWithin("dpi", leastDPI, mostDPI))
	}
	if a.CLI.IsSet("size") {
		f.width, f.height = readSize(a)
		least := leastHeight * vg.Length(panels)
		if f.width*rounded < leastWidth || f.height*rounded < least {
			a.Fault("size", "%s is too small for %s: use at least %.4gx%.4g (cm)", a.CLI.String("size"),
				wording.Count(panels, "panel"), leastWidth/vg.Centimeter, least/vg.Centimeter)
		}
	}
	width, height := f.size(panels)
	if pixels := width.Dots(float64(f.dpi)) * height.Dots(float64(f.dpi)); f.extension() == ".png" && pixels > mostPixels {
		a.Fault("dpi", "%d dots per inch make %.3g pixels of %.4g x %.4g cm: use less, for at most %.3g pixels",
			f.dpi, pixels, width/vg.Centimeter, height/vg.Centimeter, mostPixels)
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

// extension returns the extension of the file's name, in lower case.
func (f *File) extension() string { return strings.ToLower(filepath.Ext(f.out.Name)) }

// hasPages reports whether the file can have several pages.
func (f *File) hasPages() bool { return f.extension() == ".pdf" }

// size returns the size of a page with a number of panels.
func (f *File) size(panels int) (width, height vg.Length) {
	if f.width > 0 {
		return f.width, f.height
	}
	return defaultWidth, vg.Length(max(panels, 1)) * defaultHeight
}

// Save draws panels and writes the file; for nil it does nothing.
func (f *File) Save(panels func() []Panel) error {
	return f.SavePages(func() [][]Panel { return [][]Panel{panels()} })
}

// SavePages is Save for pictures with several pages.
func (f *File) SavePages(pages func() [][]Panel) error {
	if f == nil {
		return nil
	}
	drawn := pages()
	if !f.hasPages() {
		drawn = [][]Panel{slices.Concat(drawn...)}
	}
	picture, err := fileOf(f.extension(), f.size, f.dpi, drawn)
	if err != nil {
		return err
	}
	return f.out.Write(func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}
