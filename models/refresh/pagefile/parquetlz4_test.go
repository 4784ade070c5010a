package pagefile

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
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
		assert.Equal(t, test.want, lz4Size(test.block, limit), "%x", test.block)
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
}
