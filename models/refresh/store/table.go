package store

// The tables of the file: buckets of bbolt whose values have checksums.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"go.etcd.io/bbolt"
)

// A table is a bucket. Each value ends with a checksum of its key and itself, and the
// sequence number of the bucket is how many values there are: where bits of the file have
// changed, no value is mistaken for another, and none is missed.
type table struct{ bucket *bbolt.Bucket }

func tableOf(tx *bbolt.Tx, name []byte) table { return table{tx.Bucket(name)} }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal returns a value with its checksum, which it appends.
func seal(key, value []byte) []byte {
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
	return binary.LittleEndian.AppendUint32(value, sum)
}

// unseal returns the value without its checksum.
func unseal(key, sealed []byte) ([]byte, error) {
	end := len(sealed) - crc32.Size
	if end < 0 {
		return nil, errDamaged
	}
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, sealed[:end])
	if sum != binary.LittleEndian.Uint32(sealed[end:]) {
		return nil, errDamaged
	}
	return sealed[:end], nil
}

// get returns the value of a key, nil if it has none.
func (t table) get(key []byte) ([]byte, error) {
	sealed := t.bucket.Get(key)
	if sealed == nil {
		return nil, nil
	}
	return unseal(key, sealed)
}

// put gives a key a value, which is copied if there is no room behind it for the checksum.
func (t table) put(key, value []byte) error {
	if t.bucket.Get(key) == nil {
		return t.add(key, value)
	}
	return t.replace(key, value)
}

// replace is put for a key that has a value, without a search for it.
func (t table) replace(key, value []byte) error { return t.bucket.Put(key, seal(key, value)) }

// add is put for a key that has no value, without a search for one.
func (t table) add(key, value []byte) error {
	return errors.Join(t.bucket.SetSequence(t.bucket.Sequence()+1), t.bucket.Put(key, seal(key, value)))
}

// remove takes out a key, which has a value.
func (t table) remove(key []byte) error {
	return errors.Join(t.bucket.SetSequence(t.bucket.Sequence()-1), t.bucket.Delete(key))
}

// check reads a table through. It returns what is wrong: values that are damaged, or that
// a search for their key does not find, or that are missing.
func (t table) check(name []byte, goOn func() error) error {
	search, count := t.bucket.Cursor(), uint64(0)
	err := t.bucket.ForEach(func(key, sealed []byte) error {
		if _, err := unseal(key, sealed); err != nil {
			return err
		}
		if found, _ := search.Seek(key); !bytes.Equal(found, key) {
			return fmt.Errorf("%w: keys of its %s are not in order", ErrDamaged, name)
		}
		if count++; count > t.bucket.Sequence() {
			return fmt.Errorf("%w: it has more than %d %s", ErrDamaged, t.bucket.Sequence(), name)
		}
		return goOn()
	})
	if err == nil && count != t.bucket.Sequence() {
		err = fmt.Errorf("%w: it has %d of %d %s", ErrDamaged, count, t.bucket.Sequence(), name)
	}
	return err
}

// formatKey is the key of the settings that says how values are kept. Files with another
// format, or with none, as before values had checksums, are refused.
var formatKey = []byte("format")

const formatNow = "4"
