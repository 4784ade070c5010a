package pagefile

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// Changed after {1, 2}, unchanged after {1, 3}: 0.374159, from every format.
func TestHistoriesOfEveryFormat(t *testing.T) {
	type row struct {
		URL     string  `parquet:"url"`
		Time    float64 `parquet:"time"`
		Changed bool    `parquet:"changed"`
	}
	type stamped struct {
		ID     string    `parquet:"id"`
		Time   time.Time `parquet:"time,timestamp(millisecond)"`
		Digest string    `parquet:"digest"`
	}
	at := func(seconds int) time.Time { return time.Date(2026, 1, 31, 12, 0, seconds, 0, time.UTC) }
	for name, data := range map[string][]byte{
		"history.csv": []byte("url,time,changed\na,10,true\nb,5,0\na,11,1\na,12,false\na,14,TRUE\na,17,0\n"),
		"digests.csv": []byte("time,digest,id\n10,x,a\n5,x,b\n11,y,a\n12,y,a\n14,z,a\n17,z,a\n"),
		"times.csv":   []byte("id,time,changed,digest\na,2026-01-31T12:00:10Z,,x\nb,2026-01-31T12:00:10Z,1,\na,2026-01-31T13:00:11+01:00,,y\na,2026-01-31T12:00:12.000Z,,y\na,2026-01-31T12:00:14Z,,z\na,2026-01-31T12:00:17Z,,z\n"),
		"h.jsonl":     []byte("{\"url\":\"a\",\"time\":10,\"changed\":1}\n{\"url\":\"b\",\"time\":10,\"changed\":true}\n{\"url\":\"a\",\"time\":11,\"changed\":true}\n{\"url\":\"a\",\"time\":12,\"changed\":0}\n{\"url\":\"a\",\"time\":14,\"changed\":true}\n{\"url\":\"a\",\"time\":17,\"changed\":false}\n"),
		"h.parquet":   parquetOf(t, []row{{"a", 10, true}, {"b", 10, true}, {"a", 11, true}, {"a", 12, false}, {"a", 14, true}, {"a", 17, false}}),
		"t.parquet":   parquetOf(t, []stamped{{"a", at(10), "x"}, {"b", at(10), ""}, {"b", at(10), "x"}, {"a", at(11), "y"}, {"a", at(12), "y"}, {"a", at(14), "z"}, {"a", at(17), "z"}}),
	} {
		histories, report, err := ReadHistories(context.Background(), Source{name, bytes.NewReader(data)}, Options{Unit: unit.Second})
		require.NoError(t, err, name)
		assert.EqualValues(t, 6, report.Rows, name)
		assert.Equal(t, []string{"a", "b"}, names(&histories.IDs), name)
		estimate, err := histories.Logs[0].History().Estimate()
		require.NoError(t, err, name)
		assert.InDelta(t, 0.374159, estimate.Rate, 5e-7, name)
		assert.Zero(t, histories.Logs[1].History().Accesses())
	}
}

// Accesses that failed are skipped, as if they had not been; a page that is found again after
// it was gone begins anew; 304 leaves the digest as it was.
func TestHistoryStatuses(t *testing.T) {
	const list = "id,time,changed,digest,status\n" +
		"a,0,0,,200\na,1,1,,\na,2,,,500\na,3,TRUE,,ok\na,4,,,Failed\na,5,,,304\na,8,0,,203\n" +
		"b,0,,x,200\nb,1,,,304\nb,2,,x,200\nb,4,,y,200\nb,5,,,404\nb,6,,y,200\nb,7,,y,200\n" +
		"c,0,1,,200\nc,1,,,410\n" +
		"d,0,,,301\n"
	histories, report, err := ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(list)}, Options{Strict: true})
	require.NoError(t, err)
	assert.Zero(t, report.Unusable)
	assert.EqualValues(t, 3, histories.Failed)
	a, b := histories.Logs[0].History(), histories.Logs[1].History()
	estimate, err := a.Estimate() // changed after 1 and 2, unchanged after 2 and 3
	require.NoError(t, err)
	assert.InDelta(t, 0.313977, estimate.Rate, 5e-7) // bisection of 1/(e^x − 1) + 2/(e^{2x} − 1) = 5
	assert.EqualValues(t, 4, b.Accesses())
	assert.EqualValues(t, 1, b.Changes())
	for page, gone := range []bool{false, false, true, false} {
		assert.Equal(t, gone, histories.Logs[page].Gone(), "page %d", page)
	}

	// An access that found the page, and no more, is where the next gap begins.
	histories, _, err = ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(
		"id,time,changed,status\na,0,,200\na,1,1,200\na,5,,ok\na,7,0,200\na,8,1,304\n")}, Options{Strict: true})
	require.NoError(t, err)
	estimate, err = histories.Logs[0].History().Estimate() // changed after 1 and 1, unchanged after 2
	require.NoError(t, err)
	assert.InDelta(t, math.Ln2, estimate.Rate, 1e-9) // 2/(e^x − 1) = 2

	// Where there was no answer, or none of HTTP's, the access has failed.
	histories, _, err = ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(
		"id,time,changed,status\na,0,,200\na,1,1,0\na,2,1,999\na,3,,-9998\na,4,,600\na,5,0,200\n")}, Options{Strict: true})
	require.NoError(t, err)
	assert.EqualValues(t, 4, histories.Failed)
	estimate, err = histories.Logs[0].History().Estimate() // unchanged after 5: half a change after 5 is added
	require.NoError(t, err)
	assert.InEpsilon(t, math.Log(1.5)/5, estimate.Rate, 1e-12)

	for _, status := range []string{"1000", "yes", "99", "-10000", "200.5", "1e300", "signal"} {
		_, _, err = ReadHistories(context.Background(), Source{"h.csv", strings.NewReader("id,time,changed,status\na,1,1," + status + "\n")}, Options{Strict: true})
		require.ErrorContains(t, err, "h.csv:2:7: found \""+status+"\"; expected ok, failed, denied, gone, an HTTP status")
	}
}

