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

	changeRate float64 // estimated after the last visit; before the first visit, a guess; 0: nothing is known
	by         float64 // mean of the prior of that estimate; 0: before one was fitted

	failures  uint8 // visits in a row with the outcome last that have not found the page, or final
	announced bool  // a change since the last visit
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

// troubleFollows is added to the length of the ID if a trouble stands before the texts, after
// intervals.
const troubleFollows = 1 << 31

// trouble has fields that are zero for most pages, which are stored without it.
type trouble struct {
	Failures  uint8
	Announced bool
}

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
	has := trouble{r.failures, r.announced}
	if has != (trouble{}) {
		saved.IDLength |= troubleFollows
	}
	const most = 128 // of all but texts, in a record with a short log: it is not moved as it grows
	data, err := binary.Append(make([]byte, 0, most+len(r.ID)+len(r.Host)+len(r.Note)), binary.LittleEndian, &saved)
	if err == nil && limited {
		data, err = binary.Append(data, binary.LittleEndian, &r.Intervals)
	}
	if err == nil && saved.IDLength&troubleFollows != 0 {
		data, err = binary.Append(data, binary.LittleEndian, &has)
	}
	if err != nil {
		return nil, err
	}
	data = append(append(append(data, r.ID...), r.Host...), r.Note...)
	return r.log.AppendBinary(data)
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
	var has trouble
	if err == nil && saved.IDLength&troubleFollows != 0 {
		saved.IDLength &^= troubleFollows
		if size, err = binary.Decode(texts, binary.LittleEndian, &has); err == nil {
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
		failures: has.Failures, announced: has.Announced,
	}
	if isRetried(r.last) && r.count > 0 && r.failures == 0 {
		r.failures = 1 // of an earlier version
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
