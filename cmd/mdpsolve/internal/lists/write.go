package lists

// Writing lists.

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
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
// output. OutFile checks that the file can be written, before a long solve would be in
// vain.
func OutFile(a *ui.Arguments, flag string) Out {
	out := TextFile(a, flag)
	if out.Name != "" {
		if err := pagefile.CheckName(out.Name); err != nil {
			a.Fault(flag, "%v", err)
		}
	}
	return out
}

// TextFile is [OutFile] for files whose names need not tell a format.
func TextFile(a *ui.Arguments, flag string) Out {
	name := a.CLI.String(flag)
	if !a.CLI.IsSet(flag) || name == "-" {
		return Out{"", flag, a}
	}
	a.CanWrite(flag, name)
	a.KeepInputs(flag)
	return Out{name, flag, a}
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

// Fault returns the usage error for a file that could not be written, because the disk is full
// for example; nil for no error. Errors of standard output are returned as they are.
func (out Out) Fault(err error) error {
	if out.Name == "" {
		return err
	}
	return ui.WriteFault(out.flag, out.Name, err)
}

// WriteWhole calls write for an answer that has been found. After an interruption it lets
// write finish if that is soon, and otherwise leaves files unchanged. interrupted says
// whether there was an interruption.
func WriteWhole(a *ui.Arguments, write func(context.Context) error) (interrupted bool, err error) {
	const patience = 2 * ui.Patience
	ui.ProgressOf(a.CLI.Context).Phase("writing")
	ctx, cancel := context.WithCancel(context.WithoutCancel(a.CLI.Context))
	defer cancel()
	stop := context.AfterFunc(a.CLI.Context, func() { time.AfterFunc(patience, cancel) })
	defer stop()
	err = write(ctx)
	if err != nil && ctx.Err() != nil {
		return true, ui.EndEarly(ui.ExitInterrupted, "interrupted while writing: files are unchanged")
	}
	return a.CLI.Err() != nil, err
}

// EndOfWriting returns the end of a command that may have been interrupted while writing.
func EndOfWriting(interrupted bool, what string) error {
	if !interrupted {
		return nil
	}
	return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted while writing %s: all are written", what))
}

// Finite returns nil for +Inf, which JSON cannot hold.
func Finite(x *float64) *float64 {
	if math.IsInf(*x, 1) {
		return nil
	}
	return x
}
