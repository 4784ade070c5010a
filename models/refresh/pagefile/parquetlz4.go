package pagefile

import (
	"errors"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/format"
)

var errLZ4 = errors.New("damaged LZ4 data found; allowed is what unpacks to the size that its page says")

// checkLZ4 makes sure that a page unpacks to what its head says. The decoder takes
// all damage for a lack of room, and doubles the room without end.
func checkLZ4(data io.ReaderAt, head *format.PageHeader, at, length int64) error {
	size := int(head.UncompressedPageSize)
	if v2 := head.DataPageHeaderV2; head.Type == format.DataPageV2 {
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			return nil
		}
		levels := int64(v2.V.RepetitionLevelsByteLength) + int64(v2.V.DefinitionLevelsByteLength)
		if levels < 0 || levels > length {
			return errLZ4
		}
		at, length = at+levels, length-levels
	}
	block := make([]byte, length)
	if _, err := data.ReadAt(block, at); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if lz4Size(block, size) < 0 {
		return errLZ4
	}
	return nil
}

// lz4Size returns the number of bytes that a block unpacks to, −1 if it is damaged
// or they are more than limit. A block is a series of literals, each but the last
// followed by a piece of what has been unpacked (lz4 Block Format Description,
// github.com/lz4/lz4).
func lz4Size(block []byte, limit int) int {
	at, size := 0, 0
	// length adds the bytes that follow lengths of 15, up to one below 255. Where
	// there is none it is more than any block has.
	length := func(n int) int {
		if n < 15 {
			return n
		}
		for at < len(block) {
			n += int(block[at])
			if at++; block[at-1] < 255 {
				return n
			}
		}
		return math.MaxInt32
	}
	for at < len(block) {
		token := int(block[at])
		at++
		literals, match := length(token>>4), token&15
		if literals > len(block)-at {
			return -1
		}
		at += literals
		size += literals
		switch {
		case at == len(block) && match > 0 || at+1 == len(block):
			return -1
		case at < len(block):
			back := int(block[at]) | int(block[at+1])<<8
			at += 2
			if back == 0 || back > size {
				return -1
			}
			const least = 4
			size += length(match) + least
		}
		if size > limit {
			return -1
		}
	}
	return size
}
