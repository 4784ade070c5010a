package ui

// Traces: the bounds after each iteration of a solve, in a file.

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// TraceFlag is --trace, the file of a [Trace].
func TraceFlag() cli.Flag {
	return ValueFlag("trace", "write the bounds after each iteration to `FILE`, whose name ends in .csv or .jsonl", "")
}

// Trace is a file with a row for each iteration of a solve: the bounds as the method sees
// them, and the time since the solve began. It is written when the solve has ended, also
// where that was early. All methods of nil do nothing.
type Trace struct {
	out  *OutFile
	rows []traceRow
}

type traceRow struct {
	Iteration int    `json:"iteration"`
	Lower     Number `json:"lower"`
	Upper     Number `json:"upper"`
	Gap       Number `json:"gap"`
	Seconds   Number `json:"seconds"`
}

// Trace reads the flag; nil where it is not set.
func (a *Arguments) Trace() *Trace {
	out := a.OutFile("trace", ".csv", ".jsonl")
	if out == nil {
		return nil
	}
	return &Trace{out: out}
}

// Watch returns what keeps a row of each iteration and then calls record, for
// mdp.Settings.Record.
func (t *Trace) Watch(record func(mdp.Progress) error) func(mdp.Progress) error {
	if t == nil {
		return record
	}
	known := func(x float64) Number {
		if math.IsInf(x, 0) {
			return Number(math.NaN())
		}
		return Number(x)
	}
	return func(at mdp.Progress) error {
		t.rows = append(t.rows, traceRow{at.Iteration, known(at.Lower), known(at.Upper), known(at.Upper - at.Lower), Number(at.Elapsed.Seconds())})
		return record(at)
	}
}

// Close writes the file of a solve, which ended with err, and returns that, or what is
// wrong with the file.
func (t *Trace) Close(err error) error {
	if t == nil || t.rows == nil && err != nil {
		return err
	}
	fault := t.out.Write(func(w io.Writer) error {
		if strings.EqualFold(filepath.Ext(t.out.Name), ".csv") {
			return WriteCSV(w, recordsOf(t.rows))
		}
		lines := json.NewEncoder(w)
		for _, row := range t.rows {
			if err := lines.Encode(row); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = fault
	}
	return err
}
