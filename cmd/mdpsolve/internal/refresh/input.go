package refresh

// Files that the verbs of refresh read.

import (
	"errors"
	"fmt"
	"os"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// readPageList reads the pages of --input. Rows that cannot be used are reported on
// standard error, or refused.
func readPageList(a *ui.Arguments) *pageInput { return readPages(a, inputOptions(a)) }

func readPages(a *ui.Arguments, options pagefile.Options) *pageInput {
	source := inputSource(a, "input", listBytes)
	ui.ProgressOf(a.CLI.Context).Phase("reading")
	pages, report, err := pagefile.ReadPages(a.CLI.Context, source, options)
	if err == nil && pages.Len() == 0 {
		noneUsable(a, "input", "page", report)
	}
	reportInput(a, "input", report, err)
	return &pageInput{pages, report}
}

// pageInput is a page list with what was said of its file.
type pageInput struct {
	*pagefile.Pages
	report *pagefile.Report
}

// What reading a plain text file takes in memory at the least, by byte of it: a list, and
// a history of few accesses to each page. Packed files take more.
const (
	listBytes    = 1
	historyBytes = 4
)

// inputSource returns the file that a flag names, or standard input for -. It refuses a
// file that takes more memory than there is: bytes for each of its own.
func inputSource(a *ui.Arguments, flag string, bytes float64) pagefile.Source {
	name := a.Text(flag, "a file, or - for standard input")
	if name == "-" {
		return pagefile.Source{Name: "standard input", Reader: a.CLI.App.Reader}
	}
	if info, err := os.Stat(name); err == nil { // an error comes again
		needed, memory := bytes*float64(info.Size()), ui.Memory(a.CLI.Context)
		if needed > memory {
			a.Fault(flag, "%q has %s: it takes %s of memory or more, of %s that there are: use a smaller file",
				name, ui.BytesText(float64(info.Size())), ui.BytesText(needed), ui.BytesText(memory))
		}
	}
	return pagefile.Source{Name: name}
}

// noneUsable says that a file has nothing that can be used, and of its rows why the
// first is of no use.
func noneUsable(a *ui.Arguments, flag, what string, report *pagefile.Report) {
	why := ""
	if len(report.Faults) > 0 {
		why = " (" + report.Faults[0].Error() + ")"
	}
	a.Fault(flag, "%s has no %s that can be used: give one or more%s", a.CLI.String(flag), what, why)
}

// reportInput looks at what reading a file has come to: faults in it are the
// user's to mend, and rows left out are listed.
func reportInput(a *ui.Arguments, flag string, report *pagefile.Report, err error) {
	switch {
	case err != nil && errors.Is(err, a.CLI.Err()):
		a.Fail(ui.EndEarly(ui.ExitInterrupted, "interrupted while reading: there is no answer yet"))
	case err != nil:
		a.Fail(ui.ListFault(flag, err))
	}
	if report.Unusable == 0 {
		return
	}
	all := report.Unusable + report.Rows
	share := float64(report.Unusable) / float64(all)
	if allowed := readAllowed(a); share > allowed {
		a.Fault("allow-left-out", "%d of %d rows of %s cannot be used, %s of them, and %s may be: mend the file, or allow more (%s)",
			report.Unusable, all, a.CLI.String(flag), ui.PercentText(share), ui.PercentText(allowed), ui.OneLine(report.Faults[0].Error()))
	}
	stderr := a.CLI.App.ErrWriter
	for _, fault := range report.Faults {
		fmt.Fprintf(stderr, "mdpsolve: left out: %s\n", ui.OneLine(fault.Error()))
	}
	if more := report.Unusable - int64(len(report.Faults)); more > 0 {
		fmt.Fprintf(stderr, "mdpsolve: left out: %d more rows that cannot be used\n", more)
	}
	fmt.Fprintf(stderr, "mdpsolve: warning: %d of %d rows left out (--strict refuses such files)\n", report.Unusable, all)
}

// solveFault words what package refresh says of the pages or of a flag.
func (p *pageInput) solveFault(err error) error {
	if page, ok := errors.AsType[*refresh.PageError](err); ok {
		column := map[string]string{"ChangeRates": "change_rate", "Weights": "weight", "Least": "least_rate"}[page.Field]
		return ui.UsageErrorf("--input: page %q: %s %v is not valid: use %s", p.IDs.At(page.Page), column, page.Value, page.Allowed)
	}
	return err
}
