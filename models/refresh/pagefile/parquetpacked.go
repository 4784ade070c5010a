package pagefile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// checkPacked makes sure that a page unpacks to no more than pages may have. The
// decoder does not compare what comes out with the head of the page before it is
// all there.
func checkPacked(data io.ReaderAt, codec format.CompressionCodec, head *format.PageHeader, at, length int64) error {
	if head.Type == format.DataPageV2 {
		levels, packed, err := levelsOf(head, length)
		if err != nil || !packed {
			return err
		}
		at, length = at+levels, length-levels
	}
	block := io.NewSectionReader(data, at, length)
	var size int64
	var err error
	switch codec {
	case format.Snappy:
		size, err = snappySize(block)
	case format.Gzip:
		size, err = gzipSize(block)
	case format.Brotli:
		size = countBytes(brotli.NewReader(block))
	case format.Zstd:
		size, err = zstdSize(block)
	default: // uncompressed, LZ4, which is not left to the decoder, or unknown to it
	}
	if err == nil && size > maxPageBytes {
		err = fmt.Errorf("a page that unpacks to more than %d bytes found; up to these are allowed", maxPageBytes)
	}
	return err
}

// levelsOf returns the length of the levels with which a page of the second version
// begins, which are never compressed, and whether the rest is.
func levelsOf(head *format.PageHeader, length int64) (levels int64, packed bool, err error) {
	v2 := &head.DataPageHeaderV2.V
	repetition, definition := int64(v2.RepetitionLevelsByteLength), int64(v2.DefinitionLevelsByteLength)
	if repetition < 0 || definition < 0 || repetition+definition > length {
		return 0, false, fmt.Errorf("a page of %d bytes with %d and %d of levels found", length, repetition, definition)
	}
	return repetition + definition, !v2.IsCompressed.Valid || v2.IsCompressed.V, nil
}

// countBytes returns how much comes out of a decompressor, or something above
// maxPageBytes. Damaged data end where they are damaged: there the decoder ends,
// too.
func countBytes(unpacked io.Reader) int64 {
	n, _ := io.Copy(io.Discard, io.LimitReader(unpacked, maxPageBytes+1)) // the decoder words errors
	return n
}

// snappySize returns what a block of Snappy says that it unpacks to, which the
// decoder holds it to.
func snappySize(block *io.SectionReader) (int64, error) {
	var head [binary.MaxVarintLen64]byte
	n, err := block.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	size, length := binary.Uvarint(head[:n])
	if length <= 0 {
		return 0, nil // damaged
	}
	return int64(min(size, maxPageBytes+1)), nil
}

// gzipSize unpacks what may be too large: DEFLATE makes at most 1032 bytes of one.
func gzipSize(block *io.SectionReader) (int64, error) {
	const most = 1032
	if bound := most * block.Size(); bound <= maxPageBytes {
		return bound, nil
	}
	reader, err := gzip.NewReader(bufio.NewReaderSize(block, 1<<16))
	if err != nil {
		return 0, damaged(Gzip, err)
	}
	return countBytes(reader), nil
}

// zstdSize returns a bound on what frames of Zstandard unpack to: what they say
// that they have, which the decoder holds them to, or the sum of what their blocks
// can have at most (RFC 8878, section 3.1.1.2).
func zstdSize(block *io.SectionReader) (size int64, err error) {
	for at := int64(0); at < block.Size() && size <= maxPageBytes; {
		var head [zstd.HeaderMaxSize]byte
		n, err := block.ReadAt(head[:], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		var frame zstd.Header
		if frame.Decode(head[:n]) != nil {
			return size, nil // damaged
		}
		at += int64(frame.HeaderSize)
		if frame.Skippable {
			at += int64(frame.SkippableSize)
			continue
		}
		unpacked, length, err := zstdBlocks(block, at)
		if err != nil {
			return 0, err
		}
		if at += length; frame.HasCheckSum {
			const checksum = 4
			at += checksum
		}
		if frame.HasFCS {
			unpacked = int64(min(frame.FrameContentSize, maxPageBytes+1))
		}
		size += unpacked
	}
	return size, nil
}

// zstdBlocks returns a bound on what the blocks of a frame unpack to, and the
// length of the blocks.
func zstdBlocks(block *io.SectionReader, start int64) (unpacked, length int64, err error) {
	const (
		repeated     = 1 // the type of blocks of one byte, many times
		compressed   = 2
		mostUnpacked = 128 << 10 // of a compressed block
	)
	at := start
	for last := false; !last && unpacked <= maxPageBytes; {
		var head [3]byte
		if n, err := block.ReadAt(head[:], at); n < len(head) {
			if errors.Is(err, io.EOF) { // damaged
				err = nil
			}
			return unpacked, block.Size() - start, err
		}
		word := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
		last = word&1 != 0
		size := word >> 3
		at += int64(len(head))
		switch word >> 1 & 3 {
		case repeated:
			unpacked += size
			at++
		case compressed:
			unpacked += mostUnpacked
			at += size
		default:
			unpacked += size
			at += size
		}
	}
	return unpacked, at - start, nil
}
