package pagefile

// This file checks what the pages of a column of a Parquet file say of their sizes before
// parquet-go decodes them: it takes as much memory as they say.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a page, unpacked. Common writers stay far below.
const (
	maxPageBytes  = 1 << 28
	maxPageValues = 1 << 24
)

// checkChunk checks the pages of a column in a row group.
func checkChunk(data io.ReaderAt, size int64, meta *format.ColumnMetaData) error {
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
		return fmt.Errorf("%w: pages at %d … %d of %d bytes", errContradiction, at, at+length, size)
	}
	pages := bufio.NewReader(io.NewSectionReader(data, at, length))
	for {
		if _, err := pages.Peek(1); err != nil {
			return ignore(io.EOF, err)
		}
		var head format.PageHeader
		if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReader(pages)).Decode(&head); err != nil {
			return err
		}
		v2 := &head.DataPageHeaderV2.V // the zero value in pages of another version
		levels := int(v2.RepetitionLevelsByteLength) + int(v2.DefinitionLevelsByteLength)
		if _, err := pages.Discard(levels); err != nil {
			return errPageEnds
		}
		size := uint64(max(head.UncompressedPageSize, 0))
		if !v2.IsCompressed.Valid || v2.IsCompressed.V {
			start, _ := pages.Peek(zstd.HeaderMaxSize) // an error comes again
			size = max(size, unpackedSize(meta.Codec, start))
		}
		values := max(head.DataPageHeader.V.NumValues, v2.NumValues, head.DictionaryPageHeader.V.NumValues)
		switch {
		case size > maxPageBytes:
			return fmt.Errorf("a page unpacks to more than %d bytes", maxPageBytes)
		case values > maxPageValues:
			return fmt.Errorf("a page has %d values: write pages of at most %d", values, maxPageValues)
		}
		if _, err := pages.Discard(int(head.CompressedPageSize) - levels); err != nil {
			return errPageEnds
		}
	}
}

var errPageEnds = fmt.Errorf("%w: a page is longer than its column", errContradiction)

// unpackedSize returns how many bytes a page says, where it begins, that it unpacks to; 0 if
// it does not.
func unpackedSize(codec format.CompressionCodec, start []byte) uint64 {
	switch codec {
	case format.Snappy:
		size, err := snappy.DecodedLen(start)
		if errors.Is(err, snappy.ErrTooLarge) {
			return math.MaxUint64
		}
		return uint64(max(size, 0))
	case format.Zstd:
		var frame zstd.Header
		if frame.Decode(start) == nil {
			return frame.FrameContentSize
		}
	}
	return 0
}
