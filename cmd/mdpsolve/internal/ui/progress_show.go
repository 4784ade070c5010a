package ui

// Progress on a terminal, as lines of text, and as lines of JSON.

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

const stoppingText = "mdpsolve: stopping; again to quit\n"

// statusLine is a line at the bottom of a terminal that is written again and again.
type statusLine struct {
	file  *os.File
	width int // of what stands there; 0 for nothing
}

func (*statusLine) first() time.Duration             { return 500 * time.Millisecond }
func (*statusLine) next(time.Duration) time.Duration { return 100 * time.Millisecond }

func (l *statusLine) moment(m moment) {
	columns, _, err := term.GetSize(int(l.file.Fd()))
	if err != nil || columns <= 0 {
		columns = 80
	}
	line := m.line(columns - 1) // terminals differ in what they do with the last column
	show(l.file, l.wiped(columns)+line)
	l.width = text.StringWidthWithoutEscSequences(line)
}

// wiped returns what wipes the line: where the terminal has become narrower since, it
// may stand in several rows.
func (l *statusLine) wiped(columns int) string {
	if l.width == 0 {
		return ""
	}
	rows := ""
	if more := (l.width - 1) / columns; more > 0 {
		rows = fmt.Sprintf("\x1b[%dA", more)
	}
	return "\r" + rows + "\x1b[J"
}

func (l *statusLine) clear() {
	if l.width == 0 {
		return
	}
	columns, _, err := term.GetSize(int(l.file.Fd()))
	if err != nil || columns <= 0 {
		columns = l.width
	}
	show(l.file, l.wiped(columns))
	l.width = 0
}

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

func (l textLog) moment(m moment) { show(l.out, "mdpsolve: "+m.line(math.MaxInt)+"\n") }
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
	writeJSON(&out, r, "")
	out.WriteByte('\n')
	show(l.out, out.String())
}

// A part of a line, in short too, and how soon it is left out where there is little room.
type part struct {
	long, short string
	rank        int
}

// line returns a moment in at most so many columns: what matters least is left out.
func (m moment) line(columns int) string {
	parts := m.parts()
	write := func(rank int, short bool) string {
		var words []string
		for _, p := range parts {
			switch {
			case p.rank > rank:
			case short:
				words = append(words, p.short)
			default:
				words = append(words, p.long)
			}
		}
		return strings.Join(words, ", ")
	}
	for rank := 5; ; rank-- {
		for _, short := range []bool{false, true} {
			line := write(rank, short)
			if text.StringWidthWithoutEscSequences(line) <= columns {
				return line
			}
			if rank == 0 && short {
				return text.Trim(line, max(columns, 0))
			}
		}
	}
}

func (m moment) parts() []part {
	seconds := durationText(m.seconds)
	phase := m.phase
	if phase == "" {
		phase = "working"
	}
	same := func(s string, rank int) part { return part{s, s, rank} }
	var parts []part
	switch {
	case m.things != "" && m.total > 0:
		parts = append(parts, same(fmt.Sprintf("%s: %d of %d %s", phase, m.done, m.total, m.things), 0))
	case m.things != "":
		parts = append(parts, same(fmt.Sprintf("%s: %d %s", phase, m.done, m.things), 0))
	case m.iteration > 0:
		parts = append(parts, part{fmt.Sprintf("%s: iteration %d", phase, m.iteration), fmt.Sprintf("%s: %d", phase, m.iteration), 0})
	default:
		parts = append(parts, same(phase, 0))
	}
	if gap := m.upper - m.lower; !math.IsNaN(gap) && !math.IsInf(gap, 0) {
		lower, upper := apart(m.lower, m.upper)
		parts = append(parts,
			part{fmt.Sprintf("between %s and %s", lower, upper), lower + " … " + upper, 2},
			same("gap "+ShortText(gap, 2), 3))
	}
	if m.rate > 0 && !math.IsInf(m.rate, 0) {
		parts = append(parts, same(ShortText(m.rate, 3)+"/s", 4))
	}
	parts = append(parts, same(seconds, 1))
	if !math.IsNaN(m.left) && !math.IsInf(m.left, 0) {
		parts = append(parts, part{"about " + durationText(m.left) + " left", durationText(m.left) + " left", 1})
	}
	if m.things == "" && m.iteration == 0 {
		return append(parts, same("Ctrl-C ends it", 5))
	}
	return append(parts, same("Ctrl-C: the best so far", 5))
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
