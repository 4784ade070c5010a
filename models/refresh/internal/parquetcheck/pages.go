package parquetcheck

// This file checks the pages of a column.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a page, unpacked. Common writers stay far below.
const (
	MaxPageBytes  = 1 << 28
	maxPageValues = 1 << 24
	maxPageHead   = 1 << 26 // it holds the least and the greatest value, each twice
)

// Chunk checks the pages of a column in a row group.
func Chunk(data io.ReaderAt, size int64, meta *format.ColumnMetaData) error {
	switch meta.Codec {
	case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
	default:
		return fmt.Errorf("it is compressed by %v; write it with Snappy, gzip or Zstandard, or without compression", meta.Codec)
	}
	at, length := meta.DataPageOffset, meta.TotalCompressedSize
	if meta.DictionaryPageOffset > 0 {
		at = min(at, meta.DictionaryPageOffset)
	}
	if at < 0 || length < 0 || at > size || length > size-at {
		return fmt.Errorf("%w: pages at %d … %d of %d bytes", ErrDamaged, at, at+length, size)
	}
	for end := at + length; at < end; {
		head, headLength, err := readPageHead(data, at, end)
		if err != nil {
			return err
		}
		at += headLength
		body := int64(head.CompressedPageSize)
		values := max(head.DataPageHeader.V.NumValues, head.DataPageHeaderV2.V.NumValues, head.DictionaryPageHeader.V.NumValues)
		switch {
		case body < 0 || body > end-at:
			return fmt.Errorf("%w: a page of %d bytes, of which %d are left", ErrDamaged, body, end-at)
		case head.UncompressedPageSize > MaxPageBytes:
			return errPageBytes
		case values > maxPageValues:
			return fmt.Errorf("a page has %d values: write pages of at most %d", values, maxPageValues)
		}
		if err := checkUnpacked(meta.Codec, io.NewSectionReader(data, at, body), head); err != nil {
			return err
		}
		at += body
	}
	return nil
}

var errPageBytes = fmt.Errorf("a page unpacks to more than %d bytes", MaxPageBytes)

// readPageHead decodes the head of a page, and returns its length. Few heads are
// longer than a kilobyte: those whose statistics have long names.
func readPageHead(data io.ReaderAt, at, end int64) (head *format.PageHeader, length int64, err error) {
	for _, window := range []int64{1 << 10, 1 << 20, maxPageHead} {
		buffer := make([]byte, min(window, end-at))
		if _, err := data.ReadAt(buffer, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		head = new(format.PageHeader)
		reader := new(thrift.CompactProtocol).NewReaderFromBytes(buffer)
		if err = thrift.NewDecoder(reader).Decode(head); err == nil {
			return head, int64(reader.BytesRead()), nil
		}
	}
	return nil, 0, err
}

// checkUnpacked makes sure that the body of a page unpacks to at most MaxPageBytes.
// Damaged bodies pass: parquet-go fails at the same place.
func checkUnpacked(codec format.CompressionCodec, body *io.SectionReader, head *format.PageHeader) error {
	if v2 := &head.DataPageHeaderV2.V; head.Type == format.DataPageV2 { // which begins with levels
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return nil
		}
		levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
		if levels < 0 || levels > body.Size() {
			return fmt.Errorf("%w: a page of %d bytes with %d of levels", ErrDamaged, body.Size(), levels)
		}
		body = io.NewSectionReader(body, levels, body.Size()-levels)
	}
	var size int64
	switch codec {
	case format.Snappy:
		start := make([]byte, min(body.Size(), binary.MaxVarintLen64))
		if _, err := io.ReadFull(body, start); err != nil {
			return err
		}
		n, err := snappy.DecodedLen(start)
		if size = int64(n); errors.Is(err, snappy.ErrTooLarge) {
			size = MaxPageBytes + 1
		}
	case format.Gzip:
		const most = 1032 // bytes that DEFLATE makes of one
		if most*body.Size() <= MaxPageBytes {
			break
		}
		if unpacked, err := gzip.NewReader(body); err == nil {
			size, _ = io.CopyN(io.Discard, unpacked, MaxPageBytes+1)
		}
	case format.Zstd:
		frames := make([]byte, body.Size())
		if _, err := io.ReadFull(body, frames); err != nil {
			return err
		}
		size = zstdSize(frames)
	}
	if size > MaxPageBytes {
		return errPageBytes
	}
	return nil
}

// zstdSize returns a bound on what frames of Zstandard unpack to: what they say,
// which the decoder holds them to, or the sum over their blocks (RFC 8878,
// section 3.1.1).
func zstdSize(frames []byte) (size int64) {
	for len(frames) > 0 && size <= MaxPageBytes {
		var frame zstd.Header
		blocks, err := frame.DecodeAndStrip(frames)
		if err != nil {
			break // damaged
		}
		if frame.Skippable {
			frames = blocks[min(int(frame.SkippableSize), len(blocks)):]
			continue
		}
		unpacked, rest := zstdBlocks(blocks)
		if frame.HasFCS {
			unpacked = int64(min(frame.FrameContentSize, MaxPageBytes+1))
		}
		if frame.HasCheckSum {
			rest = rest[min(4, len(rest)):]
		}
		size += unpacked
		frames = rest
	}
	return size
}

// zstdBlocks returns a bound on what the blocks of a frame unpack to, and what
// follows them.
func zstdBlocks(blocks []byte) (unpacked int64, rest []byte) {
	const (
		repeated   = 1 // one byte, many times
		compressed = 2
	)
	for last := false; !last && len(blocks) >= 3; {
		head := int(blocks[0]) | int(blocks[1])<<8 | int(blocks[2])<<16
		last = head&1 == 1
		length := head >> 3
		most := length
		switch head >> 1 & 3 {
		case repeated:
			length = 1
		case compressed:
			most = 128 << 10
		}
		unpacked += int64(most)
		blocks = blocks[3:]
		blocks = blocks[min(length, len(blocks)):]
	}
	return unpacked, blocks
}
