package pagefile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

func idsOf(names ...string) *IDs {
	ids := &IDs{}
	for _, name := range names {
		ids.Append([]byte(name))
	}
	return ids
}

var someRows = RateRows{idsOf(`https://a.example/?q="x",y`, "b\n\t\u00e9", "c"), []float64{4, 0, 1e-7}, []float64{0.9, 0, 1. / 3}}

func TestWrittenRates(t *testing.T) {
	var csv, jsonLines bytes.Buffer
	require.NoError(t, WriteRates(context.Background(), Target{Name: "-", Writer: &csv}, someRows, 2))
	assert.Equal(t, "id,rate,interval,freshness\n"+
		"\"https://a.example/?q=\"\"x\"\",y\",4,0.25,0.9\n"+
		"\"b\n\té\",0,,0\n"+
		"c,1e-07,1e+07,0.3333333333333333\n", csv.String())
	require.NoError(t, WriteRates(context.Background(), Target{Writer: &jsonLines, Format: JSONLines}, someRows, 1))
	//nolint:testifylint // the text itself is compared
	assert.Equal(t, `{"id":"https://a.example/?q=\"x\",y","rate":4,"interval":0.25,"freshness":0.9}
{"id":"b\u000a\u0009é","rate":0,"interval":null,"freshness":0}
{"id":"c","rate":1e-07,"interval":1e+07,"freshness":0.3333333333333333}
`, jsonLines.String())
}

// The interval of 0 is none, whatever its sign.
func TestRatesOfMinusZero(t *testing.T) {
	var file bytes.Buffer
	rows := RateRows{idsOf("a"), []float64{math.Copysign(0, -1)}, []float64{0}}
	require.NoError(t, WriteRates(context.Background(), Target{Writer: &file, Format: Parquet}, rows, 1))
	read, err := parquet.Read[rateRow](bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	assert.Zero(t, read[0].Interval, "null")
}

// What is written is read again, to the bit, in every format and compression,
// and no partial file stays.
func TestRatesGoRound(t *testing.T) {
	many := RateRows{IDs: &IDs{}}
	for i := range 3*writeBlock + 7 {
		many.IDs.Append([]byte(strings.Repeat("x", i%50) + "/" + string(rune('a'+i%26)) + "/" + time.Duration(i).String()))
		many.Rates = append(many.Rates, math.Sqrt(float64(i)))
		many.Freshness = append(many.Freshness, 1/float64(i+1))
	}
	folder := t.TempDir()
	for _, rows := range []RateRows{someRows, many, {IDs: &IDs{}}} {
		for _, format := range []string{"csv", "jsonl", "parquet"} {
			for _, suffix := range []string{"", ".gz", ".zst"} {
				name := filepath.Join(folder, "rates."+format+suffix)
				var before []byte
				for _, workers := range []int{1, 3} {
					require.NoError(t, WriteRates(context.Background(), Target{Name: name}, rows, workers))
					data, err := os.ReadFile(name)
					require.NoError(t, err)
					if before != nil {
						require.True(t, bytes.Equal(before, data), "%s with %d workers", name, workers)
					}
					before = data
				}
				rates, _, err := ReadRates(context.Background(), Source{Name: name}, Options{Strict: true})
				require.NoError(t, err, name)
				require.Equal(t, names(rows.IDs), names(&rates.IDs))
				require.Len(t, rates.Rates, len(rows.Rates))
				for i := range rows.Rates {
					require.Equal(t, rows.Rates[i], rates.Rates[i])
				}
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(folder, "*.partial"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestWritingFails(t *testing.T) {
	for _, format := range []Format{CSV, JSONLines, Parquet} {
		err := WriteRates(context.Background(), Target{Name: "rates", Writer: failing{}, Format: format}, someRows, 2)
		require.ErrorContains(t, err, "rates: the disk is full")
	}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, WriteRates(ctx, Target{Name: filepath.Join(folder, "rates.csv")}, someRows, 1), context.Canceled)
	bad := RateRows{idsOf("a"), []float64{math.NaN()}, []float64{0}}
	require.EqualError(t, WriteRates(context.Background(), Target{Name: filepath.Join(folder, "rates.csv")}, bad, 1),
		`pagefile: page 0 ("a") has the rate NaN; expected a finite number of 0 or more`)
	bad = RateRows{idsOf("a"), []float64{1}, []float64{math.Inf(1)}}
	require.EqualError(t, WriteRates(context.Background(), Target{Name: filepath.Join(folder, "rates.csv")}, bad, 1),
		`pagefile: page 0 ("a") has the freshness +Inf; expected a finite number`)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, files)
	assert.Panics(t, func() { _ = WriteRates(context.Background(), Target{Writer: io.Discard}, RateRows{IDs: idsOf("a")}, 1) })
}

func TestFrontier(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	table, err := sequence.NewTimetable(start, time.Second, 2)
	require.NoError(t, err)
	var out bytes.Buffer
	left, err := WriteFrontier(context.Background(), Target{Name: "-", Writer: &out}, idsOf("https://a.example/", "b", "c"), 1, NextFetch(table, []int64{2, 0, 3}))
	require.NoError(t, err)
	assert.EqualValues(t, 1, left)
	//nolint:testifylint // the text itself is compared
	assert.Equal(t, `{"known":{"info":{"url":"https://a.example/"},"refetchableFromDate":"1767225601"}}
{"known":{"info":{"url":"c"},"refetchableFromDate":"1767225602"}}
`, out.String())
	_, err = WriteFrontier(context.Background(), Target{Writer: &out, Format: Parquet}, idsOf("a"), 1, NextFetch(table, []int64{1}))
	require.EqualError(t, err, "pagefile: URLFrontier's items are written in JSON lines, not in Parquet")
}

func TestFormatsByName(t *testing.T) {
	for name, want := range map[string][2]string{
		"a/pages.csv":      {"CSV", "uncompressed"},
		"PAGES.CSV.GZ":     {"CSV", "gzip"},
		"pages.ndjson.zst": {"JSON lines", "Zstandard"},
		"pages.json":       {"JSON lines", "uncompressed"},
		"x.parquet.zstd":   {"Parquet", "Zstandard"},
		"-":                {"any format", "uncompressed"},
		"csv":              {"any format", "uncompressed"},
		"pages.txt.gz":     {"any format", "gzip"},
	} {
		format, compression := ByName(name)
		assert.Equal(t, want, [2]string{format.String(), compression.String()}, name)
	}
	assert.Equal(t, "Format(9)", Format(9).String())
	assert.Equal(t, "Compression(9)", Compression(9).String())
	assert.Equal(t, "any compression", AnyCompression.String())
}
