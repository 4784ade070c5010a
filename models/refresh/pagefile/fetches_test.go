package pagefile

// Tests of reading when pages were last fetched.

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func fetchesOf(t *testing.T, log string) (*Fetches, *Report, error) {
	t.Helper()
	var ids IDs
	for _, id := range []string{"a", "b", "c"} {
		ids.Append([]byte(id))
	}
	return ReadFetches(t.Context(), Source{Reader: strings.NewReader(log), Name: "log.csv"}, Options{Strict: true}, &ids)
}

// The latest row of a page counts, wherever it stands. A failed visit is a fetch, as the
// host was asked.
func TestLatestFetchCounts(t *testing.T) {
	f, report, err := fetchesOf(t, "id,time,status\na,5,200\na,3,ok\nb,2,503\nelse,9,\n,4,\n")
	require.NoError(t, err)
	assert.Equal(t, []float64{5, 2}, f.Times[:2])
	assert.True(t, math.IsNaN(f.Times[2]), "never fetched")
	assert.InDelta(t, 9, f.Latest, 0)
	assert.EqualValues(t, 5, report.Rows)
}

// A visit that has not found the page makes no copy.
func TestLatestCopyCounts(t *testing.T) {
	var ids IDs
	ids.Append([]byte("a"))
	ids.Append([]byte("b"))
	log := Source{Reader: strings.NewReader("id,time,status\na,5,503\na,3,ok\na,4,404\nb,2,failed\nb,3,gone\nb,4,403\n"), Name: "log.csv"}
	f, _, err := ReadFetches(t.Context(), log, Options{Copies: true}, &ids)
	require.NoError(t, err)
	assert.Equal(t, 3., f.Times[0])
	assert.True(t, math.IsNaN(f.Times[1]), "no copy")
	assert.InDelta(t, 5, f.Latest, 0)
}

// Hosts of pages that are not in the list were asked, too.
func TestHostsOfOtherFetches(t *testing.T) {
	var ids IDs
	ids.Append([]byte("https://a.example/"))
	const log = "id,time,status\nhttps://a.example/,5,200\nhttps://A.example/left,7,404\nhttp://b.example:80/,3,500\nhttps://a.example/left,6,200\nno URL,9,\n"
	f, _, err := ReadFetches(t.Context(), Source{Reader: strings.NewReader(log), Name: "log.csv"}, Options{Strict: true, Hosts: true}, &ids)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.example", "b.example"}, names(&f.Hosts))
	assert.Equal(t, []float64{7, 3}, f.HostTimes)
	f, _, err = ReadFetches(t.Context(), Source{Reader: strings.NewReader(log), Name: "log.csv"}, Options{Strict: true}, &ids)
	require.NoError(t, err)
	assert.Zero(t, f.Hosts.Len())
}

// Times are all finite numbers, from the least to the greatest.
func TestTimesOfFetches(t *testing.T) {
	f, _, err := fetchesOf(t, "id,time\na,-1.7976931348623157e308\nb,1.7976931348623157e308\n")
	require.NoError(t, err)
	assert.Equal(t, []float64{-math.MaxFloat64, math.MaxFloat64}, f.Times[:2])
	for _, time := range []string{"Inf", "-Inf", "NaN", "1e309"} {
		_, _, err := fetchesOf(t, "id,time\na,"+time+"\n")
		assert.EqualError(t, err, `log.csv:2:3: found "`+time+`"; expected a number, or a time such as 2026-01-31T15:00:00Z`)
	}
}

func TestFetchesNotValid(t *testing.T) {
	for log, want := range map[string]string{
		"id,time,status\na,5,fine\n":   `log.csv:2:5: found "fine"; expected ` + statusExpected,
		"id,time\na,5\nb,2026-01-01\n": "log.csv:3:3: found \"2026-01-01\"; expected points in time alone, or numbers alone, as in the rows before",
	} {
		_, _, err := fetchesOf(t, log)
		assert.EqualError(t, err, want)
	}
}
