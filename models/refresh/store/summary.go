package store

// What can be told of a store, or done with it, without its pages in memory: a summary, a check and a backup.

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.etcd.io/bbolt"
)

// A Summary is what [Summarize] tells of a store.
type Summary struct {
	Settings Settings
	Counts   Counts
	Hosts    int // that pages have named
}

// Summary returns what [Summarize] tells, of an open store.
func (s *Store) Summary() Summary {
	return Summary{s.Settings(), s.Counts(), len(s.Hosts())}
}

// summaryKey is the key of the numbers of pages and hosts, beside the settings. [Store.Close] writes them.
var summaryKey = []byte("summary")

type savedSummary struct {
	Counts
	Hosts       int
	Transaction int // that has written it; the summary holds while it is the last one
}

// saveSummary writes the summary, if anything has changed since the store was opened.
func (s *Store) saveSummary() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if !s.changed {
		return nil
	}
	s.changed = false
	summary := s.Summary()
	summary.Counts.HandedOut = 0 // leases do not outlive the Store
	return s.update(func(tx *bbolt.Tx) error {
		text, err := json.Marshal(savedSummary{summary.Counts, summary.Hosts, tx.ID()})
		if err != nil {
			return err
		}
		return tableOf(tx, settingsBucket).put(summaryKey, text)
	})
}

// Summarize returns the settings of a store and the numbers of its pages and hosts: at once, unless
// the process that wrote to it last did not close it. Then it opens the store. Errors are those of
// [OpenToRead].
func Summarize(ctx context.Context, path string) (Summary, error) {
	if summary, ok := readSummary(path); ok {
		return summary, nil
	}
	s, err := OpenToRead(ctx, path)
	if err != nil {
		return Summary{}, err
	}
	return s.Summary(), s.Close()
}

// readSummary reads what [Store.Close] has written, if it still holds.
func readSummary(path string) (summary Summary, ok bool) {
	db, err := inspect(path, func(tx *bbolt.Tx) error {
		if err := checkFormat(path, tx); err != nil {
			return err
		}
		text, err := tableOf(tx, settingsBucket).get(summaryKey)
		if err != nil || text == nil {
			return err
		}
		var saved savedSummary
		if err := json.Unmarshal(text, &saved); err != nil {
			return err
		}
		ok = saved.Transaction == tx.ID()
		summary.Counts, summary.Hosts = saved.Counts, saved.Hosts
		summary.Settings, err = loadSettings(tx)
		return err
	})
	if err != nil {
		return summary, false
	}
	return summary, db.Close() == nil && ok
}

// Check reads the whole file of a store and returns what is wrong with it. The error is [ErrDamaged] if
// the file is not as it was written: a checksum is wrong, keys are out of order, a part of the file
// is used by nothing or twice, or a page has the record of another page. Other errors are those of
// [Open].
func Check(ctx context.Context, path string) (Summary, error) {
	if err := verify(ctx, path); err != nil {
		return Summary{}, err
	}
	s, err := OpenToRead(ctx, path)
	if err != nil {
		return Summary{}, err
	}
	err = s.view(func(tx *bbolt.Tx) error {
		var first error
		for fault := range tx.Check() { // to the end, or its goroutine waits
			if first == nil {
				first = fmt.Errorf("%w: %w", ErrDamaged, fault)
			}
		}
		if first != nil {
			return first
		}
		records, count := tableOf(tx, pagesBucket), uint64(0)
		err := tx.Bucket(idsBucket).ForEach(func(id, sealed []byte) error {
			value, err := unseal(id, sealed)
			if err != nil || len(value) != 4 {
				return errors.Join(err, errDamaged)
			}
			var r record
			found, err := r.read(records, binary.BigEndian.Uint32(value))
			if err == nil && (!found || r.ID != string(id)) {
				err = fmt.Errorf("%w: the record of page %q is not there", ErrDamaged, id)
			}
			count++
			return errors.Join(err, ctx.Err())
		})
		if err == nil && records.bucket.Sequence() != count {
			err = fmt.Errorf("%w: it has %d records of %d pages", ErrDamaged, records.bucket.Sequence(), count)
		}
		return err
	})
	return s.Summary(), errors.Join(err, s.Close())
}

// Backup writes a copy of the store, as it stands now, which [Open] opens. Other methods may be called
// meanwhile; writes that need a longer file wait, so do not give it a writer that is slow.
func (s *Store) Backup(to io.Writer) error {
	return s.view(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(to)
		return err
	})
}

// Hold keeps other processes from writing to the store in a file until release is called. Meanwhile a
// copy of another store can take its place, and no write is lost. The error is [ErrInUse] if another
// process has the file open to write, [ErrEmpty] if it is empty, and another one if it is no store.
func Hold(path string) (release func() error, err error) {
	db, err := inspect(path, func(tx *bbolt.Tx) error {
		if err := checkFormat(path, tx); err != nil && !errors.Is(err, errOtherFormat) {
			return err
		}
		if tx.Bucket(settingsBucket) == nil || tx.Bucket(pagesBucket) == nil {
			return errNoStore
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return db.Close, nil
}
