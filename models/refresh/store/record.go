package store

// What stands on disk for a page.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// A record is what the store keeps of a page on disk.
type record struct {
	Page
	added int64   // when, in nanoseconds since 1970
	tried int64   // last visit, of whatever outcome; 0: none
	left  float64 // at that time, the number of intervals 1/rate until the next visit is due
	last  Outcome
	count uint64 // visits of whatever outcome
	log   estimate.AccessLog

	changeRate float64 // estimated after the last visit; 0: nothing is known
}

// recordVersion begins each record.
const recordVersion = 1

// append encodes the record: numbers of fixed length, then texts, each with its length
// before it.
func (r *record) append(dst []byte) ([]byte, error) {
	dst = append(dst, recordVersion, byte(r.last))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.Weight))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.added))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.tried))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.left))
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(r.changeRate))
	dst = binary.AppendUvarint(dst, r.count)
	for _, text := range []string{r.ID, r.Host, string(r.Note)} {
		dst = binary.AppendUvarint(dst, uint64(len(text)))
		dst = append(dst, text...)
	}
	return r.log.AppendBinary(dst)
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
	const fixed = 2 + 5*8
	if len(data) < fixed || data[0] != recordVersion || Outcome(data[1]) >= outcomes {
		return errDamaged
	}
	*r = record{last: Outcome(data[1])}
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(data[2+8*i:]) }
	r.Weight, r.left = math.Float64frombits(number(0)), math.Float64frombits(number(3))
	r.changeRate = math.Float64frombits(number(4))
	r.added, r.tried = int64(number(1)), int64(number(2))
	if !(r.Weight >= refresh.LeastNumber && r.Weight <= refresh.GreatestNumber) || math.IsNaN(r.left) || math.IsInf(r.left, 0) ||
		r.changeRate != 0 && r.changeRate != within(r.changeRate) {
		return errDamaged
	}
	rest := data[fixed:]
	count, used := binary.Uvarint(rest)
	if used <= 0 {
		return errDamaged
	}
	r.count, rest = count, rest[used:]
	var texts [3]string
	for i := range texts {
		length, used := binary.Uvarint(rest)
		if used <= 0 || length > uint64(len(rest)-used) {
			return errDamaged
		}
		end := used + int(length)
		texts[i], rest = string(rest[used:end]), rest[end:]
	}
	r.ID, r.Host = texts[0], texts[1]
	if texts[2] != "" {
		r.Note = []byte(texts[2])
	}
	if err := r.log.UnmarshalBinary(rest); err != nil {
		return fmt.Errorf("page %q of the store: %w", r.ID, err)
	}
	return nil
}

var errDamaged = errors.New("the file is damaged, or of a later version of this program")

// key returns the key of a page's record.
func key(number uint32) []byte { return binary.BigEndian.AppendUint32(nil, number) }
