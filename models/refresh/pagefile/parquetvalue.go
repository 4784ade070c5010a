package pagefile

// This file turns values of Parquet into cells, as the logical type of their column
// says.

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// A parquetMeaning is what the logical type of a column says of its values: the same
// bits may be a whole number, an amount of cents or a day.
type parquetMeaning struct {
	seconds  float64 // the unit of points in time since 1970; 0 for other values
	decimal  bool
	scale    int // digits of decimals behind the point
	unsigned bool
	uuid     bool
	unread   string // what values are if they are not read
}

// maxScale is the greatest number of digits behind a point: common writers have 38.
const maxScale = 1000

func meaningOf(kind parquet.Type) (m parquetMeaning) {
	logical := kind.LogicalType()
	if logical == nil {
		return m
	}
	switch t := logical.Value.(type) {
	case *format.TimestampType:
		if t.Unit.Value != nil {
			m.seconds = t.Unit.Value.Duration().Seconds()
		}
	case *format.DateType:
		m.seconds = secondsADay
	case *format.DecimalType:
		m.decimal, m.scale = true, int(t.Scale)
		if m.scale < 0 || m.scale > maxScale {
			m.unread = fmt.Sprintf("a decimal of %d digits behind the point", m.scale)
		}
	case *format.IntType:
		m.unsigned = !t.IsSigned
	case *format.UUIDType:
		m.uuid = true
	}
	return m
}

const secondsADay = 24 * 60 * 60

// fill puts a value into a cell.
func (p *parquetColumn) fill(c *cell, value parquet.Value) {
	if p.meaning.unread != "" && !value.IsNull() {
		c.kind, c.text = other, []byte(p.meaning.unread)
		return
	}
	switch value.Kind() {
	case parquet.Double:
		c.kind, c.number = float, value.Double()
	case parquet.Float:
		c.kind, c.number = float, float64(value.Float())
	case parquet.Int32:
		p.fillInteger(c, int64(value.Int32()), uint64(value.Uint32()))
	case parquet.Int64:
		p.fillInteger(c, value.Int64(), value.Uint64())
	case parquet.Int96: // a point in time, of older programs: nanoseconds of a day, and the Julian day
		const epoch = 2440588 // 1970-01-01
		words := value.Int96()
		nanoseconds := float64(uint64(words[1])<<32 | uint64(words[0]))
		c.kind, c.number = moment, (float64(words[2])-epoch)*secondsADay+nanoseconds/1e9
	case parquet.Boolean:
		p.setText(c, boolean, strconv.AppendBool(p.texts, value.Boolean()))
	case parquet.ByteArray, parquet.FixedLenByteArray:
		p.fillBytes(c, value.ByteArray())
	default:
		c.kind, c.text = missing, nil
	}
}

// setText puts a text, which has been appended to those of the batch, into a cell.
func (p *parquetColumn) setText(c *cell, kind cellKind, texts []byte) {
	c.kind, c.text, p.texts = kind, texts[len(p.texts):], texts
}

func (p *parquetColumn) fillInteger(c *cell, value int64, unsigned uint64) {
	switch m := &p.meaning; {
	case m.seconds > 0:
		c.kind, c.number = moment, float64(value)*m.seconds
	case m.decimal:
		p.setText(c, digits, appendDecimal(p.texts, strconv.FormatInt(value, 10), m.scale))
	case m.unsigned:
		p.setText(c, digits, strconv.AppendUint(p.texts, unsigned, 10))
	default:
		p.setText(c, digits, strconv.AppendInt(p.texts, value, 10))
	}
}

func (p *parquetColumn) fillBytes(c *cell, value []byte) {
	const uuidBytes = 16
	switch {
	case p.meaning.decimal: // two's complement, the highest byte first
		whole := new(big.Int).SetBytes(value)
		if len(value) > 0 && value[0] >= 1<<7 {
			whole.Sub(whole, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
		}
		p.setText(c, digits, appendDecimal(p.texts, whole.String(), p.meaning.scale))
	case p.meaning.uuid && len(value) == uuidBytes:
		p.setText(c, text, fmt.Appendf(p.texts, "%x-%x-%x-%x-%x", value[:4], value[4:6], value[6:8], value[8:10], value[10:]))
	default:
		p.setText(c, text, append(p.texts, value...))
	}
}

// appendDecimal appends a whole number of units of 10^−scale: −0.05 for −5 and 2.
func appendDecimal(dst []byte, whole string, scale int) []byte {
	if unsigned, negative := strings.CutPrefix(whole, "-"); negative {
		dst, whole = append(dst, '-'), unsigned
	}
	if scale == 0 {
		return append(dst, whole...)
	}
	whole = strings.Repeat("0", max(0, scale+1-len(whole))) + whole
	point := len(whole) - scale
	dst = append(append(dst, whole[:point]...), '.')
	return append(dst, whole[point:]...)
}
