package refresh

import (
	"context"
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// writeFrontier writes when each page is due first in the slots up to length.
func (s *schedule) writeFrontier(a *ui.Arguments, length int64, name string, workers int) error {
	c := a.CLI
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
	if err := a.PrintRecord(ui.Record{
		{"slots", int(length)},
		{"pages", s.ids.Len()},
		{"due", due},
		{"method", s.state.Of.Method},
	}, func(out *ui.Screen) {
		out.Printf("%s of %d due in the slots up to %d, written to %s\n", ui.Count(due, "page"), s.ids.Len(), length, name)
	}); err != nil {
		return err
	}
	if interrupted {
		return writtenAnyway("the pages")
	}
	return nil
}
