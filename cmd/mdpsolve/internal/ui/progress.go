package ui

// How far a solve has come, on the terminal.

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Progress shows on a line of the terminal how far a solve has come. On
// anything else it shows nothing.
type Progress struct {
	out   io.Writer // nil: nothing is shown
	label string
	begin time.Time
	shown time.Time
}

const (
	progressDelay = 500 * time.Millisecond // short solves show nothing
	progressEvery = 100 * time.Millisecond
	clearLine     = "\r\x1b[K"
)

// NewProgress returns what shows the progress of a solve on standard error.
func NewProgress(stderr io.Writer, label string) *Progress {
	p := &Progress{label: label, begin: time.Now()}
	if _, ok := terminal(stderr); ok && os.Getenv("TERM") != "dumb" {
		p.out = stderr
	}
	return p
}

// Record is for mdp.Settings.Record.
func (p *Progress) Record(at mdp.Progress) error {
	now := time.Now()
	if p.out == nil || now.Sub(p.begin) < progressDelay || now.Sub(p.shown) < progressEvery {
		return nil
	}
	p.shown = now
	_, err := fmt.Fprintf(p.out, "%s%s: iteration %d, between %.6g and %.6g, %.0f s (Ctrl-C: the best so far)",
		clearLine, p.label, at.Iteration, at.Lower, at.Upper, now.Sub(p.begin).Seconds())
	return err
}

// Done wipes the line.
func (p *Progress) Done() {
	if p.out != nil && !p.shown.IsZero() {
		fmt.Fprint(p.out, clearLine)
	}
}
