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
// output. It checks first that the file can be written, so that a long solve is not in vain.
func OutFile(a *ui.Arguments, flag string) Out {
	out := TextFile(a, flag)
	if out.Name != "" {
		if err := pagefile.CheckName(out.Name); err != nil {
			a.Fault(flag, "%v", err)
		}
	}
	return out
}

// TextFile is [OutFile] for files whose names need not give a format of lists.
func TextFile(a *ui.Arguments, flag string) Out {
	name := a.CLI.String(flag)
	if !a.CLI.IsSet(flag) || name == "-" {
		return Out{"", flag, a}
	}
	a.CanWrite(flag, name)
	NotTheFileOf(a, flag, "input", "host-caps", "last-fetch", "host-delays", "weights", "pages", "store")
	return Out{name, flag, a}
}

// NotTheFileOf refuses to write the file of another flag, which would be lost.
func NotTheFileOf(a *ui.Arguments, flag string, others ...string) {
	name := a.CLI.String(flag)
	for _, other := range others {
		theirs := a.CLI.String(other)
		if a.CLI.IsSet(other) && theirs != "-" && wholefile.Same(name, theirs) {
			a.Fault(flag, "%q is also the file of --%s: use another file", name, other)
		}
	}
}

// WriteInUnit writes a list like [WriteRows], without the column unit if the unit is unknown.
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

// Fault is [OutFault] for the file; standard output belongs to no flag.
func (out Out) Fault(err error) error {
	if out.Name == "" {
		return err
	}
	return OutFault(out.flag, out.Name, err)
}

// WriteWhole writes an answer. After an interruption it goes on for a while, as the answer has
// been found; if that is not enough, files stay as they were. interrupted reports an
// interruption.
func WriteWhole(a *ui.Arguments, write func(context.Context) error) (interrupted bool, err error) {
	const patience = 2 * ui.Patience
	ui.ProgressOf(a.CLI.Context).Phase("writing")
	ctx, cancel := context.WithCancel(context.WithoutCancel(a.CLI.Context))
	defer cancel()
	stop := context.AfterFunc(a.CLI.Context, func() { time.AfterFunc(patience, cancel) })
	defer stop()
	err = write(ctx)
	if err != nil && ctx.Err() != nil {
		return true, ui.EndEarly(ui.ExitInterrupted, "interrupted while writing: no file has changed")
	}
	return a.CLI.Err() != nil, err
}

// EndOfWriting returns the error of a command that was interrupted while writing, or nil.
func EndOfWriting(interrupted bool, what string) error {
	if !interrupted {
		return nil
	}
	return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted while writing %s: all of them are written", what))
}

// OutFault words why the file of a flag cannot be written: a full disk, for example.
func OutFault(flag, name string, err error) error {
	if err == nil {
		return nil
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return ui.UsageErrorf("--%s: %q cannot be written: %v", flag, name, err)
}

// Finite returns nil, which stands for no number, for +Inf.
func Finite(x *float64) *float64 {
	if math.IsInf(*x, 1) {
		return nil
	}
	return x
}
