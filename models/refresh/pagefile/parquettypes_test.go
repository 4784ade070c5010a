package pagefile

import (
	"bytes"
	"context"
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

// Columns whose bits need their type to be read are an error that says what to do.
func TestParquetTypesThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		node  parquet.Node
		value parquet.Value
	}{
		"INT(32,false)": {parquet.Uint(32), parquet.Int32Value(-1)},
		"DECIMAL(9,1)":  {parquet.Decimal(1, 9, parquet.Int32Type), parquet.Int32Value(-15)},
		"UUID":          {parquet.UUID(), parquet.FixedLenByteArrayValue(make([]byte, 16))},
		"INT96":         {parquet.Leaf(parquet.Int96Type), parquet.Int96Value(deprecated.Int96{1, 2, 3})},
	} {
		data := parquetOfColumns(t, parquet.Group{"id": parquet.String(), "change_rate": test.node, "other": test.node},
			map[string][]parquet.Value{"id": {parquet.ByteArrayValue([]byte("a"))}, "change_rate": {test.value}, "other": {test.value}})
		_, _, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{})
		require.EqualError(t, err, `p:1:1: found column "change_rate" of type `+name+"; expected DOUBLE, INT64, STRING or TIMESTAMP")
		ids, _, err := ReadIDs(context.Background(), Source{"p", bytes.NewReader(data)}, Options{})
		require.NoError(t, err, "other columns may be of any type")
		assert.Equal(t, []string{"a"}, names(ids))
	}
}

// Numbers and names of every type that is read.
func TestParquetTypes(t *testing.T) {
	for _, test := range []struct {
		id, rate     parquet.Node
		idOf, rateOf parquet.Value
		name         string
		want         float64
	}{
		{parquet.Int(64), parquet.Int(8), parquet.Int64Value(-1), parquet.Int32Value(7), "-1", 7},
		{parquet.Leaf(parquet.Int32Type), parquet.Leaf(parquet.FloatType), parquet.Int32Value(-5), parquet.FloatValue(0.5), "-5", 0.5},
		{parquet.Enum(), parquet.Leaf(parquet.Int64Type), parquet.ByteArrayValue([]byte("a")), parquet.Int64Value(1 << 40), "a", 1 << 40},
		{parquet.Leaf(parquet.FixedLenByteArrayType(2)), parquet.String(), parquet.FixedLenByteArrayValue([]byte("xy")), parquet.ByteArrayValue([]byte("17/15")), "xy", 17. / 15},
	} {
		data := parquetOfColumns(t, parquet.Group{"id": test.id, "change_rate": test.rate},
			map[string][]parquet.Value{"id": {test.idOf}, "change_rate": {test.rateOf}})
		pages, _, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(data)}, Options{Strict: true})
		require.NoError(t, err)
		assert.Equal(t, []string{test.name}, names(&pages.IDs))
		assert.Equal(t, []float64{test.want}, pages.ChangeRates)
	}
}

// Points in time are seconds, whatever they are held in.
func TestParquetTimes(t *testing.T) {
	at := time.Date(2026, 1, 31, 15, 4, 5, 250_000_000, time.UTC)
	midnight := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		node  parquet.Node
		value parquet.Value
		want  time.Time
	}{
		"date":         {parquet.Date(), parquet.Int32Value(int32(midnight.Unix() / 86400)), midnight},
		"milliseconds": {parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(at.UnixMilli()), at},
		"nanoseconds":  {parquet.Timestamp(parquet.Nanosecond), parquet.Int64Value(at.UnixNano()), at},
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
