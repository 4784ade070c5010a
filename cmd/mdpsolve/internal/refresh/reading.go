package refresh

// The flags that say how files are read, and how much of them may be lost.

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// readingFlags are those of all verbs that read lists.
func readingFlags() []cli.Flag {
	return ui.Group("Reading files",
		ui.SwitchFlag("strict", "refuse a file with a row that cannot be used, instead of leaving it out"),
		ui.ValueFlag("allow-left-out", "go on where up to `SHARE` of the rows of a file cannot be used, as in 5%", "1%"),
		ui.ValueFlag("field-lines", "CSV: let a field in quotes span up to `n` lines", fmt.Sprint(pagefile.FieldLines)),
		ui.MapFlag(),
	)
}

// readOptions reads how files are to be read.
func readOptions(a *ui.Arguments) pagefile.Options {
	return pagefile.Options{
		Strict: a.CLI.Bool("strict"), Workers: a.Workers(), Unit: readUnit(a),
		FieldLines: int(a.WholeWithin("field-lines", 1, pagefile.MostFieldLines)),
	}
}

// inputOptions are those of the file of --input.
func inputOptions(a *ui.Arguments) pagefile.Options {
	readAllowed(a) // a fault comes before the file is read
	options := readOptions(a)
	options.Columns = a.Map()
	return options
}

// weightsFlag is that of weights in a file of their own.
func weightsFlag() cli.Flag {
	return ui.ValueFlag("weights", "read the weights of pages from `FILE`, with the columns id (or url) and weight", "")
}

// readWeights gives pages the weights of --weights. Pages that are not in it have those of
// the page list.
func readWeights(a *ui.Arguments, pages *pageInput) {
	if !a.CLI.IsSet("weights") {
		return
	}
	if a.CLI.String("weights") == "-" && a.CLI.String("input") == "-" {
		a.Fault("weights", "- is not valid with --input -: use a file for one of the two")
	}
	weights, report, err := pagefile.ReadWeights(a.CLI.Context, inputSource(a, "weights", listBytes), readOptions(a))
	reportInput(a, "weights", report, err)
	unknown := weights.Give(pages.Pages)
	switch {
	case len(unknown) == weights.IDs.Len():
		a.Fault("weights", "%s names no page of %s: use the same ids", a.CLI.String("weights"), a.CLI.String("input"))
	case len(unknown) > 0:
		a.Warn("%s of --weights without a page, such as %q", ui.Count(len(unknown), "row"), weights.IDs.At(unknown[0]))
	}
}

// readAllowed reads the share of rows that may be left out.
func readAllowed(a *ui.Arguments) float64 {
	if a.CLI.Bool("strict") && a.CLI.IsSet("allow-left-out") {
		a.Fault("allow-left-out", "not valid with --strict: use one of the two")
	}
	const allowed = "a share such as 5% or 0.05, from 0 to 100%"
	text := a.CLI.String("allow-left-out")
	digits, percent := strings.CutSuffix(text, "%")
	share, err := number.Parse(digits)
	if percent {
		share /= 100
	}
	if err != nil || !(share >= 0 && share <= 1) {
		a.Fault("allow-left-out", "%q is not valid: use %s", text, allowed)
	}
	return share
}
