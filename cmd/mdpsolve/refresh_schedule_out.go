package main

import (
	"errors"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/wholefile"
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

// open gets the place ready where slots go. Without a state a file is written
// beside its place until it is complete, as nothing can go on from it.
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
			err = usageErrorf("--out: the schedule saved in %s cannot go on (%v); its own file is allowed, or another --state", s.saveTo, err)
		}
	default:
		if s.file, err = pagefile.CreateSchedule(s.partialName()); err != nil {
			err = usageErrorf("--out: %q found; a file that can be written is allowed (%v)", s.name, err)
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

func (s *schedule) partialName() string {
	if s.saveTo != "" {
		return s.name
	}
	return s.name + wholefile.Suffix
}

// close ends the writing, which failed if it did; what it has come to when it is
// interrupted is whole rows.
func (s *schedule) close(failed error) error {
	if s.file == nil {
		return failed
	}
	err := s.file.Close()
	if failed != nil {
		err = failed
	}
	switch {
	case errors.Is(err, pagefile.ErrOtherContent):
		return usageErrorf("--out: %v", err)
	case s.saveTo != "":
		return err
	case err != nil:
		_ = os.Remove(s.partialName()) // err counts
		return err
	}
	return os.Rename(s.partialName(), s.name)
}
