// This file keeps the rows of a sweep in a file, in which a later sweep goes on.

package robots

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// sweepFile is the file of --out; nil where there is none.
type sweepFile struct {
	file  *os.File
	axis  axis
	found []sweepRow // that were in it
	last  string     // the line of the last of them
	size  int64      // of what counts in it: the header and whole rows
	begun bool       // rows are being added
	ended bool       // a row was not added, so that those behind it may not be either
}

// openSweepFile opens the file of --out for a sweep: for rows behind its last whole
// one. Whether its rows are those of the sweep, check says later of the last.
func openSweepFile(a *ui.Arguments, s sweep) *sweepFile {
	out := a.OutFile("out", ".csv")
	if out == nil {
		return nil
	}
	const mode = 0o666 // users' own masks apply
	file, err := os.OpenFile(out.Name, os.O_RDWR|os.O_CREATE, mode)
	if err != nil {
		a.Fault("out", "%v", err)
	}
	f := &sweepFile{file: file, axis: s.axis}
	if err := f.read(s); err != nil {
		_ = file.Close() // nothing was written
		a.Fault("out", "%v", err)
	}
	return f
}

// read reads the whole rows.
func (f *sweepFile) read(s sweep) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%q is not valid: use a regular file", f.file.Name())
	}
	text, err := io.ReadAll(f.file)
	if err != nil {
		return err
	}
	header, _ := sweepRow{}.csv(s.axis)
	rest, found := strings.CutPrefix(string(text), header)
	if !found {
		if strings.HasPrefix(header, string(text)) { // empty, or not written to the end of its first line
			return nil
		}
		return f.refusal()
	}
	f.size = int64(len(header))
	for line := range strings.Lines(rest) {
		if !strings.HasSuffix(line, "\n") {
			break // not written to its end
		}
		row, ok := parseSweepRow(s.axis, line)
		if !ok || len(f.found) == len(s.values) || row.value != s.values[len(f.found)] {
			return f.refusal()
		}
		f.found, f.last = append(f.found, row), line
		f.size += int64(len(line))
	}
	return nil
}

func (f *sweepFile) refusal() error {
	return fmt.Errorf("%q holds something else than the first rows of this sweep: use another file, or remove it", f.file.Name())
}

// rows returns the rows that were in the file.
func (f *sweepFile) rows() []sweepRow {
	if f == nil {
		return nil
	}
	return f.found
}

// check compares the last row that was in the file with what it should be.
func (f *sweepFile) check(row sweepRow) error {
	if _, line := row.csv(f.axis); line != f.last {
		return ui.UsageErrorf("--out: %v", f.refusal())
	}
	return nil
}

// add adds a row, unless a limit or a signal ended its solve, to which a later sweep
// may give more time.
func (f *sweepFile) add(row sweepRow) error {
	if f == nil || f.ended {
		return nil
	}
	if row.status == mdp.TimeLimit || row.status == mdp.Interrupted {
		f.ended = true
		return nil
	}
	header, line := row.csv(f.axis)
	if f.size == 0 {
		line = header + line
	}
	if !f.begun {
		f.begun = true
		if err := f.file.Truncate(f.size); err != nil {
			return err
		}
	}
	_, err := f.file.WriteAt([]byte(line), f.size)
	f.size += int64(len(line))
	return err
}

func (f *sweepFile) close() error {
	if f == nil {
		return nil
	}
	return f.file.Close()
}