func TestHistoryRowsThatCannotBeUsed(t *testing.T) {
	const list = "id,time,changed,digest\n" +
		"a,10,1,\n" +
		"a,9,1,\n" +
		"a,x,1,\n" +
		"a,11,2,\n" +
		"a,12,,\n" +
		",13,1,\n" +
		"a,Inf,1,\n" +
		"a,14,0,\n"
	histories, report, err := ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(list)}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		`h.csv:3:3: found "9"; expected times of a page that increase, by at most 1e100: sort the rows by time`,
		`h.csv:4:3: found "x"; expected a finite number, or a point in time such as 2026-01-31T12:00:00Z`,
		`h.csv:5:6: found "2"; expected true, false, 1 or 0`,
		`h.csv:6:7: found nothing; expected a digest, or changed: true, false, 1 or 0`,
		`h.csv:7:1: found nothing; expected the name of a page`,
		`h.csv:8:3: found "Inf"; expected a finite number, or a point in time such as 2026-01-31T12:00:00Z`,
	}, messages(report))
	assert.EqualValues(t, 2, report.Rows)
	assert.EqualValues(t, 6, report.Unusable)
	assert.EqualValues(t, 1, histories.Logs[0].History().Accesses())

	for text, want := range map[string]string{
		list:                                     `h.csv:3:3: found "9"; expected times of a page that increase, by at most 1e100: sort the rows by time`,
		"id,time,changed\na,1,1\na,x,1\na,0,1\n": `h.csv:3:3: found "x"; expected a finite number, or a point in time such as 2026-01-31T12:00:00Z`,
	} {
		for _, size := range []int{1, 0} {
			_, _, err = ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(text)}, Options{Strict: true, blockSize: size})
			require.EqualError(t, err, want)
		}
	}
}

// The first access to a page need not say whether it has changed.
func TestFirstAccessSaysNothingOfChanges(t *testing.T) {
	type row struct {
		ID      string  `parquet:"id"`
		Time    float64 `parquet:"time"`
		Changed *bool   `parquet:"changed,optional"`
	}
	yes, no := true, false
	for name, text := range map[string]string{
		"h.parquet": string(parquetOf(t, []row{{"a", 1, nil}, {"b", 1, nil}, {"a", 2, &yes}, {"b", 2, &no}, {"b", 3, nil}})),
		"h.csv":     "id,time,changed\na,1,\nb,1,\na,2,1\nb,2,0\nb,3,\n",
		"h.jsonl":   "{\"id\":\"a\",\"time\":1}\n{\"id\":\"b\",\"time\":1,\"changed\":null}\n{\"id\":\"a\",\"time\":2,\"changed\":true}\n{\"id\":\"b\",\"time\":2,\"changed\":0}\n{\"id\":\"b\",\"time\":3}\n",
	} {
		histories, report, err := ReadHistories(context.Background(), Source{name, strings.NewReader(text)}, Options{})
		require.NoError(t, err)
		assert.EqualValues(t, 4, report.Rows, name)
		require.Len(t, report.Faults, 1, name) // the third access to b
		assert.ErrorContains(t, report.Faults[0], "found nothing; expected a digest, or changed")
		for page, changes := range []int64{1, 0} {
			assert.EqualValues(t, 1, histories.Logs[page].History().Accesses(), name)
			assert.Equal(t, changes, histories.Logs[page].History().Changes(), name)
		}
	}
}

// Unix seconds are not taken for days; other numbers are.
func TestUnixSecondsAreNoDays(t *testing.T) {
	for _, test := range []struct {
		time    string
		unit    unit.Unit
		refused bool
	}{
		{"1769871600", unit.Day, true},
		{"1769871600.5", unit.Minute, true},
		{"1769871600", unit.Second, false},
		{"1769871600", unit.Unknown, false},
		{"999999999", unit.Day, false},
		{"1e10", unit.Day, false},
		{"2026-01-31T15:00:00Z", unit.Day, false},
	} {
		_, _, err := ReadHistories(context.Background(), Source{"h.csv", strings.NewReader("id,time,changed\na," + test.time + ",0\n")}, Options{Unit: test.unit})
		if test.refused {
			require.EqualError(t, err, "h.csv:2:3: found \""+test.time+"\"; expected a number of "+test.unit.String()+"s: for Unix seconds use --unit second")
		} else {
			require.NoError(t, err, test.time)
		}
	}
}

// Files joined by cat have a header in the middle, also between pieces.
func TestHeadersOfFilesJoined(t *testing.T) {
	const list = "id, time,changed\na,1,0\n\nid, time,changed\na,2,1\nid,time,changes\nid,3,1\n"
	for _, size := range []int{1, 0} {
		histories, report, err := ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(list)}, Options{blockSize: size})
		require.NoError(t, err)
		assert.EqualValues(t, 3, report.Rows)
		assert.Equal(t, []string{"a", "id"}, names(&histories.IDs))
		assert.EqualValues(t, 1, report.Unusable) // another header
	}
}
