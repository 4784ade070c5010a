package ui

// How far a command has come, on standard error: the state of it, and when it is shown.

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

// progressFlags are those of every verb that say what standard error has beside errors.
func progressFlags() []cli.Flag {
	return Group(OutputGroup,
		SwitchFlag("quiet", "show no progress and no warnings"),
		NewChoiceFlag("log", "show progress and warnings, a line each, as `FORM`", "", FormatText, FormatJSON),
	)
}

// Progress shows how far a command has come. All its methods may be called from any
// goroutine, and of nil they do nothing. A goroutine of its own does the showing, so
// that to say how far one is costs little, and a line lives while nobody says anything.
type Progress struct {
	show  *display // nil: nothing is shown
	begin time.Time
	ended chan struct{}
	done  sync.WaitGroup

	mu       sync.Mutex // held to change what follows, and to write to standard error
	now      moment
	first    milestone // of what goes on now
	count    int64     // of things, or iterations, by now
	firstGap float64   // of the iteration that goes on now
}

// moment is how far a command is. What is not known is NaN, 0 or "".
type moment struct {
	phase        string
	iteration    int
	lower, upper float64
	done, total  int64 // things, such as rows of a table
	things       string
	share        float64 // of the work of the phase that is done
	seconds      float64 // since the command began
	left         float64 // seconds, estimated
	rate         float64 // things, or iterations, per second
}

// milestone is when so many things, or iterations, and such a share of the work was done.
type milestone struct {
	at    time.Time
	count int64
	share float64
}

type progressKey struct{}

// ProgressOf returns what shows the progress of the command that ctx is of; nil for
// none.
func ProgressOf(ctx context.Context) *Progress {
	p, _ := ctx.Value(progressKey{}).(*Progress)
	return p
}

// Unwatched returns ctx for a part of a command that says nothing of how far it is.
func Unwatched(ctx context.Context) context.Context {
	return context.WithValue(ctx, progressKey{}, (*Progress)(nil))
}

func newProgress() *Progress {
	return &Progress{begin: time.Now(), ended: make(chan struct{}), now: beginOf("")}
}

// startProgress begins to show the progress of a command, and keeps it in its context.
// Standard error shows it unasked where it is a file or a terminal, not where it is a
// buffer of a program that runs the command.
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

// Stop ends the showing; a command may go on behind it.
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

// Stream says that standard output is written from now on, a bit at a time. Where that is
// a terminal the progress, on the same one, ends.
func (p *Progress) Stream(stdout io.Writer) {
	if _, ok := terminal(stdout); ok && p != nil && p.show != nil && p.show.bar != nil {
		p.Stop()
	}
}

// Aside calls write, which writes to what may be the same terminal, when nothing of
// the progress is in its way.
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

// Phase says that a phase begins, such as "reading".
func (p *Progress) Phase(name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now, p.first, p.count = beginOf(name), milestone{}, 0
}

// Count says how many of the things of a phase are done; a total of 0 is not known.
func (p *Progress) Count(done, total int64, things string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.done, p.now.total, p.now.things = done, total, things
	p.reached(done, float64(done)/float64(total))
}

// Bounds says how far an iteration is. relative is its gap as it is compared with the
// target at which it ends, which is 0 where that is not known. Gaps of sweeps decline
// geometrically in the long run, so that the work is in the logarithm of the gap.
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

// reached notes what has been done.
func (p *Progress) reached(count int64, share float64) {
	p.count, p.now.share = count, share
	if p.first.at.IsZero() {
		p.first = milestone{time.Now(), count, share}
	}
}

// Solving returns what makes a solve show how far it is, for mdp.Settings.Record. The
// optimum of costs that are known not to be negative is not below 0, whatever a method
// knows of it. tolerance is that of the solve, relative to the upper bound then, or 0
// where other solves follow.
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

// moment returns how far the command is now. Few iterations, as of policy iteration, tell
// nothing of those that follow, and a small share nothing of the rest.
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

// show writes text to a writer; a failure shows itself where there is an answer to lose.
func show(out io.Writer, text string) { _, _ = io.WriteString(out, text) }
