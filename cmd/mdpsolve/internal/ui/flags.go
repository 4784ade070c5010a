// Package ui has what all verbs of the command share: flags, numbers, tables,
// screens, files, errors and exit statuses.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/queue"
)

// OutputFlag is --output, the format of the answer.
func OutputFlag() cli.Flag {
	flag := NewChoiceFlag("output", "print `FORMAT`", FormatText, formats...)
	flag.Aliases = []string{"o"}
	return Group(OutputGroup, flag)[0]
}

// Headings of options that many verbs share.
const (
	OutputGroup = "Output"
	MethodGroup = "Method"
)

// LambdaFlag is --lambda, the rate of one robot.
func LambdaFlag() cli.Flag {
	return ValueFlag("lambda", "rate `L` at which an active robot delivers pages", "")
}

// MuFlag is --mu, the indexing rate.
func MuFlag() cli.Flag { return ValueFlag("mu", "rate `M` at which pages are indexed", "") }

// GammaFlag is --gamma, the weight of starvation.
func GammaFlag() cli.Flag {
	return ValueFlag("gamma", "cost `G` per unit of time with an empty queue; a lost page costs 1", "")
}

// BufferFlag is --buffer, the room for pages.
func BufferFlag() cli.Flag {
	return ValueFlag("buffer", "room for `K` pages, including the one being indexed", "")
}

// ConfidenceFlag is --confidence, of confidence intervals.
func ConfidenceFlag() cli.Flag {
	return ValueFlag("confidence", "confidence level `P` of the intervals", "0.95")
}

// Arguments reads the flags of a command. The first invalid flag ends the command: see
// [Arguments.Fail].
type Arguments struct {
	CLI      *cli.Context
	Flags    []cli.Flag // of the command
	Format   string     // of the answer: one of the values of --output
	decimals *int       // of numbers in tables; nil for as many as they need
	progress *Progress
	written  map[string]string // by flag, the files that the command writes
}

// Action returns the action of a command.
func Action(run func(*Arguments) error) cli.ActionFunc {
	return func(c *cli.Context) (err error) {
		defer func() {
			switch fault := recover().(type) {
			case nil:
			case failure:
				err = fault.err
			default:
				panic(fault)
			}
		}()
		// If a flag is not set, cli.Context.IsSet looks for its other names among those of all flags of
		// the command and of the program, which takes longer than solving a small model. Here flags are
		// always set by one name.
		own, app := *c.Command, *c.App
		a := &Arguments{CLI: c, Flags: own.Flags}
		own.Flags, c.Command = nil, &own
		app.Flags, c.App = nil, &app
		if c.IsSet("output") || c.String("output") != "" { // the command has --output
			a.Format = a.Choice("output")
		}
		if a.progress = ProgressOf(c.Context); a.progress == nil { // otherwise another verb runs this one
			a.startProgress()
			defer a.progress.Stop()
		}
		c.Context = mdp.WithMemory(c.Context, Memory(c.Context))
		return run(a)
	}
}

// failure is what [Arguments.Fail] panics with.
type failure struct{ err error }

