package pagefile

import (
	"bytes"
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parquetOfColumns writes a table given by its columns.
func parquetOfColumns(t *testing.T, nodes parquet.Group, columns map[string][]parquet.Value) []byte {
	t.Helper()
	schema := parquet.NewSchema("table", nodes)
	var file bytes.Buffer
	writer := parquet.NewWriter(&file, schema)
	count := 0
	for _, values := range columns {
		count = len(values)
	}
	for row := range count {
		var values parquet.Row
		for number, path := range schema.Columns() {
			values = append(values, columns[path[0]][row].Level(0, 0, number))
		}
		_, err := writer.WriteRows([]parquet.Row{values})
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return file.Bytes()
}

func bytesValue(bytes ...byte) parquet.Value { return parquet.FixedLenByteArrayValue(bytes) }

// The bits of a value do not say what it is.
func TestParquetLogicalTypes(t *testing.T) {
	for name, test := range map[string]struct {
		id, rate parquet.Node
		ids      []parquet.Value
		rates    []parquet.Value
		names    []string
		want     []float64
	}{
		"unsigned 32": {
			parquet.Uint(32), parquet.Uint(32),
			[]parquet.Value{parquet.Int32Value(7), parquet.Int32Value(-1)},
			[]parquet.Value{parquet.Int32Value(1), parquet.Int32Value(-2)},
			[]string{"7", "4294967295"},
			[]float64{1, 4294967294},
		},
		"unsigned 64": {
			parquet.Uint(64), parquet.Int(64),
			[]parquet.Value{parquet.Int64Value(-1)},
			[]parquet.Value{parquet.Int64Value(3)},
			[]string{"18446744073709551615"},
			[]float64{3},
		},
		"decimals of 32 bits": {
			parquet.String(), parquet.Decimal(2, 9, parquet.Int32Type),
			[]parquet.Value{parquet.ByteArrayValue([]byte("a")), parquet.ByteArrayValue([]byte("b"))},
			[]parquet.Value{parquet.Int32Value(100), parquet.Int32Value(5)},
			[]string{"a", "b"},
			[]float64{1, 0.05},
		},
		"decimals of 64 bits": {
			parquet.Decimal(1, 9, parquet.Int32Type), parquet.Decimal(18, 18, parquet.Int64Type),
			[]parquet.Value{parquet.Int32Value(-105)},
			[]parquet.Value{parquet.Int64Value(123456789012345678)},
			[]string{"-10.5"},
			[]float64{0.123456789012345678},
		},
		"decimals of bytes": {
			parquet.Decimal(0, 9, parquet.FixedLenByteArrayType(3)), parquet.Decimal(3, 30, parquet.FixedLenByteArrayType(4)),
			[]parquet.Value{bytesValue(0xff, 0xff, 0xfe), bytesValue(1, 0, 0)},
			[]parquet.Value{bytesValue(0, 0, 0x30, 0x39), bytesValue(0, 0, 0, 0)},
			[]string{"-2", "65536"},
			[]float64{12.345, 0},
		},
		"UUIDs": {
			parquet.UUID(), parquet.Leaf(parquet.DoubleType),
			[]parquet.Value{bytesValue(0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0, 1, 2, 3, 4, 5, 6, 7)},
			[]parquet.Value{parquet.DoubleValue(1.5)},
			[]string{"12345678-9abc-def0-0001-020304050607"},
			[]float64{1.5},
		},
	} {
		data := parquetOfColumns(t, parquet.Group{"id": test.id, "change_rate": test.rate}, map[string][]parquet.Value{"id": test.ids, "change_rate": test.rates})
		pages, report, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{Strict: true})
		require.NoError(t, err, name)
		assert.EqualValues(t, len(test.want), report.Rows, name)
		assert.Equal(t, test.names, names(&pages.IDs), name)
		assert.Equal(t, test.want, pages.ChangeRates, name)
	}
	data := parquetOfColumns(t, parquet.Group{"id": parquet.String(), "change_rate": parquet.Decimal(1, 9, parquet.Int32Type)},
		map[string][]parquet.Value{"id": {parquet.ByteArrayValue([]byte("a"))}, "change_rate": {parquet.Int32Value(-15)}})
	_, _, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{Strict: true})
	require.EqualError(t, err, "p:1:1: found -1.5; expected "+contents[refreshNumbers].expected)
}

// Points in time are seconds, whatever they are held in.
func TestParquetTimes(t *testing.T) {
	at := time.Date(2026, 1, 31, 15, 4, 5, 250_000_000, time.UTC)
	midnight := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	const julian = 2461072 // of 2026-01-31, which begins at Julian date 2461071.5
	nanoseconds := uint64(at.Sub(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)))
	for name, test := range map[string]struct {
		node  parquet.Node
		value parquet.Value
		want  time.Time
	}{
		"date":         {parquet.Date(), parquet.Int32Value(int32(midnight.Unix() / 86400)), midnight},
		"milliseconds": {parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(at.UnixMilli()), at},
		"nanoseconds":  {parquet.Timestamp(parquet.Nanosecond), parquet.Int64Value(at.UnixNano()), at},
		"INT96":        {parquet.Leaf(parquet.Int96Type), parquet.Int96Value(deprecated.Int96{uint32(nanoseconds), uint32(nanoseconds >> 32), julian}), at},
	} {
		data := parquetOfColumns(t, parquet.Group{"id": parquet.String(), "time": test.node, "changed": parquet.Leaf(parquet.BooleanType)},
			map[string][]parquet.Value{"id": {parquet.ByteArrayValue([]byte("a"))}, "time": {test.value}, "changed": {parquet.BooleanValue(true)}})
		var times []float64
		rows := list[float64]{
			layout: layout{idField, logTime: {names: []string{"time"}}},
			parse: func(r *record, at *float64) *FileError {
				var calendar, ok bool
				*at, calendar, ok = r.cells[logTime].time()
				assert.True(t, ok && calendar)
				return nil
			},
			take: func(at *float64) (*FileError, error) {
				times = append(times, *at)
				return nil, nil
			},
		}
		_, err := rows.read(context.Background(), Source{"p", bytes.NewReader(data)}, Options{Strict: true})
		require.NoError(t, err, name)
		require.Len(t, times, 1, name)
		assert.InEpsilon(t, float64(test.want.UnixMilli())/1000, times[0], 1e-15, name)
	}
}

func TestAppendDecimal(t *testing.T) {
	for _, whole := range []string{"0", "-5", "5", "12", "123", "-12345", "99999999999999999999999999999999999999"} {
		for _, scale := range []int{0, 1, 2, 3, 5, 38, maxScale} {
			got, ok := new(big.Rat).SetString(string(appendDecimal(nil, whole, scale)))
			require.True(t, ok)
			digits, _ := new(big.Int).SetString(whole, 10)
			unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
			assert.Zero(t, got.Cmp(new(big.Rat).SetFrac(digits, unit)), "%s, %d", whole, scale)
		}
	}
}
