package lists

// Lists that verbs write.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// An Out is the file of a list that a flag names, or standard output.
type Out struct {
	Name string // "" for standard output
	flag string
	a    *ui.Arguments
}

// OutFile reads a flag that names the file of a list; without it the list goes to standard
// output. Whether it can be written is found out before there is anything to write, so that a
// long solve is not in vain.
func OutFile(a *ui.Arguments, flag string) Out {
	out := TextFile(a, flag)
	if out.Name != "" {
		if err := pagefile.CheckName(out.Name); err != nil {
			a.Fault(flag, "%v", err)
		}
	}
	return out
}

// TextFile is [OutFile] for files whose names need not say a format of lists.
func TextFile(a *ui.Arguments, flag string) Out {
	name := a.CLI.String(flag)
	if !a.CLI.IsSet(flag) || name == "-" {
		return Out{"", flag, a}
	}
	a.CanWrite(flag, name)
	NotTheFileOf(a, flag, "input", "host-caps", "last-fetch", "host-delays", "weights", "pages", "store")
	return Out{name, flag, a}
}

// NotTheFileOf refuses a file to be written that is also that of another flag,
// which would be lost.
func NotTheFileOf(a *ui.Arguments, flag string, others ...string) {
	name := a.CLI.String(flag)
	for _, other := range others {
		theirs := a.CLI.String(other)
		if a.CLI.IsSet(other) && theirs != "-" && wholefile.Same(name, theirs) {
			a.Fault(flag, "%q is the file of --%s, too: use another file", name, other)
		}
	}
}

// WriteInUnit writes a list like [WriteRows], without its column unit where the unit of its
// rates is not known.
func WriteInUnit[Row any](ctx context.Context, out Out, u unit.Unit, n int, row func(i int) Row, without ...string) error {
	if u == unit.Unknown {
		without = append(without, "unit")
	}
	return WriteRows(ctx, out, n, row, without...)
}

// WriteRows writes a list of n rows, as [pagefile.WriteRows] does: to standard output as CSV.
func WriteRows[Row any](ctx context.Context, out Out, n int, row func(i int) Row, without ...string) error {
	return out.Fault(pagefile.WriteRows(ctx, out.Target(), n, out.a.Workers(), row, without...))
}

// Target returns the file, or standard output for CSV.
func (out Out) Target() pagefile.Target {
	if out.Name != "" {
		return pagefile.Target{Name: out.Name}
	}
	ui.ProgressOf(out.a.CLI.Context).Stream(out.a.CLI.App.Writer)
	return pagefile.Target{Name: "standard output", Writer: out.a.CLI.App.Writer, Format: pagefile.CSV}
}

// Fault is [OutFault] for the file, or for standard output, which is nobody's flag.
func (out Out) Fault(err error) error {
	if out.Name == "" {
		return err
	}
	return OutFault(out.flag, out.Name, err)
}

// WriteWhole has an answer written, to its end where that comes soon after an
// interruption: it has been found. Otherwise files are as they were. interrupted says
// that there was one.
func WriteWhole(a *ui.Arguments, write func(context.Context) error) (interrupted bool, err error) {
	const patience = 2 * ui.Patience
	ui.ProgressOf(a.CLI.Context).Phase("writing")
	ctx, cancel := context.WithCancel(context.WithoutCancel(a.CLI.Context))
	defer cancel()
	stop := context.AfterFunc(a.CLI.Context, func() { time.AfterFunc(patience, cancel) })
	defer stop()
	err = write(ctx)
	if err != nil && ctx.Err() != nil {
		return true, ui.EndEarly(ui.ExitInterrupted, "interrupted while writing: files are as they were")
	}
	return a.CLI.Err() != nil, err
}

// EndOfWriting returns what a command ends with that may have been interrupted while
// writing.
func EndOfWriting(interrupted bool, what string) error {
	if !interrupted {
		return nil
	}
	return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted while %s were written: they are all there", what))
}

// OutFault words what has kept the file of a flag from being written: a full disk, for
// example.
func OutFault(flag, name string, err error) error {
	if err == nil {
		return nil
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return ui.UsageErrorf("--%s: %q is not valid: use a file that can be written (%v)", flag, name, err)
}

// Finite returns nil, which stands for no number, for +Inf.
func Finite(x *float64) *float64 {
	if math.IsInf(*x, 1) {
		return nil
	}
	return x
}
