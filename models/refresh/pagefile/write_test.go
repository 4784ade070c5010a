package pagefile

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func idsOf(names ...string) *IDs {
	ids := &IDs{}
	for _, name := range names {
		ids.Append([]byte(name))
	}
	return ids
}

// visitRow has a column of each kind.
type visitRow struct {
	ID       []byte   `parquet:"id,string"`
	Rate     float64  `parquet:"rate"`
	Interval float64  `parquet:"interval,optional"`
	Accesses int64    `parquet:"accesses"`
	Cap      *float64 `parquet:"cap,optional"`
	Kind     []byte   `parquet:"kind,string,dict"`
}

func writeVisits(ctx context.Context, target Target, rows []visitRow, workers int) error {
	return WriteRows(ctx, target, len(rows), workers, func(i int) visitRow { return rows[i] })
}

var (
	third    = 1. / 3
	someRows = []visitRow{
		{[]byte(`https://a.example/?q="x",y`), 4, 0.25, 7, &third, []byte("seen")},
		{[]byte("b\n\t\u00e9"), 0, 0, -1, nil, nil},
		{[]byte("c"), 1e-7, 1e+7, math.MaxInt64, new(float64), []byte("seen")},
	}
)

func TestWrittenRows(t *testing.T) {
	var csv, jsonLines bytes.Buffer
	require.NoError(t, writeVisits(context.Background(), Target{Name: "-", Writer: &csv}, someRows, 2))
	assert.Equal(t, "id,rate,interval,accesses,cap,kind\n"+
		"\"https://a.example/?q=\"\"x\"\",y\",4,0.25,7,0.3333333333333333,seen\n"+
		"\"b\n\té\",0,,-1,,\"\"\n"+
		"c,1e-07,1e+07,9223372036854775807,0,seen\n", csv.String())
	require.NoError(t, writeVisits(context.Background(), Target{Writer: &jsonLines, Format: JSONLines}, someRows, 1))
	//nolint:testifylint // the text itself is compared
	assert.Equal(t, `{"id":"https://a.example/?q=\"x\",y","rate":4,"interval":0.25,"accesses":7,"cap":0.3333333333333333,"kind":"seen"}
{"id":"b\u000a\u0009é","rate":0,"interval":null,"accesses":-1,"cap":null,"kind":""}
{"id":"c","rate":1e-07,"interval":1e+07,"accesses":9223372036854775807,"cap":0,"kind":"seen"}
`, jsonLines.String())
}

// A reader of Parquet sees the values, and null for absent numbers.
func TestWrittenParquet(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, writeVisits(context.Background(), Target{Writer: &file, Format: Parquet}, someRows, 1))
	type row struct {
		ID       string   `parquet:"id"`
		Rate     float64  `parquet:"rate"`
		Interval *float64 `parquet:"interval"`
		Accesses int64    `parquet:"accesses"`
		Cap      *float64 `parquet:"cap"`
		Kind     string   `parquet:"kind"`
	}
	read, err := parquet.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Len(t, read, len(someRows))
	for i, want := range someRows {
		got := read[i]
		assert.Equal(t, string(want.ID), got.ID)
		assert.Equal(t, want.Rate, got.Rate)
		assert.Equal(t, want.Interval != 0, got.Interval != nil)
		if got.Interval != nil {
			assert.Equal(t, want.Interval, *got.Interval)
		}
		assert.Equal(t, want.Accesses, got.Accesses)
		assert.Equal(t, want.Cap, got.Cap)
		assert.Equal(t, string(want.Kind), got.Kind)
	}
}

