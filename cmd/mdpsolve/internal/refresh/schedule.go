package refresh

// The verb refresh schedule.

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// The values of --method.
const (
	methodDeadline   = "edf"
	methodGolden     = "golden-ratio"
	methodRandom     = "random"
	methodRoundRobin = "round-robin"
)

var scheduleMethods = []string{methodDeadline, methodGolden, methodRandom, methodRoundRobin}

func scheduleCommand() *cli.Command {
	return &cli.Command{
		Name:      "schedule",
		Usage:     "an order of accesses that realises given rates",
		UsageText: "mdpsolve refresh schedule --input RATES --length T [--method M] [--last-fetch FILE] [--out FILE] [options]",
		Description: `RATES has the columns id (or url), rate and, optionally, unit and freshness, as mdpsolve
refresh rates writes them. Slots 1 to T, with the columns slot and id, go to --out, or to
standard output as CSV (-o json: JSON lines).

The methods are

  edf           earliest deadline first: at all times, the number of accesses of each
                page is within one of its share
  golden-ratio  a cycle with at most three different gaps for each page
  random        independent draws
  round-robin   all pages in turn

--wall-clock adds a column next_fetch: slot t is due t/Σrate units of time after --now.
The rates must have a unit.

` + planText + `

Examples:
  mdpsolve refresh schedule --input rates.csv --length 100000 --out slots.csv
  mdpsolve refresh schedule --input rates.csv --length 5 --wall-clock --now 2026-01-01T00:00:00Z --unit day
  mdpsolve refresh schedule --input rates.csv --length 20 --last-fetch history.csv
  mdpsolve refresh schedule --input sites.csv --length 100 --host-delay 30s --unit day`,
		Flags: append([]cli.Flag{
			lists.InputFlag("rates"),
			ui.ValueFlag("length", "plan `T` slots of one access each, or a time such as 1day", ""),
			ui.NewChoiceFlag("method", "order the accesses by method `M`", methodDeadline, scheduleMethods...),
			ui.ValueFlag("cycle", "for golden-ratio: cycle of `F` slots, a Fibonacci number", ""),
			ui.ValueFlag("seed", "for random: `SEED` of the draws", "1"),
			ui.SwitchFlag("wall-clock", "add the time of each slot"),
			ui.ValueFlag("now", "begin at `TIME`, as in 2026-01-31T15:00:00Z (default: now, or the latest time in --last-fetch)", ""),
			lists.UnitFlag(),
			ui.ValueFlag("out", "write the slots to `FILE`", ""),
			ui.WorkersFlag(), ui.OutputFlag(),
		}, append(planFlags(), lists.ReadingFlags()...)...),
		Action: ui.Action(runSchedule),
	}
}

func runSchedule(a *ui.Arguments) error {
	length := readLength(a)
	way := readScheduleWay(a)
	out := lists.OutFile(a, "out")
	readPlanFlags(a)
	s := newSchedule(a, readRateList(a), way, length)
	begin := time.Now()
	var err error
	if out.Name == "" && a.Format == ui.FormatMarkdown {
		err = s.writeMarkdown(a.CLI.Context, out.Target().Writer)
	} else {
		target := out.Target()
		if out.Name == "" && a.Format == ui.FormatJSON {
			target.Format = pagefile.JSONLines
		}
		writing, interrupt := context.WithCancel(context.WithoutCancel(a.CLI.Context))
		defer interrupt()
		err = pagefile.WriteSchedule(writing, target, &s.rates.IDs, s.timetable, func(yield func(int) bool) {
			s.pages(a.CLI.Context)(yield)
			if s.isInterrupted(a) {
				interrupt()
			}
		})
	}
	switch {
	case s.isInterrupted(a):
		text := fmt.Sprintf("interrupted after slot %d of %d", s.sequence.Slot(), s.length)
		if out.Name != "" {
			text += ": files are unchanged"
		}
		return ui.EndEarly(ui.ExitInterrupted, text)
	case err != nil:
		return out.Fault(err)
	case out.Name != "":
		return s.summarize(a, out.Name, time.Since(begin))
	}
	return nil
}

// isInterrupted reports whether an interruption came before the last slot.
func (s *schedule) isInterrupted(a *ui.Arguments) bool {
	return a.CLI.Err() != nil && s.sequence.Slot() < s.length
}

// summarize says what was written to a file.
func (s *schedule) summarize(a *ui.Arguments, out string, elapsed time.Duration) error {
	last := s.sequence.Slot()
	return a.PrintRecord(append(ui.Record{
		{"slots", int(last)},
		{"unit", lists.UnitValue(s.rates.Unit)},
		{"method", s.way.method},
		{"seconds", ui.OnlyJSON(elapsed.Seconds())},
	}, append(s.outlookRecord(), s.delays.record()...)...), func(screen *ui.Screen) {
		screen.Printf("slots 1 to %d written to %s, by %s, in %s s\n", last, out, s.way.method, ui.ShortText(elapsed.Seconds(), 3))
		if s.delays != nil && s.delays.empty > 0 {
			screen.Printf("%d of these slots are empty, because all pages had to wait for their hosts\n", s.delays.empty)
		}
		s.showOutlook(screen)
	})
}

// outlookRecord describes a plan that continues from the past.
func (s *schedule) outlookRecord() ui.Record {
	o := s.outlook
	if o == nil {
		return nil
	}
	r := ui.Record{{"first_accesses", o.First}, {"waiting", o.Waiting}}
	if !math.IsNaN(o.Price) {
		r = append(r, ui.Field{"relative_price", o.Price})
	}
	if !math.IsNaN(o.Freshness) {
		r = append(r, ui.Field{"relative_freshness", o.Freshness})
	}
	return r
}

// showOutlook says what pages that are new or overdue cost.
func (s *schedule) showOutlook(screen *ui.Screen) {
	o := s.outlook
	if o == nil || o.First+o.Waiting == 0 && o.Price == 1 {
		return
	}
	screen.Printf("%s accessed for the first time", wording.Count(o.First, "page"))
	if o.Waiting > 0 {
		screen.Printf(", %d left for later plans", o.Waiting)
	}
	screen.Printf("\n")
	if math.IsNaN(o.Price) {
		screen.Printf("new pages come first, because RATES has no column freshness, which would say what an access is worth\n")
	}
	if o.Price > 1 {
		screen.Printf("more is due than fits, so intervals are longer")
		if !math.IsNaN(o.Freshness) {
			screen.Printf(": freshness is %s%% of what the rates promise", ui.ShortText(100*o.Freshness, 4))
		}
		screen.Printf("\n")
	}
}
