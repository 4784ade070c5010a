package pagefile

import (
	"bytes"
	"context"
	"encoding/hex"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bomb is a codec for writers that puts something else into all pages.
type bomb struct {
	codec   format.CompressionCodec
	content []byte
}

func (b *bomb) String() string                            { return b.codec.String() }
func (b *bomb) CompressionCodec() format.CompressionCodec { return b.codec }
func (b *bomb) Encode(_, _ []byte) ([]byte, error)        { return bytes.Clone(b.content), nil }
func (b *bomb) Decode(_, _ []byte) ([]byte, error)        { panic("a bomb") }

var _ compress.Codec = (*bomb)(nil)

// unhex turns groups of digits into bytes.
func unhex(t *testing.T, digits string) []byte {
	t.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	require.NoError(t, err)
	return data
}

// Damaged data are errors of the decoder, in one line.
func TestParquetPagesThatAreNotWhatTheySay(t *testing.T) {
	type page struct {
		ID   string  `parquet:"id"`
		Rate float64 `parquet:"change_rate"`
	}
	for _, codec := range []format.CompressionCodec{format.Gzip, format.Zstd, format.Snappy} {
		for _, content := range []string{"", "80", "ffffffffffffffffff01 00", "28b52ffd", "28b52ffd 00", "28b52ffd 0050 02", "502a4d18 ffffffff", "1f8b08", strings.Repeat("ff", 300_000)} {
			data := parquetOf(t, []page{{"a", 1}}, parquet.Compression(&bomb{codec, unhex(t, content)}))
			_, _, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{})
			require.Error(t, err, "%v %.20s", codec, content)
			assert.NotContains(t, err.Error(), "\n")
		}
	}
}

// Damaged files are errors or other rows, never a crash.
func TestDamagedParquet(t *testing.T) {
	type row struct {
		ID   string   `parquet:"id,dict"`
		Rate *float64 `parquet:"change_rate"`
	}
	var rows []row
	for i := range 200 {
		rate := float64(i % 5)
		rows = append(rows, row{"https://example/" + strconv.Itoa(i), &rate})
	}
	random := rand.New(rand.NewPCG(1, 1))
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Gzip, &parquet.Zstd, &parquet.Snappy} {
		for _, version := range []int{1, 2} {
			data := parquetOf(t, rows, parquet.Compression(codec), parquet.DataPageVersion(version))
			damaged := 0
			for range 60 {
				broken := bytes.Clone(data)
				broken[random.IntN(len(broken))] ^= 1 << random.IntN(8)
				pages, report, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(broken)}, Options{Workers: 2})
				if err != nil {
					assert.NotContains(t, err.Error(), "\n")
					damaged++
				} else {
					assert.EqualValues(t, report.Rows, pages.Len())
				}
			}
			assert.Positive(t, damaged)
		}
	}
}

// Codecs that are not read are an error that says what to do.
func TestParquetCodecsThatAreRefused(t *testing.T) {
	type page struct {
		ID   string  `parquet:"id"`
		Rate float64 `parquet:"change_rate"`
	}
	for codec, name := range map[compress.Codec]string{&parquet.Brotli: "BROTLI", &parquet.Lz4Raw: "LZ4_RAW", &bomb{format.LZO, nil}: "LZO"} {
		data := parquetOf(t, []page{{"a", 1}}, parquet.Compression(codec))
		_, _, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{})
		require.EqualError(t, err, `p: column "id" is compressed by `+name+"; write it with Snappy, gzip or Zstandard, or without compression")
	}
}

// Large pages of every codec are read.
func TestLargeParquetPages(t *testing.T) {
	type page struct {
		ID   string  `parquet:"id"`
		Rate float64 `parquet:"change_rate"`
	}
	random := rand.New(rand.NewPCG(3, 4))
	rows := make([]page, 50_000)
	for i := range rows {
		rows[i] = page{strconv.FormatUint(random.Uint64(), 36) + strings.Repeat("x", i%40), float64(i)}
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Gzip, &parquet.Zstd, &parquet.Snappy} {
		for _, version := range []int{1, 2} {
			data := parquetOf(t, rows, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(1<<22))
			pages, report, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{Strict: true})
			require.NoError(t, err, codec)
			assert.EqualValues(t, len(rows), report.Rows)
			assert.Equal(t, rows[len(rows)-1].ID, pages.IDs.At(len(rows)-1))
		}
	}
}

// endless is a stream that does not end by itself.
type endless struct {
	head string
	stop func()
}

func (e *endless) Read(data []byte) (int, error) {
	if n := copy(data, e.head); n > 0 {
		e.head = e.head[n:]
		return n, nil
	}
	e.stop()
	return len(data), nil
}

// A stream that is not Parquet is not copied to the disk, and one that is, not when
// nobody waits for it any more.
func TestParquetStreamsWithoutEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	source := Source{Name: "p.parquet", Reader: &endless{"id,rate\n", func() {}}}
	_, _, err := ReadPages(ctx, source, Options{})
	require.EqualError(t, err, `p.parquet: not a readable Parquet file: it begins with "id,r", not with "PAR1"`)
	source.Reader = &endless{"PAR1", cancel}
	_, _, err = ReadPages(ctx, source, Options{})
	require.ErrorIs(t, err, context.Canceled)
}
