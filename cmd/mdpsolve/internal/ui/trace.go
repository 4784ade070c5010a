package ui

// Traces: the bounds after each iteration of a solve, in a file.

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// TraceFlag is --trace, the file of a [Trace].
func TraceFlag() cli.Flag {
	return ValueFlag("trace", "write the bounds after each iteration to `FILE`, whose name ends in .csv or .jsonl", "")
}

// Trace is a file with a row for each iteration of a solve: iteration, lower, upper, gap
// and seconds, the bounds as the method sees them and the time since the solve began. It
// appears under its name when the solve has ended, also where that was early. All methods
// of nil do nothing.
type Trace struct {
	out   *OutFile
	begin time.Time
	rows  int
	file  *wholefile.File // nil until the solve begins
	text  *bufio.Writer
}

// Trace reads the flag; nil where it is not set.
func (a *Arguments) Trace() *Trace {
	out := a.OutFile("trace", ".csv", ".jsonl")
	if out == nil {
		return nil
	}
	return &Trace{out: out}
}

// Watch returns what writes a row for each iteration and then calls record, for
// mdp.Settings.Record.
func (t *Trace) Watch(record func(mdp.Progress) error) func(mdp.Progress) error {
	if t == nil {
		return record
	}
	t.begin = time.Now()
	return func(at mdp.Progress) error {
		if err := t.add(at); err != nil {
			return err
		}
		return record(at)
	}
}

// open creates the file.
func (t *Trace) open() error {
	if t.file != nil {
		return nil
	}
	const mode = 0o666 // users' own masks apply
	var err error
	if t.file, err = wholefile.Create(t.out.Name, mode); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	t.text = bufio.NewWriter(t.file)
	return nil
}

func (t *Trace) add(at mdp.Progress) error {
	if err := t.open(); err != nil {
		return err
	}
	known := func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.NaN()
		}
		return x
	}
	row := Record{
		{"iteration", at.Iteration},
		{"lower", known(at.Lower)},
		{"upper", known(at.Upper)},
		{"gap", known(at.Upper - at.Lower)},
		{"seconds", time.Since(t.begin).Seconds()},
	}
	var line bytes.Buffer
	if strings.EqualFold(filepath.Ext(t.out.Name), ".jsonl") {
		if err := writeJSON(&line, row, false); err != nil {
			return err
		}
	} else {
		if t.rows == 0 {
			line.WriteString(strings.Join(row.names(), ",") + "\n")
		}
		line.WriteString(strings.Join(row.cells(ExactText), ",") + "\n")
	}
	t.rows++
	if _, err := t.text.Write(line.Bytes()); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}

// Close completes the file of a solve, which ended with err, and returns that, or what is
// wrong with the file.
func (t *Trace) Close(err error) error {
	if t == nil || t.file == nil && err != nil {
		return err
	}
	fault := t.open()
	if fault == nil {
		if fault = t.text.Flush(); fault == nil {
			fault = t.file.Commit()
		} else {
			t.file.Abort()
		}
	}
	if err == nil && fault != nil {
		err = fmt.Errorf("--trace: %w", fault)
	}
	return err
}
