package figure

// The flags that ask for a picture, and its file.

import (
	"fmt"
	"io"
	"math"
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
		ui.ValueFlag("size", "size `WxH` in cm or mm (160x80mm), slide, or column", ""),
		ui.ValueFlag("panels", "arrange panels as `HOW`: row, column or a number of columns; row:1,3 draws panels 1 and 3", ""),
		ui.ValueFlag("dpi", fmt.Sprintf("resolution of a .png: `n` dots per inch (default: %d)", defaultDPI), ""),
	)
}

const (
	defaultDPI        = 150
	leastDPI, mostDPI = 30, 2400
	leastWidth        = 6 * vg.Centimeter
	leastHeight       = 4 * vg.Centimeter // of a row of panels
	mostSize          = 120 * vg.Centimeter
	mostPixels        = 100e6
	page              = 29.7 * vg.Centimeter // the height of A4
	rounded           = 1 + 1e-9             // so that rounding to points refuses no length
	mostColumns       = 1000
)

// slide is the value of --size for a picture in a presentation.
const slide = "slide"

// File is the file of a picture.
type File struct {
	shape
	out  *ui.OutFile
	only []int // the panels to draw, from 0; nil for all
	dpi  int
	warn func(format string, args ...any)
}

// shape is the size of a picture, and how its panels are arranged.
type shape struct {
	width, height vg.Length // 0: the panels decide; height may be 0 beside a given width
	columns       int       // 0: the panels decide
	zoom          vg.Length // of all that is drawn; 0 for 1
	sizes         []int     // the number of panels of each subject, such as one for each value of a variable; nil without subjects
}

// parts returns the number of panels of the largest subject; 0 without subjects.
func (s shape) parts() int { return slices.Max(append([]int{0}, s.sizes...)) }

// rowsOf returns the number of rows for a number of panels in some columns.
func (s shape) rowsOf(panels, columns int) int {
	sizes := s.sizes
	if sizes == nil {
		sizes = slices.Repeat([]int{1}, panels)
	}
	_, used := pack(sizes, columns)
	return len(used)
}

// columnsOf returns the number of columns for a number of panels.
func (s shape) columnsOf(panels int) int {
	const inTwo, most, narrow = 4, 3, 4 * vg.Centimeter
	parts := s.parts()
	switch {
	case s.columns > 0:
		if haveParts(s.sizes) {
			panels = parts
		}
		return max(1, min(s.columns, panels))
	case parts <= 1:
		return 1
	case parts == inTwo || s.width > 0 && s.width < most*narrow:
		return min(2, panels)
	}
	return min(most, parts, panels)
}

// size returns the size of a page with a number of panels.
func (s shape) size(panels int) (width, height vg.Length) {
	columns := s.columnsOf(panels)
	rows := vg.Length(max(1, s.rowsOf(panels, columns)))
	together := (1.5 + 5.5*rows) * vg.Centimeter // often with one legend and one title
	switch across := vg.Length(columns); {
	case s.height > 0:
		return s.width, s.height
	case s.width > 0 && s.parts() > 1 && columns > 1:
		return s.width, together
	case s.width > 0:
		return s.width, rows * 7 * vg.Centimeter
	case columns == 1:
		return 16 * vg.Centimeter, rows * 8 * vg.Centimeter
	case s.sizes != nil:
		return (4 + 6*across) * vg.Centimeter, together
	default:
		return across * 12 * vg.Centimeter, rows * 8 * vg.Centimeter
	}
}

