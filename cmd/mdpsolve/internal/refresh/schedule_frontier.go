package refresh

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// writeFrontier writes when each page is due first in the slots up to length.
func (s *schedule) writeFrontier(c *cli.Context, length int64, name string, workers int) error {
	slots, err := refresh.NextSlots(c.Context, s.sequence, s.ids.Len(), length)
	if err != nil {
		return ui.EndEarly(ui.ExitInterrupted, fmt.Sprintf("interrupted behind slot %d of %d: nothing has been written", s.sequence.Slot(), length))
	}
	var leftOut int64
	interrupted, err := writeWhole(c, func(ctx context.Context) error {
		leftOut, err = pagefile.WriteFrontier(ctx, pagefile.Target{Name: name}, s.ids, workers, pagefile.NextFetch(*s.timetable, slots))
		return outFault("frontier", name, err)
	})
	if err != nil {
		return err
	}
	due := s.ids.Len() - int(leftOut)
	answer := ui.Record{
		{"slots", int(length)},
		{"pages", s.ids.Len()},
		{"due", due},
		{"method", s.state.Of.Method},
	}
	if err := (ui.Document{JSON: answer, Rows: []ui.Record{answer}, Text: func(out *ui.Screen) {
		out.Printf("%s of %d due in the slots up to %d, written to %s\n", ui.Count(due, "page"), s.ids.Len(), length, name)
	}}).Write(c, c.String("output")); err != nil {
		return err
	}
	if interrupted {
		return writtenAnyway("the pages")
	}
	return nil
}
