package ui

// Progress on a terminal, as lines of text, and as lines of JSON.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

const stoppingText = "mdpsolve: stopping; again to quit\n"

// statusLine is a line at the bottom of a terminal that is written again and again.
type statusLine struct {
	file *os.File
	bar  *progressbar.ProgressBar
}

const barParts = 1000

func newStatusLine(file *os.File) *statusLine {
	return &statusLine{file, progressbar.NewOptions64(barParts,
		progressbar.OptionSetWriter(file), progressbar.OptionUseANSICodes(true), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false), progressbar.OptionSetWidth(10))}
}

func (*statusLine) first() time.Duration             { return 500 * time.Millisecond }
func (*statusLine) next(time.Duration) time.Duration { return 100 * time.Millisecond }

// moment shows a bar beside the line, or something that turns where no share is known.
func (l *statusLine) moment(m moment) {
	const besides = 22 // columns of the bar
	columns, _, err := term.GetSize(int(l.file.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	l.bar.Reset()
	if math.IsNaN(m.share) {
		l.bar.ChangeMax64(-1)
	} else {
		l.bar.ChangeMax64(barParts)
		_ = l.bar.Set64(min(int64(m.share*barParts), barParts-1)) // at its end a bar is gone
	}
	l.bar.Describe(text.Trim(m.line(), max(columns-besides, 0)))
}

func (l *statusLine) clear()        { _ = l.bar.Clear() }
func (l *statusLine) stopping()     { show(l.file, stoppingText) }
func (l *statusLine) note(s string) { textLog{l.file}.note(s) }

// textLog is lines of text, of which each comes twice as late as the one before.
type textLog struct{ out io.Writer }

const firstLine = 2 * time.Second

func (textLog) first() time.Duration { return firstLine }

func (textLog) next(at time.Duration) time.Duration {
	due := firstLine
	for due <= at {
		due *= 2
	}
	return due - at
}

func (l textLog) moment(m moment) { show(l.out, "mdpsolve: "+m.line()+"\n") }
func (l textLog) stopping()       { show(l.out, stoppingText) }
func (l textLog) note(s string)   { show(l.out, "mdpsolve: warning: "+s+"\n") }
func (textLog) clear()            {}

// jsonLog is lines of JSON, for programs: {"phase": …} and {"warning": …}.
type jsonLog struct{ out io.Writer }

func (jsonLog) first() time.Duration             { return 250 * time.Millisecond }
func (jsonLog) next(time.Duration) time.Duration { return 150 * time.Millisecond }

func (l jsonLog) moment(m moment) {
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
	l.line(record)
}

func (l jsonLog) stopping()     { l.line(Record{{"phase", "stopping"}}) }
func (l jsonLog) note(s string) { l.line(Record{{"warning", s}}) }
func (jsonLog) clear()          {}

func (l jsonLog) line(r Record) {
	var out bytes.Buffer
	if writeJSON(&out, r, false) == nil {
		show(l.out, out.String())
	}
}

// line returns a moment in words; what matters least stands last.
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
		lower, upper := apart(m.lower, m.upper)
		words = append(words, fmt.Sprintf("between %s and %s", lower, upper), "gap "+ShortText(gap, 2))
	}
	if m.rate > 0 && !math.IsInf(m.rate, 0) {
		words = append(words, ShortText(m.rate, 3)+"/s")
	}
	return strings.Join(append(words, end), ", ")
}

// apart returns two numbers to as many digits as tell them apart, and one more.
func apart(lower, upper float64) (low, high string) {
	for significant := 3; ; significant++ {
		low, high = ShortText(lower, significant), ShortText(upper, significant)
		if low != high || significant >= digits {
			return ShortText(lower, significant+1), ShortText(upper, significant+1)
		}
	}
}

// durationText returns "12 s", "3 min 20 s" or "5 h 10 min".
func durationText(seconds float64) string {
	s := int64(min(math.Round(seconds), 1e15))
	switch {
	case s < 120:
		return strconv.FormatInt(s, 10) + " s"
	case s < 7200:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case s < 48*3600:
		return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
	}
	return fmt.Sprintf("%d days", s/86400)
}
