package pagefile

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// What a page of a Parquet file may have at most, unpacked. Common writers stay far
// below: the decoder takes the memory that a page asks for at once.
const (
	maxPageBytes  = 1 << 28
	maxPageValues = 1 << 24
	maxPageHead   = 4 * maxRecord // twice the least and the greatest value
)

// checkParquetPages looks at the heads of the pages that are to be read, before
// the decoder does, which takes memory as they say.
func checkParquetPages(data io.ReaderAt, file *parquet.File, group int, columns [maxFields]int) (err error) {
	defer guard(&err)
	chunks := file.Metadata().RowGroups[group].Columns
	for _, column := range columns {
		if column < 0 {
			continue
		}
		if column >= len(chunks) {
			return fmt.Errorf("%w: row group %d has %d columns", errDecoder, group+1, len(chunks))
		}
		meta := &chunks[column].MetaData
		if err := checkChunk(data, file.Size(), meta); err != nil {
			return fmt.Errorf("row group %d, column %d: %w", group+1, column+1, err)
		}
	}
	return nil
}

// chunkPlace returns where the pages of a column in a row group are.
func chunkPlace(meta *format.ColumnMetaData) (start, length int64) {
	start = meta.DataPageOffset
	if meta.DictionaryPageOffset > 0 {
		start = min(start, meta.DictionaryPageOffset)
	}
	return start, meta.TotalCompressedSize
}

func checkChunk(data io.ReaderAt, size int64, meta *format.ColumnMetaData) error {
	at, length := chunkPlace(meta)
	if at < 0 || length < 0 || at > size || length > size-at {
		return fmt.Errorf("pages at %d … %d found; the file has %d bytes", at, at+length, size)
	}
	for end := at + length; at < end; {
		head, bytes, err := readPageHead(data, at, end)
		if err != nil {
			return err
		}
		body := int64(head.CompressedPageSize)
		if body < 0 || body > end-at-bytes {
			return fmt.Errorf("a page of %d bytes found; %d are left", body, end-at-bytes)
		}
		if head.UncompressedPageSize < 0 || head.UncompressedPageSize > maxPageBytes {
			return fmt.Errorf("a page of %d bytes, uncompressed, found; up to %d are allowed", head.UncompressedPageSize, maxPageBytes)
		}
		if values := pageValues(head); values < 0 || values > maxPageValues {
			return fmt.Errorf("a page of %d values found; 0 to %d are allowed", values, maxPageValues)
		}
		if err := checkPacked(data, meta.Codec, head, at+bytes, body); err != nil {
			return err
		}
		at += bytes + body
	}
	return nil
}

func pageValues(head *format.PageHeader) int32 {
	switch head.Type {
	case format.DataPage:
		return head.DataPageHeader.V.NumValues
	case format.DataPageV2:
		return head.DataPageHeaderV2.V.NumValues
	case format.DictionaryPage:
		return head.DictionaryPageHeader.V.NumValues
	}
	return 0
}

// readPageHead decodes the head of a page and returns its length. Heads whose
// statistics have long names take another look.
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