// Fail ends the command with an error, unless that is nil: it panics, and [Action]
// returns the error, so that code that reads flags needs no branches. Only the goroutine
// of the command may call it.
func (a *Arguments) Fail(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Warn prints a warning on standard error, unless --quiet is set.
func (a *Arguments) Warn(format string, args ...any) {
	if a.CLI.Bool("quiet") {
		return
	}
	shown := &display{out: a.CLI.App.ErrWriter}
	if a.progress != nil && a.progress.show != nil {
		shown = a.progress.show
	}
	a.progress.Aside(func() { shown.note(wording.Line(fmt.Sprintf(format, args...))) })
}

// Fault ends the command with an error about a flag.
func (a *Arguments) Fault(name, format string, args ...any) {
	a.Fail(UsageErrorf("--"+name+": "+format, args...))
}

// Refuse ends the command with an error if one of the flags is set; why says what is wrong with
// the first of them.
func (a *Arguments) Refuse(why string, flags ...string) {
	for _, flag := range flags {
		if a.CLI.IsSet(flag) {
			a.Fault(flag, "%s", why)
		}
	}
}

// Text returns the value of a flag, which must not be missing; allowed says what to give.
func (a *Arguments) Text(name, allowed string) string {
	text := a.CLI.String(name)
	if text == "" && !a.CLI.IsSet(name) {
		a.Fault(name, `missing: give %s ("%s -h" has examples)`, allowed, a.CLI.Command.HelpName)
	}
	return text
}

// Parse reads a number; ok reports whether it is allowed, and allowed says so in words.
func (a *Arguments) Parse(name, text, allowed string, ok func(float64) bool) float64 {
	value, err := number.Parse(text)
	a.checkNumber(name, allowed, err)
	if !ok(value) {
		a.Fault(name, "%s is not valid: use %s", text, allowed)
	}
	return value
}

// checkNumber ends the command if a text is not a number.
func (a *Arguments) checkNumber(name, allowed string, err error) {
	fault, _ := errors.AsType[*number.Error](err)
	switch {
	case number.IsNone(err):
		a.Fault(name, "%s is not valid: use %s", fault.Found, strings.Replace(allowed, AboveZero, AboveZero+" (1.5, 1e-3 or 17/15)", 1))
	case err != nil:
		a.Fault(name, "%v", err)
	}
}

// IsPositive reports whether x is above 0.
func IsPositive(x float64) bool { return x > 0 }

// AboveZero describes the numbers that [IsPositive] allows.
const AboveZero = "a number above 0"

// Positive reads a number above 0.
func (a *Arguments) Positive(name string) float64 {
	return a.Parse(name, a.Text(name, AboveZero), AboveZero, IsPositive)
}

// MaxSteps is the largest number of values of a sweep or a list.
const MaxSteps = 1_000_000

// ListText explains lists of numbers on help pages.
const ListText = "numbers separated by commas, or ranges A:B:STEP with both ends, as in 2,5:20:5"

// Numbers reads a list of numbers, see [ListText]; ok reports whether a number is allowed.
func (a *Arguments) Numbers(name, allowed string, ok func(float64) bool) []float64 {
	text := a.Text(name, allowed+", or several: "+ListText)
	values, err := number.ParseList(text, MaxSteps)
	a.checkNumber(name, allowed, err)
	for _, value := range values {
		if !ok(value) {
			a.Fault(name, "%s is not valid: use %s", ExactText(value), allowed)
		}
	}
	return values
}

// Fractions reads a list of numbers as fractions, without rounding.
func (a *Arguments) Fractions(name string) []*big.Rat {
	const allowed = "a number"
	values, err := number.ParseExactList(a.Text(name, allowed+", or several: "+ListText), MaxSteps)
	a.checkNumber(name, allowed, err)
	return values
}

// Positives reads a list of numbers above 0.
func (a *Arguments) Positives(name string) []float64 {
	return a.Numbers(name, AboveZero, IsPositive)
}

// Wholes reads a list of whole numbers, each at least least.
func (a *Arguments) Wholes(name string, least int) []int {
	values := a.Numbers(name, WholeFrom(least), isWholeFrom(least))
	wholes := make([]int, len(values))
	for i, value := range values {
		wholes[i] = int(value)
	}
	return wholes
}

// Whole reads a whole number that is at least least.
func (a *Arguments) Whole(name string, least int) int {
	return a.ParseWhole(name, a.Text(name, WholeFrom(least)), least, WholeFrom(least))
}

// mostWhole is the largest number of things: float64 and int represent it and all whole
// numbers below.
const mostWhole = min(GreatestWhole, math.MaxInt)

// ParseWhole reads a whole number, not below least, from a text.
func (a *Arguments) ParseWhole(name, text string, least int, allowed string) int {
	if x, err := number.Parse(text); err == nil && x > mostWhole {
		allowed += fmt.Sprintf(", up to %d", int64(mostWhole))
	}
	isWhole := isWholeFrom(least)
	return int(a.Parse(name, text, allowed, func(x float64) bool { return isWhole(x) && isExactlyWhole(text) }))
}

// isExactlyWhole reports whether a number is whole before it is rounded.
func isExactlyWhole(text string) bool {
	x, _, err := number.ParseExact(text)
	return err == nil && x.IsInt()
}

func isWholeFrom(least int) func(float64) bool {
	return func(x float64) bool { return x >= float64(least) && x == math.Floor(x) && x <= mostWhole }
}

// WholeFrom describes the numbers that [Arguments.Whole] allows.
func WholeFrom(least int) string {
	return map[int]string{0: "a whole number of 0 or more", 1: "a whole number of 1 or more", 2: "a whole number of 2 or more"}[least]
}

// Choice reads the value of a [ChoiceFlag].
func (a *Arguments) Choice(name string) string {
	allowed := a.choices(name)
	text := a.Text(name, wording.Alternatives(allowed))
	if !slices.Contains(allowed, text) {
		a.Fault(name, "%q is not valid: use %s", text, wording.Alternatives(allowed))
	}
	return text
}

func (a *Arguments) choices(name string) []string {
	for _, flag := range a.Flags {
		if choice, is := flag.(*ChoiceFlag); is && choice.Name == name {
			return choice.Choices
		}
	}
	panic("ui: --" + name + " has no choices")
}

// share reads a number above 0 and below 1.
func (a *Arguments) share(name string) float64 {
	const allowed = "a number above 0 and below 1"
	return a.Parse(name, a.Text(name, allowed), allowed, func(x float64) bool { return x > 0 && x < 1 })
}

// Confidence reads --confidence.
func (a *Arguments) Confidence() float64 { return a.share("confidence") }

// Seconds reads a time limit; 0 if there is none.
func (a *Arguments) Seconds(name string) time.Duration {
	const most = 1e9
	if !a.CLI.IsSet(name) {
		return 0
	}
	value := a.Parse(name, a.CLI.String(name), "a number of seconds above 0 and up to 1e9",
		func(x float64) bool { return x > 0 && x <= most })
	return max(time.Duration(value*float64(time.Second)), 1)
}

// Law reads the distribution of a time with a given mean.
func (a *Arguments) Law(name string, mean float64) queue.Law {
	law, err := queue.ParseLaw(a.CLI.String(name), mean, func(name string) (io.ReadCloser, error) { return os.Open(name) })
	if fault := ReadFault(err); fault != nil {
		err = fault
	}
	if err != nil {
		a.Fault(name, "%v", err)
	}
	return law
}

// exponential is the default law.
const exponential = "exponential"

// ServiceFlag is --service, the law of the indexing time; allowed names the laws.
func ServiceFlag(allowed string) cli.Flag {
	return ValueFlag("service", "`LAW` of the indexing time: "+allowed, exponential)
}

// AnyLaw names the laws of a [ServiceFlag] that takes all of them.
const AnyLaw = "exponential, deterministic, … (see mdpsolve help static)"

// Service reads --service for a given indexing rate; nil stands for the exponential law.
func (a *Arguments) Service(rate float64) queue.Law {
	if a.CLI.String("service") == exponential {
		return nil
	}
	return a.Law("service", 1/rate)
}

// LawWords names a law of [Arguments.Service].
func LawWords(law queue.Law) string {
	if law == nil {
		return exponential
	}
	return law.String()
}

// OnlyWith refuses a flag that is given without the choice that it belongs to.
func (a *Arguments) OnlyWith(name, choice string, chosen bool) {
	if a.CLI.IsSet(name) && !chosen {
		a.Fault(name, "%s is not valid here: use it with --%s", wording.Short(a.CLI.String(name)), choice)
	}
}

// GreatestWhole is the largest number up to which float64 represents all whole numbers.
const GreatestWhole = 1 << 53

// WholeWithin reads a whole number in a range.
func (a *Arguments) WholeWithin(name string, least, greatest int64) int64 {
	allowed := fmt.Sprintf("a whole number from %d to %d", least, greatest)
	text := a.Text(name, allowed)
	return int64(a.Parse(name, text, allowed, func(x float64) bool {
		return x >= float64(least) && x <= float64(greatest) && isExactlyWhole(text)
	}))
}

// WorkersFlag is --workers, the number of workers.
func WorkersFlag() cli.Flag {
	return ValueFlag("workers", "use `n` parallel workers (default: one per processor)", "")
}

// Processors is how many threads compute at a time when the program starts.
var Processors = runtime.GOMAXPROCS(0)

type processorsKey struct{}

// WithProcessors returns ctx for commands that have only so many processors, at least one.
func WithProcessors(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, processorsKey{}, max(1, n))
}

// Workers reads the number of workers, by default one per processor.
func (a *Arguments) Workers() int {
	if !a.CLI.IsSet("workers") {
		if n, is := a.CLI.Context.Value(processorsKey{}).(int); is {
			return n
		}
		return Processors
	}
	const most = 4096
	return int(a.WholeWithin("workers", 1, most))
}
