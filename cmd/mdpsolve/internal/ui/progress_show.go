package ui

// Progress on a terminal, as lines of text, and as lines of JSON.

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
)

// display shows moments on standard error: as one line of a terminal that is rewritten, as
// lines of text, or as lines of JSON.
type display struct {
	out    io.Writer
	bar    *progressbar.ProgressBar // nil: not on a terminal
	asJSON bool
}

const barParts = 1000

func newBar(terminal io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions64(barParts,
		progressbar.OptionSetWriter(terminal), progressbar.OptionUseANSICodes(true), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false), progressbar.OptionSetWidth(10))
}

// next returns how long to wait for the next moment at a time since the beginning. The
// intervals between lines of text double.
func (d *display) next(at time.Duration) time.Duration {
	switch {
	case d.bar != nil:
		return max(100*time.Millisecond, 500*time.Millisecond-at)
	case d.asJSON:
		return max(150*time.Millisecond, 250*time.Millisecond-at)
	}
	due := 2 * time.Second
	for due <= at {
		due *= 2
	}
	return due - at
}

func (d *display) moment(m moment) {
	switch {
	case d.bar != nil:
		d.draw(m)
	case d.asJSON:
		d.line(m.record())
	default:
		show(d.out, "mdpsolve: "+m.line()+"\n")
	}
}

// draw shows a bar beside a line, or a spinner if no share is known.
func (d *display) draw(m moment) {
	const besides = 22 // columns of the bar
	d.bar.Reset()
	if math.IsNaN(m.share) {
		d.bar.ChangeMax64(-1)
	} else {
		d.bar.ChangeMax64(barParts)
		_ = d.bar.Set64(min(int64(m.share*barParts), barParts-1)) // at its end a bar is gone
	}
	d.bar.Describe(text.Trim(m.line(), max(widthOf(d.out, 80)-besides, 0)))
}

// clear removes the line from the terminal.
func (d *display) clear() {
	if d.bar != nil {
		_ = d.bar.Clear()
	}
}

func (d *display) stopping() {
	if d.asJSON {
		d.line(Record{{"phase", "stopping"}})
		return
	}
	show(d.out, "mdpsolve: stopping; press Ctrl-C again to quit\n")
}

// note shows a warning.
func (d *display) note(text string) {
	if d.asJSON {
		d.line(Record{{"warning", text}})
		return
	}
	show(d.out, "mdpsolve: warning: "+text+"\n")
}

func (d *display) line(r Record) {
	if text, err := compactJSON(r); err == nil {
		show(d.out, string(text))
	}
}

// record returns a moment for --log json.
func (m moment) record() Record {
	var iteration any
	if m.iteration > 0 {
		iteration = m.iteration
	}
	record := Record{
		{"phase", m.phase},
		{"iteration", iteration},
		{"lower", m.lower},
		{"upper", m.upper},
		{"gap", m.upper - m.lower},
		{"seconds", m.seconds},
		{"left", m.left},
		{"rate", m.rate},
	}
	if m.things != "" {
		record = append(record, Field{"done", int(m.done)}, Field{"total", int(m.total)}, Field{"things", m.things})
	}
	return record
}

// line returns a moment in words, the most important first.
func (m moment) line() string {
	words := []string{cmp.Or(m.phase, "working")}
	end := "Ctrl-C: the best so far"
	switch {
	case m.things != "" && m.total > 0:
		words[0] += fmt.Sprintf(": %d of %d %s", m.done, m.total, m.things)
	case m.things != "":
		words[0] += fmt.Sprintf(": %d %s", m.done, m.things)
	case m.iteration > 0:
		words[0] += fmt.Sprintf(": iteration %d", m.iteration)
	default:
		end = "Ctrl-C ends it"
	}
	words = append(words, durationText(m.seconds))
	if !math.IsNaN(m.left) && !math.IsInf(m.left, 0) {
		words = append(words, "about "+durationText(m.left)+" left")
	}
	if gap := m.upper - m.lower; !math.IsNaN(gap) && !math.IsInf(gap, 0) {
		words = append(words, Interval(m.lower, m.upper), "gap "+ShortText(gap, 2))
	}
	if m.rate > 0 && !math.IsInf(m.rate, 0) {
		words = append(words, ShortText(m.rate, 3)+"/s")
	}
	return strings.Join(append(words, end), ", ")
}

// durationText returns "12s", "3m20s" or "5h10m0s".
func durationText(seconds float64) string {
	const most = 1e9 // some 30 years
	return (time.Duration(min(seconds, most)) * time.Second).String()
}
