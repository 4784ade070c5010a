package store

// Writes: those that wait at the same time share a transaction, and so an fsync.

import (
	"slices"

	"go.etcd.io/bbolt"
)

// A write is a change that a method asks for and waits for.
type write struct {
	do   func(*change) error
	done bool
	err  error
}

// A change is some writes in one transaction, and what they change in memory once they
// are on disk.
type change struct {
	settings, hosts, ids, pages table

	free  []uint32 // numbers of pages that were removed
	next  uint32   // number that no page ever had
	after []func()

	copies map[uint32]int32 // how many more pages have a fingerprint
	normal func(id string) string
}

// then has f called, with s.mu held, once the change is on disk.
func (c *change) then(f func()) { c.after = append(c.after, f) }

// number returns a number that no page has.
func (c *change) number() uint32 {
	if last := len(c.free) - 1; last >= 0 {
		number := c.free[last]
		c.free = c.free[:last]
		return number
	}
	c.next++
	return c.next - 1
}

// write calls do within a transaction, and returns when that is on disk. The caller whose
// turn comes first writes for all that wait, in one transaction. An error of do undoes the
// whole transaction, so do may return only errors of the disk.
func (s *Store) write(do func(*change) error) error {
	own := &write{do: do}
	s.mu.Lock()
	s.waiting = append(s.waiting, own)
	s.mu.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if own.done {
		return own.err
	}
	s.mu.Lock()
	group := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	err := s.commit(group)
	for _, w := range group {
		w.done, w.err = true, err
	}
	return err
}

// commit carries out a group of writes in one transaction.
func (s *Store) commit(group []*write) error {
	c := &change{free: slices.Clone(s.free), next: s.next, copies: map[uint32]int32{}, normal: s.normal}
	err := s.update(func(tx *bbolt.Tx) error {
		c.settings, c.hosts, c.ids, c.pages = tableOf(tx, settingsBucket), tableOf(tx, hostsBucket), tableOf(tx, idsBucket), tableOf(tx, pagesBucket)
		for _, w := range group {
			if err := w.do(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.free, s.next, s.changed = c.free, c.next, true
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range c.after {
		f()
	}
	return nil
}