// Read reads the flags of [Flags] for a picture with a number of panels, 0 if it is not known yet; it
// returns nil without --plot. With several numbers, each is that of a page of a .pdf; other files have
// all panels on one page.
func Read(a *ui.Arguments, panelsOfPages ...int) *File {
	out := a.OutFile("plot", ".svg", ".png", ".pdf")
	for _, flag := range []string{"size", "dpi", "panels"} {
		a.OnlyWith(flag, "plot FILE", out != nil)
	}
	if out == nil {
		return nil
	}
	a.KeepInputs("plot")
	f := &File{out: out, dpi: defaultDPI, warn: a.Warn}
	if a.CLI.IsSet("dpi") {
		a.OnlyWith("dpi", "plot FILE.png", f.extension() == ".png")
		f.dpi = int(a.WholeWithin("dpi", leastDPI, mostDPI))
	}
	if a.CLI.IsSet("size") {
		if f.width, f.height = readSize(a); a.CLI.String("size") == slide {
			f.zoom = 1.5 // to be read from afar
		}
	}
	f.readPanels(a)
	panels := 0 // on the largest page
	for _, n := range panelsOfPages {
		if n == 0 { // not known yet: see Expect
			return f
		}
		if f.hasPages() {
			panels = max(panels, n)
		} else {
			panels += n
		}
	}
	f.RefuseOne(a, panels)
	f.check(a, f.chosen(a, panels))
	return f
}

// RefuseOne refuses --panels for a picture of one panel, which it would not change.
func (f *File) RefuseOne(a *ui.Arguments, panels int) {
	if panels == 1 && f.columns > 0 {
		a.Fault("panels", "the picture has 1 panel: leave it out")
	}
}

// Expect says how many panels each subject of the picture has. Verbs that know it only after they have
// read flags and files call Expect then.
func (f *File) Expect(a *ui.Arguments, sizes ...int) {
	if f == nil {
		return
	}
	var subjects []int // of each panel
	for subject, size := range sizes {
		subjects = append(subjects, slices.Repeat([]int{subject}, size)...)
	}
	panels := f.chosen(a, len(subjects))
	if f.sizes = sizes; f.only != nil {
		f.sizes = nil
		for i, k := range f.only {
			if i == 0 || subjects[k] != subjects[f.only[i-1]] {
				f.sizes = append(f.sizes, 0)
			}
			f.sizes[len(f.sizes)-1]++
		}
	}
	f.check(a, panels)
}

// Anew forgets --panels, for a picture that is drawn in place of the one asked for.
func (f *File) Anew() { f.columns, f.only = 0, nil }

// chosen returns how many of a number of panels are drawn.
func (f *File) chosen(a *ui.Arguments, panels int) int {
	if f.only == nil {
		return panels
	}
	if last := slices.Max(f.only); last >= panels {
		a.Fault("panels", "%d is too large: the picture has %s", last+1, wording.Count(panels, "panel"))
	}
	return len(f.only)
}

// check refuses a size that is too small or too large for a number of panels. Without --panels, it first
// chooses the columns for a given size.
func (f *File) check(a *ui.Arguments, panels int) {
	best := f.roomiest(panels)
	if isFree := f.height > 0 && f.parts() <= 1; best > 0 && f.columns == 0 && (isFree || !f.fits(panels, f.columnsOf(panels))) {
		f.columns = best
	}
	if columns := f.columnsOf(panels); !f.fits(panels, columns) {
		use := "use"
		switch {
		case best > columns:
			use = "use more columns (--panels), or"
		case best > 0:
			use = "use fewer columns (--panels), or"
		}
		width, height := f.least(panels, columns)
		a.Fault("size", "%s is too small for %s in %s: %s at least %.4gx%.4g (cm)", a.CLI.String("size"),
			wording.Count(panels, "panel"), wording.Count(columns, "column"), use, width/vg.Centimeter, height/vg.Centimeter)
	}
	width, height := f.size(panels)
	if f.height == 0 && f.width > 0 && height > page {
		a.Warn("--size: the picture is %.3g cm high, longer than a page: choose panels, as in --panels column:1,2", height/vg.Centimeter)
	}
	if pixels := width.Dots(float64(f.dpi)) * height.Dots(float64(f.dpi)); f.extension() == ".png" && pixels > mostPixels {
		a.Fault("dpi", "%d dots per inch make %.3g pixels of %.4g x %.4g cm: use less, for at most %.3g pixels",
			f.dpi, pixels, width/vg.Centimeter, height/vg.Centimeter, mostPixels)
	}
}

