package refresh

import (
	"errors"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// slotTarget is where slots go.
type slotTarget interface {
	io.Writer
	Size() int64 // in bytes, so far
}

// countedWriter is standard output as a slotTarget.
type countedWriter struct {
	io.Writer
	size int64
}

// Write implements io.Writer.
func (w *countedWriter) Write(text []byte) (n int, err error) {
	n, err = w.Writer.Write(text)
	w.size += int64(n)
	return n, err
}

// Size implements slotTarget.
func (w *countedWriter) Size() int64 { return w.size }

// writeTo writes the slots up to length, or until it is interrupted: whole rows in
// either case. Without a state a file is written beside its place until it is
// complete, as nothing can go on from it.
func (s *schedule) writeTo(c *cli.Context, saved *scheduleState, length int64) error {
	if s.state.Of.File && s.saveTo == "" {
		return outFault("out", s.name, pagefile.WriteSchedule(pagefile.Target{Name: s.name}, s.ids, s.timetable, s.pages(c.Context, length)))
	}
	if err := s.open(c, saved); err != nil {
		return err
	}
	err := s.write(c.Context, length)
	if s.file == nil {
		return err
	}
	if closing := s.file.Close(); err == nil {
		err = closing
	}
	switch {
	case errors.Is(err, pagefile.ErrOtherContent):
		return ui.UsageErrorf("--out: %v", err)
	case err != nil && !ui.IsUsage(err):
		return outFault("out", s.name, err)
	case err != nil:
		return err
	}
	if ahead := s.file.Ahead(); ahead > 0 && s.sequence.Slot() == length {
		return ui.UsageErrorf("--length: %d found; %s goes on for %d bytes behind that slot, so that more is allowed", length, s.name, ahead)
	}
	return nil
}

// open gets the place ready where slots go.
func (s *schedule) open(c *cli.Context, saved *scheduleState) (err error) {
	written := int64(0)
	if saved != nil {
		written = saved.Bytes
	}
	s.headed = written > 0
	switch {
	case !s.state.Of.File:
		s.out = &countedWriter{c.App.Writer, written}
	case saved != nil:
		if s.file, err = pagefile.ResumeSchedule(s.name, written); err != nil {
			err = ui.UsageErrorf("--out: the schedule saved in %s cannot go on (%v); its own file is allowed, or another --state", s.saveTo, err)
		}
	default:
		if s.file, err = pagefile.CreateSchedule(s.name); err != nil {
			err = ui.UsageErrorf("--out: %q found; a file that can be written is allowed (%v)", s.name, err)
		}
	}
	if err != nil {
		return err
	}
	if s.file != nil {
		s.out = s.file
	}
	s.writer = newSlotWriter(s.out, s.state.Of.Format, s.ids, s.timetable)
	return nil
}
