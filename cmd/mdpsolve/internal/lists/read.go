// Package lists has what the verbs about pages do alike: they read and write lists of pages
// and of hosts, take rates and durations with units, and open stores.
package lists

// Lists that verbs read, and how much of them may be lost.

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// InputFlag is --input.
func InputFlag(what string) cli.Flag {
	return ui.ValueFlag("input", "read "+what+" from `FILE`, or from standard input: -", "", "i")
}

// ReadingFlags are those of all verbs that read whole lists.
func ReadingFlags() []cli.Flag {
	return ui.Group("Reading files",
		ui.SwitchFlag("strict", "refuse a file with a row that cannot be used, instead of leaving it out"),
		ui.ValueFlag("allow-left-out", "go on where up to `SHARE` of the rows of a file cannot be used, as in 5%", "1%"),
	)
}

// Options reads how files are to be read.
func Options(a *ui.Arguments) pagefile.Options {
	return pagefile.Options{Strict: a.CLI.Bool("strict"), Workers: a.Workers(), Unit: readUnit(a)}
}

// InputOptions are those of the file of --input.
func InputOptions(a *ui.Arguments) pagefile.Options {
	readAllowed(a) // a fault comes before the file is read
	return Options(a)
}

// StrictOptions are those of a file each row of which counts.
func StrictOptions(a *ui.Arguments) pagefile.Options {
	options := Options(a)
	options.Strict = true
	return options
}

// Access is what the rows of a history are: see [Read].
const Access = "access"

// leastMemory is what reading a plain text file takes in memory at the least, by byte of it,
// where that is not 1: a history has few accesses to each page. Packed files take more.
var leastMemory = map[string]float64{Access: 4}

// Source returns the file that a flag names, or standard input for -, which is that of one
// flag alone.
func Source(a *ui.Arguments, flag string) pagefile.Source {
	name := a.Text(flag, "a file, or - for standard input")
	if name != "-" {
		return pagefile.Source{Name: name}
	}
	if flag != "input" && a.CLI.String("input") == "-" {
		a.Fault(flag, "- is not valid with --input -: use a file for one of the two")
	}
	return pagefile.Source{Name: "standard input", Reader: a.CLI.App.Reader}
}

// Read reads the list that a flag names. Its rows are what, of which there has to be one, or
// "" where there may be none. It refuses a file that takes more memory than there is. Rows that
// cannot be used are reported on standard error, or refused.
func Read[T any](a *ui.Arguments, flag, what string, options pagefile.Options, read func(context.Context, pagefile.Source, pagefile.Options) (T, *pagefile.Report, error)) (T, *pagefile.Report) {
	source := Source(a, flag)
	if info, err := os.Stat(source.Name); source.Reader == nil && err == nil { // an error comes again
		needed, memory := cmp.Or(leastMemory[what], 1)*float64(info.Size()), ui.Memory(a.CLI.Context)
		if needed > memory {
			a.Fault(flag, "%q has %s: it takes %s of memory or more, of %s that there are: use a smaller file",
				source.Name, ui.BytesText(float64(info.Size())), ui.BytesText(needed), ui.BytesText(memory))
		}
	}
	ui.ProgressOf(a.CLI.Context).Phase("reading")
	list, report, err := read(a.CLI.Context, source, options)
	switch {
	case err != nil && errors.Is(err, a.CLI.Err()):
		a.Fail(ui.EndEarly(ui.ExitInterrupted, "interrupted while reading: there is no answer yet"))
	case err != nil:
		a.Fail(Fault(flag, err))
	case what != "" && report.Rows == 0 && len(report.Faults) > 0:
		a.Fault(flag, "%s has no %s that can be used: give one or more (%v)", a.CLI.String(flag), what, report.Faults[0])
	case what != "" && report.Rows == 0:
		a.Fault(flag, "%s has no %s that can be used: give one or more", a.CLI.String(flag), what)
	case report.Unusable > 0:
		reportUnusable(a, flag, report)
	}
	return list, report
}

// reportUnusable lists the rows that are left out, unless these are too many.
func reportUnusable(a *ui.Arguments, flag string, report *pagefile.Report) {
	all := report.Unusable + report.Rows
	share := float64(report.Unusable) / float64(all)
	if allowed := readAllowed(a); share > allowed {
		a.Fault("allow-left-out", "%d of %d rows of %s cannot be used, %s of them, and %s may be: mend the file, or allow more (%s)",
			report.Unusable, all, a.CLI.String(flag), ui.PercentText(share), ui.PercentText(allowed), ui.OneLine(report.Faults[0].Error()))
	}
	a.Fail(a.PrintAside(func(s *ui.Screen) {
		for _, fault := range report.Faults {
			s.Printf("mdpsolve: left out: %s\n", ui.OneLine(fault.Error()))
		}
		if more := report.Unusable - int64(len(report.Faults)); more > 0 {
			s.Printf("mdpsolve: left out: %d more rows that cannot be used\n", more)
		}
		s.Printf("mdpsolve: warning: %d of %d rows left out (--strict refuses such files)\n", report.Unusable, all)
	}))
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

// Fault words what package pagefile says of the file that a flag names.
func Fault(flag string, err error) error {
	if fault, ok := errors.AsType[*pagefile.FileError](err); ok {
		return ui.UsageErrorf("%s", fault.Error())
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return ui.UsageErrorf("--%s: %q is not valid: use a file that can be read (%v)", flag, path.Path, path.Err)
	}
	return ui.UsageErrorf("--%s: %v", flag, err)
}
