package ui

// Files with the bounds after each iteration of a solve.

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// TraceFlag is --bounds-out, the file of a [Trace].
func TraceFlag() cli.Flag {
	return ValueFlag("bounds-out", "write the bounds after each iteration to `FILE` (.csv or .jsonl)", "")
}

// Trace is a file with a row for each iteration of a solve: the bounds that the method has,
// and the time since the solve began. It is written when the solve ends, also at a limit.
// All methods of a nil Trace do nothing.
type Trace struct {
	out  *OutFile
	mu   sync.Mutex // work that was abandoned may go on
	rows []Record
}

// Trace reads the flag; nil if it is not set.
func (a *Arguments) Trace() *Trace {
	out := a.OutFile("bounds-out", ".csv", ".jsonl")
	if out == nil {
		return nil
	}
	return &Trace{out: out}
}

// Watch returns a function for mdp.Settings.Record that keeps a row for each iteration and
// then calls record.
func (t *Trace) Watch(record func(mdp.Progress) error) func(mdp.Progress) error {
	if t == nil {
		return record
	}
	known := func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.NaN()
		}
		return x
	}
	return func(at mdp.Progress) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.rows = append(t.rows, Record{
			{"iteration", at.Iteration},
			{"lower", known(at.Lower)},
			{"upper", known(at.Upper)},
			{"gap", known(at.Upper - at.Lower)},
			{"seconds", at.Elapsed.Seconds()},
		})
		return record(at)
	}
}

// Close writes the file of a solve that ended with err, and returns err or, if that is nil,
// the error of writing.
func (t *Trace) Close(err error) error {
	if t == nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rows == nil && err != nil {
		return err
	}
	fault := t.out.Write(func(w io.Writer) error {
		if strings.EqualFold(filepath.Ext(t.out.Name), ".csv") {
			return WriteCSV(w, slices.Values(t.rows))
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
