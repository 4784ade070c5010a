package refresh

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

const (
	saveEvery  = time.Second // between two states
	saveShare  = 50          // saving takes one part in so many of the time, or less
	slotsATime = 1 << 12     // between two looks at the clock and the context
)

// batches gives out the pages of the slots up to length, some at a time, and the
// slot before them, until it is interrupted.
func (s *schedule) batches(ctx context.Context, length int64) iter.Seq2[int64, []int] {
	return func(yield func(int64, []int) bool) {
		var pages []int
		for s.sequence.Slot() < length && ctx.Err() == nil {
			slot := s.sequence.Slot()
			pages = refresh.AppendSlots(pages[:0], s.sequence, int(min(length-slot, slotsATime)))
			s.fetchNames(pages)
			if !yield(slot, pages) {
				return
			}
		}
	}
}

// pages gives out the pages of the slots up to length.
func (s *schedule) pages(ctx context.Context, length int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, pages := range s.batches(ctx, length) {
			for _, page := range pages {
				if !yield(page) {
					return
				}
			}
		}
	}
}

// write gives out the slots up to length, or until it is interrupted. If it does
// not fail, whole rows have been written, and a state counts exactly these.
func (s *schedule) write(ctx context.Context, length int64) error {
	if err := s.save(); err != nil { // from the first slot on there is one
		return err
	}
	if !s.headed {
		if err := s.writer.Header(); err != nil {
			return err
		}
	}
	due := time.Now().Add(saveEvery)
	for slot, pages := range s.batches(ctx, length) {
		for _, page := range pages {
			slot++
			if err := s.writer.Write(slot, page); err != nil {
				return err
			}
		}
		if now := time.Now(); s.saveTo != "" && now.After(due) {
			if err := s.flushAndSave(); err != nil {
				return err
			}
			saved := time.Now()
			due = saved.Add(max(saveEvery, saveShare*saved.Sub(now)))
		}
	}
	return s.flushAndSave()
}

// fetchNames brings the names of pages into the cache. They are all over the
// memory, and here, where nothing is done with them, the processor waits for many
// at a time: a third less for the whole command at a million pages.
func (s *schedule) fetchNames(pages []int) {
	for _, page := range pages {
		if id := s.ids.Bytes(page); len(id) > 0 {
			s.fetched ^= id[0] ^ id[len(id)-1]
		}
	}
}

// flushAndSave makes sure that all slots are in their file, on its disk, before
// the state says so.
func (s *schedule) flushAndSave() error {
	if err := s.writer.Flush(); err != nil {
		return err
	}
	if s.saveTo != "" && s.file != nil {
		if err := s.file.Sync(); err != nil {
			return err
		}
	}
	return s.save()
}

func (s *schedule) save() (err error) {
	if s.saveTo == "" {
		return nil
	}
	s.state.Slots, s.state.Bytes = s.sequence.Slot(), s.out.Size()
	if s.state.Sequence, err = s.sequence.AppendBinary(s.state.Sequence[:0]); err != nil {
		return err
	}
	text, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	if err := pagefile.SaveState(s.saveTo, append(text, '\n')); err != nil {
		return outFault("state", s.saveTo, err)
	}
	return nil
}
