package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// writeFrontier writes when each page is due first in the slots up to length.
func (s *schedule) writeFrontier(c *cli.Context, length int64, name string, workers int) error {
	slots, err := s.firstSlots(c.Context, length)
	if err != nil {
		return err
	}
	leftOut, err := pagefile.WriteFrontier(c.Context, pagefile.Target{Name: name}, s.ids, workers, pagefile.NextFetch(*s.timetable, slots))
	if err != nil {
		return err
	}
	due := s.ids.Len() - int(leftOut)
	answer := record{
		{"slots", int(length)},
		{"pages", s.ids.Len()},
		{"due", due},
		{"method", s.state.Of.Method},
	}
	return document{json: answer, rows: []record{answer}, text: func(out *screen) {
		out.printf("%s of %d due in the slots up to %d, written to %s\n", count(due, "page"), s.ids.Len(), length, name)
	}}.write(c, c.String("output"))
}

// firstSlots returns the first slot of each page up to length, 0 for none.
func (s *schedule) firstSlots(ctx context.Context, length int64) ([]int64, error) {
	first := make([]int64, s.ids.Len())
	var pages []int
	for s.sequence.Slot() < length {
		if ctx.Err() != nil {
			return nil, &earlyEndError{exitInterrupted, fmt.Sprintf("interrupted behind slot %d of %d: nothing has been written", s.sequence.Slot(), length)}
		}
		slot := s.sequence.Slot()
		pages = refresh.AppendSlots(pages[:0], s.sequence, int(min(length-slot, slotsATime)))
		for _, page := range pages {
			if slot++; first[page] == 0 {
				first[page] = slot
			}
		}
	}
	return first, nil
}
