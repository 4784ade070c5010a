package parquetcheck

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Bounds on what frames of Zstandard unpack to hold, and are near.
func TestZstdSize(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for size := range 40 {
		content := make([]byte, size*size*300)
		for i := range content {
			content[i] = byte(random.IntN(1 + size%3*20))
		}
		var packed bytes.Buffer
		stream, err := zstd.NewWriter(&packed)
		require.NoError(t, err)
		_, err = stream.Write(content)
		require.NoError(t, err)
		require.NoError(t, stream.Close())
		for _, data := range [][]byte{packed.Bytes(), stream.EncodeAll(content, nil)} {
			bound := zstdSize(data)
			assert.GreaterOrEqual(t, bound, int64(len(content)))
			assert.LessOrEqual(t, bound, int64(4*len(content)+mostUnpackedBlock))
		}
	}
}

// mostUnpackedBlock is the greatest block of Zstandard.
const mostUnpackedBlock = 128 << 10
