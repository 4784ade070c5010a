package pagefile

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLZ4Size(t *testing.T) {
	for _, test := range []struct {
		block []byte
		want  int
	}{
		{nil, 0},
		{[]byte{0x00}, 0},
		{[]byte{0x20, 'a', 'b'}, 2},
		{[]byte{0x20, 'a'}, -1},            // a literal is missing
		{[]byte{0x21, 'a', 'b'}, -1},       // a match is missing
		{[]byte{0x21, 'a', 'b', 1}, -1},    // half an offset
		{[]byte{0x21, 'a', 'b', 1, 0}, 7},  // 2 and a match of 5
		{[]byte{0x21, 'a', 'b', 2, 0}, 7},  // from the first byte on
		{[]byte{0x21, 'a', 'b', 3, 0}, -1}, // from before it
		{[]byte{0x21, 'a', 'b', 0, 0}, -1}, // from nowhere
		{[]byte{0x1f, 'a', 1, 0, 255}, -1}, // a length without an end
		{[]byte{0x1f, 'a', 1, 0, 3}, 1 + 22},
		{[]byte{0x1f, 'a', 1, 0, 255, 0}, -1}, // 275 bytes, above the limit
		{[]byte{0xf0, 200}, -1},
		{append([]byte{0xf0, 1}, make([]byte, 16)...), 16},
		{[]byte{0x14, 'a', 1, 0, 0x10, 'b'}, 1 + 8 + 1},
	} {
		const limit = 200
		unpacked, ok := decodeLZ4(nil, test.block, limit)
		assert.Equal(t, test.want >= 0, ok, "%x", test.block)
		assert.Len(t, unpacked, max(0, test.want), "%x", test.block)
	}
}

// Damaged pages do not take all memory.
func TestDamagedLZ4(t *testing.T) {
	type row struct {
		ID   string   `parquet:"id"`
		Rate *float64 `parquet:"change_rate"`
	}
	var rows []row
	for i := range 200 {
		rate := float64(i % 5)
		rows = append(rows, row{"https://example/" + string(rune('a'+i%26)) + string(rune('a'+i/26)), &rate})
	}
	random := rand.New(rand.NewPCG(1, 1))
	damaged := 0
	for _, version := range []int{1, 2} {
		data := parquetOf(t, rows, parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(version))
		pages, report, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{})
		require.NoError(t, err)
		assert.Zero(t, report.Unusable)
		assert.Equal(t, 200, pages.Len())
		for range 300 {
			broken := bytes.Clone(data)
			broken[random.IntN(len(broken))] ^= 1 << random.IntN(8)
			if _, _, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(broken)}, Options{}); err != nil && strings.Contains(err.Error(), "LZ4") {
				damaged++
			}
		}
	}
	assert.Positive(t, damaged)
	for _, version := range []int{1, 2} { // whole, but of less than the pages say
		short := &bomb{format.Lz4Raw, []byte{0x10, 'a'}}
		data := parquetOf(t, rows, parquet.Compression(short), parquet.DataPageVersion(version))
		_, _, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{})
		require.ErrorContains(t, err, "damaged LZ4 data found")
	}
}

// What LZ4 hardly makes smaller is read to the bit, with dictionaries, missing
// numbers, and columns that nobody asks for.
func TestLZ4(t *testing.T) {
	type row struct {
		ID    string   `parquet:"id"`
		Plain string   `parquet:"path,plain"`
		Rate  float64  `parquet:"change_rate"`
		Host  string   `parquet:"host,dict"`
		Most  *float64 `parquet:"greatest_rate,optional"`
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 100, 3000, 20000} {
		rows := make([]row, n)
		for i := range rows {
			rows[i] = row{ID: strconv.FormatUint(random.Uint64(), 36), Rate: random.Float64(), Host: strconv.Itoa(random.IntN(50)) + strings.Repeat("x", i%30)}
			if i%3 == 0 {
				most := random.Float64()
				rows[i].Most = &most
			}
		}
		for _, version := range []int{1, 2} {
			for _, group := range []int64{1000, 1 << 20} {
				data := parquetOf(t, rows, parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(version),
					parquet.MaxRowsPerRowGroup(group), parquet.PageBufferSize(1<<14))
				pages, report, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{Hosts: true, Workers: 2})
				require.NoError(t, err)
				require.EqualValues(t, n, report.Rows)
				for i, r := range rows {
					require.Equal(t, r.ID, pages.IDs.At(i))
					require.Equal(t, r.Rate, pages.ChangeRates[i])
					require.Equal(t, r.Host, pages.Hosts.Names.At(int(pages.Hosts.Of[i])))
					want := math.Inf(1)
					if r.Most != nil {
						want = *r.Most
					}
					require.Equal(t, want, pages.Greatest[i])
				}
			}
		}
	}
}
