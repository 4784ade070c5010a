package figure

// Pictures as PNG.

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"

	"gonum.org/v1/plot/vg/vgimg"
)

// pngCanvas writes PNG. Unlike gonum's it says how large a dot is, so that programs place
// the picture in the size that was asked for.
type pngCanvas struct {
	vgimg.PngCanvas
	dpi int
}

// WriteTo implements [io.WriterTo].
func (c pngCanvas) WriteTo(w io.Writer) (int64, error) {
	var file bytes.Buffer
	if _, err := c.PngCanvas.WriteTo(&file); err != nil {
		return 0, err
	}
	const header, metre = 33, 39.3701 // bytes of the signature and the first chunk; inches
	first := file.Next(header)
	perMetre := uint32(math.Round(float64(c.dpi) * metre))
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(chunk, 1) // dots per metre
	size := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-len("pHYs")))
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk))
	whole := bytes.NewReader(bytes.Join([][]byte{first, size, chunk, sum, file.Bytes()}, nil))
	return whole.WriteTo(w)
}
