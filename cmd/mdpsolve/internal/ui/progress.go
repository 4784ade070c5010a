package ui

// Progress on standard error: its state, and when it is shown.

import (
	"context"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// progressFlags are the flags of every verb about standard error.
func progressFlags() []cli.Flag {
	return Group(OutputGroup,
		SwitchFlag("quiet", "show no progress and no warnings"),
		NewChoiceFlag("log", "show progress and warnings line by line as `FORM`", "", FormatText, FormatJSON),
	)
}

// Progress shows how far a command has come. Its methods may be called from any goroutine;
// those of a nil Progress do nothing. A separate goroutine prints, so that reporting is
// cheap and the elapsed time goes on while nothing is reported.
type Progress struct {
	show  *display // nil: nothing is shown
	begin time.Time
	ended chan struct{}
	done  sync.WaitGroup

	mu       sync.Mutex // guards the fields below and writing to standard error
	now      moment
	first    milestone // of the current phase
	count    int64     // of things, or iterations, so far
	firstGap float64   // of the current iteration
}

// moment is the state of a command. Unknown values are NaN, 0 or "".
type moment struct {
	phase        string
	iteration    int
	lower, upper float64
	done, total  int64 // things, such as rows of a table
	things       string
	share        float64 // of the work of the phase done
	seconds      float64 // since the command began
	left         float64 // seconds, estimated
	rate         float64 // things, or iterations, per second
}

// milestone is the time at which a count of things, or iterations, and a share of the work
// was reached.
type milestone struct {
	at    time.Time
	count int64
	share float64
}

type progressKey struct{}

// ProgressOf returns the Progress of the command that runs under ctx; nil if it has none.
func ProgressOf(ctx context.Context) *Progress {
	p, _ := ctx.Value(progressKey{}).(*Progress)
	return p
}

// Unwatched returns ctx for a part of a command that reports no progress.
func Unwatched(ctx context.Context) context.Context {
	return context.WithValue(ctx, progressKey{}, (*Progress)(nil))
}

func newProgress() *Progress {
	return &Progress{begin: time.Now(), ended: make(chan struct{}), now: beginOf("")}
}

// startProgress begins to show progress, and keeps it in the context of the command.
// Without --log, progress is shown if standard error is a file or a terminal, but not if it
// is a buffer of a program that runs the command.
func (a *Arguments) startProgress() {
	c, stderr := a.CLI, a.CLI.App.ErrWriter
	p := newProgress()
	_, isFile := stderr.(*os.File)
	log := ""
	if c.IsSet("log") {
		log = a.Choice("log")
	}
	switch {
	case c.Bool("quiet"):
		if log != "" {
			a.Fault("log", "not valid with --quiet: use one of the two")
		}
	case log == FormatJSON:
		p.show = &display{out: stderr, asJSON: true}
	case log == FormatText || isFile:
		p.show = &display{out: stderr}
		if _, ok := terminal(stderr); ok && log == "" && os.Getenv("TERM") != "dumb" {
			p.show.bar = newBar(stderr)
		}
	}
	a.progress = p
	c.Context = context.WithValue(c.Context, progressKey{}, p)
	if p.show != nil {
		p.done.Go(func() { p.run(c.Done()) })
	}
}

// run shows moments until the command ends.
func (p *Progress) run(interrupted <-chan struct{}) {
	timer := time.NewTimer(p.show.next(0))
	defer timer.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-interrupted:
			interrupted = nil
			p.Aside(p.show.stopping)
		case <-timer.C:
			p.mu.Lock()
			p.show.moment(p.moment())
			p.mu.Unlock()
			timer.Reset(p.show.next(time.Since(p.begin)))
		}
	}
}

// Stop ends the display; the command may go on.
func (p *Progress) Stop() {
	if p == nil || p.show == nil {
		return
	}
	p.mu.Lock()
	select {
	case <-p.ended:
	default:
		close(p.ended)
	}
	p.show.clear()
	p.mu.Unlock()
	p.done.Wait()
}

// Stream says that standard output is written piece by piece from now on. If that is a
// terminal, progress ends.
func (p *Progress) Stream(stdout io.Writer) {
	if _, ok := terminal(stdout); ok && p != nil && p.show != nil && p.show.bar != nil {
		p.Stop()
	}
}

// Aside clears the progress line and calls write, which may write to the same terminal.
func (p *Progress) Aside(write func()) {
	if p == nil || p.show == nil {
		write()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.show.clear()
	write()
}

// beginOf returns the beginning of a phase.
func beginOf(phase string) moment {
	unknown := math.NaN()
	return moment{phase: phase, lower: unknown, upper: unknown, share: unknown, left: unknown, rate: unknown}
}

// Phase begins a phase, such as "reading".
func (p *Progress) Phase(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.first, p.count = beginOf(name), milestone{}, 0
}

// Count reports how many things of a phase are done; total is 0 if it is unknown.
func (p *Progress) Count(done, total int64, things string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.done, p.now.total, p.now.things = done, total, things
	p.reached(done, float64(done)/float64(total))
}

// Bounds reports the bounds of an iteration. relative is the gap that is compared with
// target, at which the iteration ends; 0 if that is unknown. Gaps decline geometrically in
// the long run, so that the logarithm of the gap measures the work.
func (p *Progress) Bounds(iteration int, lower, upper, relative, target float64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if iteration < p.now.iteration || p.first.at.IsZero() { // another solve
		p.first, p.firstGap = milestone{}, math.NaN()
	}
	p.now.iteration, p.now.lower, p.now.upper = iteration, lower, upper
	if math.IsNaN(p.firstGap) && !math.IsInf(relative, 0) {
		p.first, p.firstGap = milestone{}, relative
	}
	p.reached(int64(iteration), math.Log(p.firstGap/relative)/math.Log(p.firstGap/target))
}

// reached notes how much is done.
func (p *Progress) reached(count int64, share float64) {
	p.count, p.now.share = count, share
	if p.first.at.IsZero() {
		p.first = milestone{time.Now(), count, share}
	}
}

// Solving returns a function for mdp.Settings.Record that reports the bounds of a solve.
// If costs are not negative, the bounds are raised to 0 at least, and tolerance is that of
// the solve, relative to the upper bound, or 0 if other solves follow.
func (p *Progress) Solving(notNegative bool, tolerance float64) func(mdp.Progress) error {
	return func(at mdp.Progress) error {
		relative, target := math.NaN(), 0.0
		if notNegative {
			at.Lower, at.Upper = max(at.Lower, 0), max(at.Upper, 0)
			relative, target = (at.Upper-at.Lower)/at.Upper, tolerance
		}
		p.Bounds(at.Iteration, at.Lower, at.Upper, relative, target)
		return nil
	}
}

// moment returns the present state. Few iterations, as of policy iteration, and a small
// share of the work predict nothing.
func (p *Progress) moment() moment {
	const fewIterations, smallShare = 12, 0.01
	now, first := p.now, p.first
	now.seconds = time.Since(p.begin).Seconds()
	if now.iteration > 0 && p.count-first.count < fewIterations || !(now.share > smallShare && now.share <= 1) {
		now.share = math.NaN()
	}
	if since := time.Since(first.at).Seconds(); since > 0 && p.count > first.count {
		now.rate = float64(p.count-first.count) / since
		now.left = since * (1 - now.share) / (now.share - first.share)
	}
	return now
}

// show writes text; a failure shows when the answer is written.
func show(out io.Writer, text string) { _, _ = io.WriteString(out, text) }
