// Package lists has what the verbs about pages share: reading and writing lists of pages and
// hosts, rates and durations with units, and opening stores.
package lists

// Reading lists, and the share of their rows that may be left out.

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// InputFlag is --input.
func InputFlag(what string) cli.Flag {
	return ui.ValueFlag("input", "read "+what+" from `FILE`; - is standard input", "", "i")
}

// ReadingFlags are the flags of all verbs that read whole lists.
func ReadingFlags() []cli.Flag {
	return ui.Group("Reading files",
		ui.SwitchFlag("strict", "refuse files with invalid rows"),
		ui.ValueFlag("allow-left-out", "ignore invalid rows up to this `SHARE` of a file, as in 5%", "1%"),
	)
}

// Options returns the options for reading files.
func Options(a *ui.Arguments) pagefile.Options {
	return pagefile.Options{Strict: a.CLI.Bool("strict"), Workers: a.Workers(), Unit: readUnit(a)}
}

// InputOptions are the options for the file of --input.
func InputOptions(a *ui.Arguments) pagefile.Options {
	readAllowed(a) // report an invalid flag before reading the file
	return Options(a)
}

// StrictOptions are the options for a file in which no row may be invalid.
func StrictOptions(a *ui.Arguments) pagefile.Options {
	options := Options(a)
	options.Strict = true
	return options
}

// Access is the kind of row in a history: see [Read].
const Access = "access"

// leastMemory has, by kind of row, the least memory in bytes for a byte of a plain text file,
// if it is not 1. A history with few accesses to each page takes more, and a packed file
// still more.
var leastMemory = map[string]float64{Access: 4}

// Source returns the file that a flag names, or standard input for -, which only one flag
// may name.
func Source(a *ui.Arguments, flag string) pagefile.Source {
	name := a.Text(flag, "a file, or - for standard input")
	if name != "-" {
		return pagefile.Source{Name: name}
	}
	if flag != "input" && a.CLI.String("input") == "-" {
		a.Fault(flag, "- is not valid with --input -: use a file for one of them")
	}
	return pagefile.Source{Name: FileName(a, flag), Reader: a.CLI.App.Reader}
}

// FileName is what messages call the file of a flag.
func FileName(a *ui.Arguments, flag string) string {
	if name := a.CLI.String(flag); name != "-" {
		return name
	}
	return "standard input"
}

// Read reads the list that a flag names. what says what its rows are, at least one; "" if the
// list may be empty. A file that takes more memory than is free is refused. Invalid rows are
// reported on standard error, or refused.
func Read[T any](a *ui.Arguments, flag, what string, options pagefile.Options, read func(context.Context, pagefile.Source, pagefile.Options) (T, *pagefile.Report, error)) (T, *pagefile.Report) {
	source := Source(a, flag)
	if info, err := os.Stat(source.Name); source.Reader == nil && err == nil { // reading reports an error
		needed, memory := cmp.Or(leastMemory[what], 1)*float64(info.Size()), ui.Memory(a.CLI.Context)
		if needed > memory {
			a.Fault(flag, "%q has %s and takes at least %s of memory, and %s are free: use a smaller file",
				source.Name, ui.BytesText(float64(info.Size())), ui.BytesText(needed), ui.BytesText(memory))
		}
	}
	ui.ProgressOf(a.CLI.Context).Phase("reading")
	list, report, err := read(a.CLI.Context, source, options)
	switch {
	case err != nil && errors.Is(err, a.CLI.Err()):
		a.Fail(ui.EndEarly(ui.ExitInterrupted, "interrupted while reading: no answer yet"))
	case err != nil:
		a.Fail(Fault(flag, err))
	case what != "" && report.Rows == 0 && len(report.Faults) > 0:
		a.Fault(flag, "%s has no %s that can be used: give at least one (%v)", source.Name, what, report.Faults[0])
	case what != "" && report.Rows == 0:
		a.Fault(flag, "%s has no %s that can be used: give at least one", source.Name, what)
	case report.Unusable > 0:
		reportUnusable(a, flag, report)
	}
	return list, report
}

// EachAccess calls take with the accesses of a log, each of which needs a time. flag names the log in
// messages without a place.
func EachAccess(a *ui.Arguments, flag string, source pagefile.Source, take func(pagefile.Visit)) {
	ui.ProgressOf(a.CLI.Context).Phase("reading")
	err := pagefile.EachVisit(a.CLI.Context, source, pagefile.Options{}, func(v pagefile.Visit) error {
		if v.Time.IsZero() {
			return &pagefile.FileError{Line: v.Line, Column: 1, Found: "an access without a time", Expected: "a time for each"}
		}
		take(v)
		return nil
	})
	switch {
	case err != nil && a.CLI.Err() != nil:
		a.Fail(ui.EndEarly(ui.ExitInterrupted, "interrupted while reading: no answer yet"))
	case err != nil:
		a.Fail(Fault(flag, err))
	}
}

// reportUnusable lists the invalid rows, or ends the command if there are too many.
func reportUnusable(a *ui.Arguments, flag string, report *pagefile.Report) {
	all := report.Unusable + report.Rows
	share := float64(report.Unusable) / float64(all)
	if allowed := readAllowed(a); share > allowed {
		a.Fault(flag, "%d of %d rows of %s are invalid (%s): correct the file, or give a higher --allow-left-out than %s (%s)",
			report.Unusable, all, FileName(a, flag), ui.PercentText(share), ui.PercentText(allowed), wording.Line(report.Faults[0].Error()))
	}
	a.Fail(a.PrintAside(func(s *ui.Screen) {
		for _, fault := range report.Faults {
			s.Printf("mdpsolve: ignored: %s\n", wording.Line(fault.Error()))
		}
		if more := report.Unusable - int64(len(report.Faults)); more > 0 {
			s.Printf("mdpsolve: ignored: %d more invalid rows\n", more)
		}
		s.Printf("mdpsolve: warning: %d of %d rows ignored (--strict refuses such files)\n", report.Unusable, all)
	}))
}

// readAllowed reads the share of rows that may be invalid.
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

// Fault returns the usage error for the file of a flag that package pagefile refuses.
func Fault(flag string, err error) error {
	if fault, ok := errors.AsType[*pagefile.FileError](err); ok {
		return ui.UsageErrorf("%s", fault.Error())
	}
	if fault := ui.ReadFault(err); fault != nil {
		return fault
	}
	return ui.UsageErrorf("--%s: %v", flag, err)
}