// What is written is read again, to the bit, in every format and compression,
// and no partial file stays.
func TestRatesGoRound(t *testing.T) {
	var many []visitRow
	for i := range 3*writeBlock + 7 {
		id := strings.Repeat("x", i%50) + "/" + string(rune('a'+i%26)) + "/" + time.Duration(i).String()
		many = append(many, visitRow{ID: []byte(id), Rate: math.Sqrt(float64(i)), Interval: 1 / float64(i+1)})
	}
	folder := t.TempDir()
	for _, list := range [][]visitRow{someRows, many, nil} {
		for _, format := range []string{"csv", "jsonl", "parquet"} {
			rows := list
			if format == "csv" { // whose rows are lines
				rows = slices.DeleteFunc(slices.Clone(list), func(row visitRow) bool { return bytes.Contains(row.ID, newline) })
			}
			for _, suffix := range []string{"", ".gz", ".zst"} {
				name := filepath.Join(folder, "rates."+format+suffix)
				var before []byte
				for _, workers := range []int{1, 3} {
					require.NoError(t, writeVisits(context.Background(), Target{Name: name}, rows, workers))
					data, err := os.ReadFile(name)
					require.NoError(t, err)
					if before != nil {
						require.True(t, bytes.Equal(before, data), "%s with %d workers", name, workers)
					}
					before = data
				}
				rates, _, err := ReadRates(context.Background(), Source{Name: name}, Options{Strict: true})
				require.NoError(t, err, name)
				require.Equal(t, len(rows), rates.IDs.Len())
				for i := range rows {
					require.Equal(t, string(rows[i].ID), rates.IDs.At(i))
					require.Equal(t, rows[i].Rate, rates.Rates[i])
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
		err := writeVisits(context.Background(), Target{Name: "rates", Writer: failing{}, Format: format}, someRows, 2)
		require.ErrorContains(t, err, "rates: the disk is full")
	}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, writeVisits(ctx, Target{Name: filepath.Join(folder, "rates.csv")}, someRows, 1), context.Canceled)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, files)
}

// What a name says nothing of is CSV; another format is refused.
func TestCheckName(t *testing.T) {
	for _, name := range []string{"-", "rates", "rates.gz", "out.d/rates", "rates.CSV", "rates.jsonl.zst", "/dev/stdout"} {
		require.NoError(t, CheckName(name), name)
	}
	for _, name := range []string{"rates.txt", "rates.tsv.gz", "rates.csv.bz2", "rates."} {
		require.EqualError(t, CheckName(name), strconv.Quote(name)+" is not valid: use a name that ends in .csv, .jsonl or .parquet, with or without .gz or .zst after it")
	}
}

func TestFormatsByName(t *testing.T) {
	for name, want := range map[string]struct {
		format Format
		packed compression
	}{
		"a/pages.csv":      {CSV, uncompressed},
		"PAGES.CSV.GZ":     {CSV, gzipped},
		"pages.ndjson.zst": {JSONLines, zstandard},
		"pages.json":       {JSONLines, uncompressed},
		"x.parquet.zstd":   {Parquet, zstandard},
		"-":                {AnyFormat, uncompressed},
		"csv":              {AnyFormat, uncompressed},
		"pages.txt.gz":     {AnyFormat, gzipped},
	} {
		format, compressed, _ := byName(name)
		assert.Equal(t, want.format, format, name)
		assert.Equal(t, want.packed, compressed, name)
		assert.Equal(t, want.format, ByName(name), name)
	}
}

// Columns that bounded the rates of pages in earlier versions are noted, in every format.
func TestFormerColumns(t *testing.T) {
	type row struct {
		ID       []byte  `parquet:"id,string"`
		Change   float64 `parquet:"change_rate"`
		Greatest float64 `parquet:"greatest_rate"`
	}
	for _, kind := range []string{"csv", "jsonl", "parquet", "csv.gz"} {
		for _, without := range [][]string{nil, {"greatest_rate"}} {
			target := Target{Name: filepath.Join(t.TempDir(), "pages."+kind)}
			page := func(int) row { return row{[]byte("a"), 1, 2} }
			require.NoError(t, WriteRows(t.Context(), target, 1, 1, page, without...))
			_, report, err := ReadPages(t.Context(), Source{Name: target.Name}, Options{})
			require.NoError(t, err)
			assert.Equal(t, without == nil, report.Former, kind)
		}
	}
}
