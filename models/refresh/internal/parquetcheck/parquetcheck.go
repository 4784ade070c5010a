// Package parquetcheck checks Parquet files before package parquet-go reads them.
//
// parquet-go trusts what it reads: it allocates as much memory as a file asks for, unpacks
// all that is in a page, and panics where a file contradicts itself.
package parquetcheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Magic is what files begin and end with.
const Magic = "PAR1"

// ErrDamaged stands for what the decoder could not cope with.
var ErrDamaged = errors.New("the file contradicts itself")

// Guard turns a panic of the decoder into an error. It is to be deferred.
func Guard(err *error) {
	if value := recover(); value != nil {
		*err = fmt.Errorf("%w: %v", ErrDamaged, value)
	}
}

// Open opens a file, after a look at the size of its table of contents, for
// which the decoder takes memory.
func Open(data io.ReaderAt, size int64) (file *parquet.File, err error) {
	defer Guard(&err)
	var end [8]byte
	if size < 12 {
		return nil, fmt.Errorf("it has %d bytes, fewer than 12", size)
	}
	if _, err := data.ReadAt(end[:], size-8); err != nil {
		return nil, err
	}
	if string(end[4:]) != Magic {
		return nil, fmt.Errorf("it ends with %q, not with %q", end[4:], Magic)
	}
	if contents := int64(binary.LittleEndian.Uint32(end[:4])); contents > size-12 {
		return nil, fmt.Errorf("its table of contents has %d bytes; the file has room for %d", contents, size-12)
	}
	return parquet.OpenFile(data, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
}
