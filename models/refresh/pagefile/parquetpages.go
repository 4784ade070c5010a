package pagefile

// This file checks the pages of a column of a Parquet file before parquet-go decodes them:
// it takes as much memory as their heads ask for, and unpacks all that is in them.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of a page, unpacked. Common writers stay far below.
const (
	maxPageBytes  = 1 << 28
	maxPageValues = 1 << 24
	maxPageHead   = 1 << 26 // it holds the least and the greatest value, each twice
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
			return fmt.Errorf("%w: a page of %d bytes, of which %d are left", errContradiction, body, end-at)
		case head.UncompressedPageSize > maxPageBytes:
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

var errPageBytes = fmt.Errorf("a page unpacks to more than %d bytes", maxPageBytes)

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

// checkUnpacked makes sure that the body of a page unpacks to at most maxPageBytes, by
// unpacking it piece by piece: what it says of its size may be wrong.
func checkUnpacked(codec format.CompressionCodec, body *io.SectionReader, head *format.PageHeader) error {
	if v2 := &head.DataPageHeaderV2.V; head.Type == format.DataPageV2 { // which begins with levels
		if v2.IsCompressed.Valid && !v2.IsCompressed.V {
			return nil
		}
		levels := int64(v2.RepetitionLevelsByteLength) + int64(v2.DefinitionLevelsByteLength)
		if levels < 0 || levels > body.Size() {
			return fmt.Errorf("%w: a page of %d bytes with %d of levels", errContradiction, body.Size(), levels)
		}
		body = io.NewSectionReader(body, levels, body.Size()-levels)
	}
	switch codec {
	case format.Snappy:
		start := make([]byte, min(body.Size(), binary.MaxVarintLen64))
		if _, err := io.ReadFull(body, start); err != nil {
			return err
		}
		if size, err := snappy.DecodedLen(start); size > maxPageBytes || errors.Is(err, snappy.ErrTooLarge) {
			return errPageBytes
		}
	case format.Gzip, format.Zstd:
		unpacked, err := decompress(body, pageCompressions[codec], maxPageBytes)
		if err != nil {
			return fmt.Errorf("a page: %w", damaged(pageCompressions[codec], err))
		}
		defer unpacked.Close() //nolint:errcheck // nothing is lost
		switch size, err := io.CopyN(io.Discard, unpacked, maxPageBytes+1); {
		case size > maxPageBytes:
			return errPageBytes
		case !errors.Is(err, io.EOF):
			return fmt.Errorf("a page: %w", damaged(pageCompressions[codec], err))
		}
	}
	return nil
}

// pageCompressions are those of pages that are unpacked to see how large they are.
var pageCompressions = map[format.CompressionCodec]Compression{format.Gzip: Gzip, format.Zstd: Zstandard}
