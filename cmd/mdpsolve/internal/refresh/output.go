package refresh

// Files that the verbs of refresh write.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// outName returns the file of a table that a flag names, or "" for standard output.
// Whether it can be written is found out before there is anything to write, so that a
// long solve is not in vain.
func outName(a *ui.Arguments, flag string) string {
	name := a.CLI.String(flag)
	if !a.CLI.IsSet(flag) || name == "-" {
		return ""
	}
	a.CanWrite(flag, name)
	if err := pagefile.CheckName(name); err != nil {
		a.Fault(flag, "%v", err)
	}
	notTheFileOf(a, flag, "input", "host-caps", "last-fetch", "host-delays")
	return name
}

// outTarget returns the place of a table: a file, or standard output as CSV for "".
func outTarget(c *cli.Context, name string) pagefile.Target {
	if name == "" {
		ui.ProgressOf(c.Context).Stream(c.App.Writer)
		return pagefile.Target{Name: "standard output", Writer: c.App.Writer, Format: pagefile.CSV, Compression: pagefile.Uncompressed}
	}
	return pagefile.Target{Name: name}
}

// checkRegularFile refuses what is no regular file, for a file that is read again.
func checkRegularFile(a *ui.Arguments, flag, name string) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		a.Fault(flag, "%q is not a regular file: use one, as a schedule with --state goes on from it", name)
	}
}

// notTheFileOf refuses a file to be written that is also that of another flag,
// which would be lost.
func notTheFileOf(a *ui.Arguments, flag string, others ...string) {
	name := a.CLI.String(flag)
	for _, other := range others {
		theirs := a.CLI.String(other)
		if a.CLI.IsSet(other) && theirs != "-" && wholefile.Same(name, theirs) {
			a.Fault(flag, "%q is the file of --%s, too: use another file", name, other)
		}
	}
}

// writeWhole has an answer written, to its end where that comes soon after an
// interruption: it has been found. Otherwise files are as they were. interrupted says
// that there was one.
func writeWhole(c *cli.Context, write func(context.Context) error) (interrupted bool, err error) {
	const patience = 2 * ui.Patience
	ui.ProgressOf(c.Context).Phase("writing")
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.Context))
	defer cancel()
	stop := context.AfterFunc(c.Context, func() { time.AfterFunc(patience, cancel) })
	defer stop()
	err = write(ctx)
	if err != nil && ctx.Err() != nil {
		return true, ui.EndEarly(ui.ExitInterrupted, "interrupted while writing: files are as they were")
	}
	return c.Err() != nil, err
}

// outFault words what has kept the file of a flag from being written: a full disk, for
// example. That of standard output, whose name is "", is nobody's flag.
func outFault(flag, name string, err error) error {
	if err == nil || name == "" {
		return err
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return ui.UsageErrorf("--%s: %q is not valid: use a file that can be written (%v)", flag, name, err)
}

// endOfWriting returns what a command ends with that may have been interrupted while
// writing.
func endOfWriting(interrupted bool, what string) error {
	if !interrupted {
		return nil
	}
	return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted while %s were written: they are all there", what))
}

// finite returns nil, which stands for no number, for +Inf.
func finite(x *float64) *float64 {
	if math.IsInf(*x, 1) {
		return nil
	}
	return x
}