// least returns the least size of a picture with a number of panels in some columns.
func (s shape) least(panels, columns int) (width, height vg.Length) {
	width, height = leastWidth*vg.Length(columns), leastHeight*vg.Length(s.rowsOf(panels, columns))
	if s.parts() > 1 && columns > 1 {
		return width / 2, height * 3 / 4
	}
	return width, height
}

// fits reports whether the size has room for a number of panels in some columns.
func (s shape) fits(panels, columns int) bool {
	width, height := s.least(panels, columns)
	return (s.width == 0 || s.width*rounded >= width) && (s.height == 0 || s.height*rounded >= height)
}

// roomiest returns the number of columns in which panels fit a given size and their axes are largest; 0
// for none.
func (s shape) roomiest(panels int) (columns int) {
	const wide = 1.3                                             // of axes: the best ratio of width to height
	const beside, above = 1.7 * vg.Centimeter, 3 * vg.Centimeter // not for axes: of a panel's width; of its height, with titles and legends
	zoom, most := max(s.zoom, 1), vg.Length(math.Inf(-1))
	for other := 1; other <= panels; other++ {
		size := (s.width/vg.Length(other) - zoom*beside) / wide
		if s.height > 0 {
			size = min(size, s.height/vg.Length(s.rowsOf(panels, other))-zoom*above)
		}
		if s.fits(panels, other) && size > most {
			columns, most = other, size
		}
	}
	return columns
}

// readPanels reads --panels.
func (f *File) readPanels(a *ui.Arguments) {
	if !a.CLI.IsSet("panels") {
		return
	}
	how, chosen, isChosen := strings.Cut(a.CLI.String("panels"), ":")
	columns, err := strconv.Atoi(how)
	switch {
	case how == "row":
		f.columns = mostColumns
	case how == "column":
		f.columns = 1
	case err == nil && columns >= 1 && columns <= mostColumns:
		f.columns = columns
	default:
		a.Fault("panels", "%q is not valid: use row, column, or a number of columns from 1 to %d", how, mostColumns)
	}
	if !isChosen {
		return
	}
	for word := range strings.SplitSeq(chosen, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		switch {
		case err != nil || n < 1:
			a.Fault("panels", "%q is no panel: use numbers from 1, as in %s:1,3", word, how)
		case slices.Contains(f.only, n-1):
			a.Fault("panels", "%d is given twice: give it once", n)
		}
		f.only = append(f.only, n-1)
	}
}

// readSize reads --size.
func readSize(a *ui.Arguments) (width, height vg.Length) {
	const allowed = "WxH in cm, up to 120 each, as 16x8 or 160x80mm; slide or column"
	written := a.CLI.String("size")
	switch written {
	case slide: // 16:9, as presentations have it
		return 25.4 * vg.Centimeter, 25.4 * vg.Centimeter * 9 / 16
	case "column": // of a paper with two
		return 8.5 * vg.Centimeter, 0
	}
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
	for i, panels := range drawn {
		if f.only != nil {
			drawn[i] = nil
		}
		for _, k := range f.only {
			if k < len(panels) {
				drawn[i] = append(drawn[i], panels[k])
			}
		}
	}
	picture, fits, err := fileOf(f.extension(), f.shape, f.dpi, drawn)
	if err != nil {
		return err
	}
	if !fits {
		use := "a larger --size"
		if slices.ContainsFunc(drawn, func(panels []Panel) bool { return len(panels) > 1 }) {
			use += ", or fewer panels, as in --panels row:1"
		}
		f.warn("--plot: axes and legends have too little room (a legend that ends with … is cut): use %s", use)
	}
	return f.out.Write(func(w io.Writer) error {
		_, err := w.Write(picture)
		return err
	})
}
