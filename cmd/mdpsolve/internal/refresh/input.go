package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// pageList reads the pages of --input. Rows that cannot be used are reported on
// standard error, or refused.
func (a *arguments) pageList() *pageInput { return a.pages(a.readOptions()) }

func (a *arguments) pages(options pagefile.Options) *pageInput {
	source := a.source("input")
	if a.err != nil {
		return nil
	}
	pages, report, err := pagefile.ReadPages(a.context.Context, source, options)
	if err == nil && pages.Len() == 0 {
		a.noneUsable("input", "page", report)
	}
	if a.inputRead("input", report, err); a.err != nil {
		return nil
	}
	return &pageInput{pages, report}
}

// pageInput is a page list with what was said of its file.
type pageInput struct {
	*pagefile.Pages
	report *pagefile.Report
}

// source returns the file that a flag names, or standard input for -.
func (a *arguments) source(flag string) pagefile.Source {
	name := a.text(flag, "a file, or - for standard input,")
	if name == "-" {
		return pagefile.Source{Name: "standard input", Reader: a.context.App.Reader}
	}
	return pagefile.Source{Name: name}
}

func (a *arguments) readOptions() pagefile.Options {
	workers := a.workers()
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return pagefile.Options{Strict: a.context.Bool("strict"), Workers: workers}
}

// noneUsable says that a file has nothing that can be used, and of its rows why the
// first is of no use.
func (a *arguments) noneUsable(flag, what string, report *pagefile.Report) {
	why := ""
	if len(report.Faults) > 0 {
		why = " (" + report.Faults[0].Error() + ")"
	}
	a.fault(flag, "%s has no %s that can be used; one or more are needed%s", a.context.String(flag), what, why)
}

// inputRead looks at what reading a file has come to: faults in it are the
// user's to mend, and rows left out are listed.
func (a *arguments) inputRead(flag string, report *pagefile.Report, err error) {
	var fault *pagefile.FileError
	var path *fs.PathError
	switch {
	case a.err != nil:
	case errors.As(err, &fault):
		a.err = usageErrorf("%s", fault.Error())
	case errors.As(err, &path):
		a.fault(flag, "%q found; a file that can be read is allowed (%v)", path.Path, path.Err)
	case errors.Is(err, context.Canceled):
		a.err = endEarly(exitInterrupted, "interrupted while reading: there is no answer yet")
	case err != nil:
		a.fault(flag, "%v", err)
	}
	if a.err != nil {
		return
	}
	stderr := a.context.App.ErrWriter
	for _, fault := range report.Faults {
		fmt.Fprintf(stderr, "mdpsolve: left out: %s\n", oneLine(fault.Error()))
	}
	if more := report.Unusable - int64(len(report.Faults)); more > 0 {
		fmt.Fprintf(stderr, "mdpsolve: left out: %d more rows that cannot be used\n", more)
	}
	if report.Unusable > 0 {
		fmt.Fprintf(stderr, "mdpsolve: warning: %d of %d rows left out (--strict refuses such files)\n",
			report.Unusable, report.Unusable+report.Rows)
	}
}

// solveFault words what package refresh says of the pages or of a flag.
func (p *pageInput) solveFault(err error) error {
	if page, ok := errors.AsType[*refresh.PageError](err); ok {
		column := map[string]string{"ChangeRates": "change_rate", "Weights": "weight", "Least": "least_rate"}[page.Field]
		return usageErrorf("--input: page %q: %s %v found; %s is allowed", p.IDs.At(page.Page), column, page.Value, page.Allowed)
	}
	return err
}
