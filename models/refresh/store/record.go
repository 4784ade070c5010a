package store

// What stands on disk for a page.

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// A record is what the store keeps of a page on disk.
type record struct {
	Page
	added int64 // when, in nanoseconds since 1970
	tried int64 // last visit, of any outcome; 0: none
	last  Outcome
	count uint64 // visits of any outcome
	log   estimate.AccessLog

	changeRate float64 // estimated from the visits; 0: nothing is known
	by         float64 // mean of the prior of that estimate; 0: before one was fitted
}

// savedRecord is the beginning of a record on disk, as [encoding/binary] has it. The texts
// follow, and then the log.
type savedRecord struct {
	Last                             Outcome
	Weight                           float64
	Added, Tried                     int64
	By, ChangeRate                   float64
	Count                            uint64
	IDLength, HostLength, NoteLength uint32
}

// intervalsFollow is added to the length of the host if the intervals of the page stand before the
// texts.
const intervalsFollow = 1 << 31

// encode returns the record as it stands on disk.
func (r *record) encode() ([]byte, error) {
	saved := savedRecord{
		Last: r.last, Weight: r.Weight, Added: r.added, Tried: r.tried, By: r.by, ChangeRate: r.changeRate, Count: r.count,
		IDLength: uint32(len(r.ID)), HostLength: uint32(len(r.Host)), NoteLength: uint32(len(r.Note)),
	}
	limited := r.Intervals != limits.Intervals{}
	if limited {
		saved.HostLength |= intervalsFollow
	}
	data, err := binary.Append(nil, binary.LittleEndian, &saved)
	if err == nil && limited {
		data, err = binary.Append(data, binary.LittleEndian, &r.Intervals)
	}
	if err != nil {
		return nil, err
	}
	return r.log.AppendBinary(slices.Concat(data, []byte(r.ID), []byte(r.Host), r.Note))
}

// read replaces the record by that of a page, and reports whether there is one.
func (r *record) read(from table, number uint32) (found bool, err error) {
	data := from.bucket.Get(key(number))
	if data == nil {
		return false, nil
	}
	return true, r.decode(key(number), data)
}

// decode replaces the record by an encoded one with its checksum, which has a key.
func (r *record) decode(key, sealed []byte) error {
	data, err := unseal(key, sealed)
	if err != nil {
		return err
	}
	var saved savedRecord
	size, err := binary.Decode(data, binary.LittleEndian, &saved)
	texts := data[size:]
	var intervals limits.Intervals
	if err == nil && saved.HostLength&intervalsFollow != 0 {
		saved.HostLength &^= intervalsFollow
		if size, err = binary.Decode(texts, binary.LittleEndian, &intervals); err == nil {
			texts = texts[size:]
		}
	}
	if err != nil || uint64(len(texts)) < uint64(saved.IDLength)+uint64(saved.HostLength)+uint64(saved.NoteLength) {
		return errDamaged
	}
	id, texts := texts[:saved.IDLength], texts[saved.IDLength:]
	host, texts := texts[:saved.HostLength], texts[saved.HostLength:]
	*r = record{
		Page:  Page{ID: string(id), Host: string(host), Weight: saved.Weight, Intervals: intervals},
		added: saved.Added, tried: saved.Tried, last: saved.Last, count: saved.Count, changeRate: saved.ChangeRate, by: saved.By,
	}
	if saved.NoteLength > 0 {
		r.Note = slices.Clone(texts[:saved.NoteLength])
	}
	if r.log.UnmarshalBinary(texts[saved.NoteLength:]) != nil {
		return errDamaged
	}
	return nil
}

var errDamaged = fmt.Errorf("%w, or of a later version of this program", ErrDamaged)

// key returns the key of a page's record.
func key(number uint32) []byte { return binary.BigEndian.AppendUint32(nil, number) }
