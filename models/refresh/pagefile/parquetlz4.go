package pagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Pages in LZ4 are unpacked here. The decoder takes all damage for a lack of room,
// and doubles the room without end; and pages that have shrunk to more than a third
// it takes from memory that they have not been unpacked to, without a word.

// unpackLZ4 returns a row group without LZ4 in the columns that are to be read: as a
// file of its own in memory, with these columns alone if it needs one. The pages
// have been checked.
func unpackLZ4(data io.ReaderAt, file *parquet.File, group int, columns [maxFields]int) (rows parquet.RowGroup, err error) {
	defer guard(&err)
	packed := func(column int) bool {
		return column >= 0 && file.Metadata().RowGroups[group].Columns[column].MetaData.Codec == format.Lz4Raw
	}
	if !slices.ContainsFunc(columns[:], packed) {
		return file.RowGroups()[group], nil
	}
	contents := *file.Metadata()
	contents.RowGroups = []format.RowGroup{contents.RowGroups[group]}
	contents.RowGroups[0].Ordinal = 0
	chunks := slices.Clone(contents.RowGroups[0].Columns)
	contents.RowGroups[0].Columns = chunks
	var unpacked bytes.Buffer
	unpacked.WriteString(parquetMagic)
	for column := range chunks {
		meta := &chunks[column].MetaData
		if !slices.Contains(columns[:], column) {
			continue // it still points into the other file, where nobody looks
		}
		start, length := chunkPlace(meta)
		moved := int64(unpacked.Len()) - start
		if meta.Codec != format.Lz4Raw {
			if _, err := io.Copy(&unpacked, io.NewSectionReader(data, start, length)); err != nil {
				return nil, err
			}
			meta.DataPageOffset += moved
			if meta.DictionaryPageOffset > 0 {
				meta.DictionaryPageOffset += moved
			}
			continue
		}
		// The first data page is found again behind the dictionary, if there is one.
		meta.DataPageOffset, meta.DictionaryPageOffset = int64(unpacked.Len()), 0
		if err := unpackChunk(&unpacked, data, start, start+length); err != nil {
			return nil, err
		}
		meta.Codec = format.Uncompressed
		meta.TotalCompressedSize = int64(unpacked.Len()) - meta.DataPageOffset
		meta.TotalUncompressedSize = meta.TotalCompressedSize
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &contents)
	if err != nil {
		return nil, err
	}
	unpacked.Write(footer)
	unpacked.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	unpacked.WriteString(parquetMagic)
	own, err := openParquet(bytes.NewReader(unpacked.Bytes()), int64(unpacked.Len()))
	if err != nil {
		return nil, err
	}
	return own.RowGroups()[0], nil
}

// unpackChunk writes the pages at start … end without compression.
func unpackChunk(to *bytes.Buffer, data io.ReaderAt, start, end int64) error {
	for at := start; at < end; {
		head, length, err := readPageHead(data, at, end)
		if err != nil {
			return err
		}
		body := make([]byte, head.CompressedPageSize)
		if _, err := data.ReadAt(body, at+length); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		at += length + int64(len(body))
		levels, packed := int64(0), true
		if head.Type == format.DataPageV2 {
			if levels, packed, err = levelsOf(head, int64(len(body))); err != nil {
				return err
			}
			head.DataPageHeaderV2.V.IsCompressed.Valid = true
			head.DataPageHeaderV2.V.IsCompressed.V = false
		}
		if packed {
			size := int(head.UncompressedPageSize) - int(levels)
			plain, ok := decodeLZ4(make([]byte, 0, max(0, size)), body[levels:], size)
			if !ok || len(plain) != size {
				return errLZ4
			}
			body = append(body[:levels:levels], plain...)
		}
		head.CompressedPageSize, head.UncompressedPageSize = int32(len(body)), int32(len(body))
		head.CRC = 0
		text, err := thrift.Marshal(new(thrift.CompactProtocol), head)
		if err != nil {
			return err
		}
		to.Write(text)
		to.Write(body)
	}
	return nil
}

var errLZ4 = errors.New("damaged LZ4 data found; allowed is what unpacks to the size that its page says")

// decodeLZ4 appends what a block unpacks to. It is not ok if it is damaged or that
// is more than limit. A block is a series of literals, each but the last followed
// by a piece of what has been unpacked (lz4 Block Format Description,
// github.com/lz4/lz4).
func decodeLZ4(dst, block []byte, limit int) (unpacked []byte, ok bool) {
	at := 0
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
		if literals > len(block)-at || literals > limit-len(dst) {
			return nil, false
		}
		dst = append(dst, block[at:at+literals]...)
		at += literals
		switch {
		case at == len(block) && match > 0 || at+1 == len(block):
			return nil, false
		case at < len(block):
			back := int(block[at]) | int(block[at+1])<<8
			at += 2
			const least = 4
			n := length(match) + least
			if back == 0 || back > len(dst) || n > limit-len(dst) {
				return nil, false
			}
			for n > 0 { // what is copied may go on with what has just been copied
				from := len(dst) - back
				part := min(n, back)
				dst = append(dst, dst[from:from+part]...)
				n -= part
			}
		}
	}
	return dst, true
}
