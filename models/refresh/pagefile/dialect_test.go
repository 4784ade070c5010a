package pagefile

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/csvscan"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// A stray quote costs its own row, wherever the file is cut, and in any field.
func TestStrayQuote(t *testing.T) {
	rows := func(from, to int) string {
		var text strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&text, "https://a.example/%d,1,note\n", i)
		}
		return text.String()
	}
	const expected = `; expected a quote at the end of the field, or "" for a quote in it`
	for stray, want := range map[string]string{
		"\"https://a.example/x,1,note\n": "1002:1: found a quote that none closes on its line" + expected,
		"https://a.example/x,1,\"note\n": "1002:23: found a quote that none closes on its line" + expected,
		"a\"b,1,\"note\n":                "1002:2: found a quote inside a field without quotes; expected \"…\" around the field, and \"\" for a quote in it",
	} {
		for _, options := range []Options{{}, {Workers: 3, blockSize: 700}, {Workers: 2, blockSize: 1 << 16}} {
			text := "id,change_rate,note\n" + rows(2, 1002) + stray + rows(1002, 10_000) + "b,1,\"note\"\n"
			pages, report, err := ReadPages(context.Background(), Source{"f.csv", strings.NewReader(text)}, options)
			require.NoError(t, err)
			assert.Equal(t, []string{"f.csv:" + want}, messages(report))
			assert.Equal(t, 10_000-2+1, pages.Len())
		}
	}
	_, report := readPages(t, "id,change_rate,note\na,1,\"two\nlines\"\nb,2,x\n", Options{})
	assert.Equal(t, []string{
		"pages.csv:2:5: found a quote that none closes on its line" + expected,
		`pages.csv:3:6: found a quote inside a field without quotes; expected "…" around the field, and "" for a quote in it`,
	}, messages(report))
}

// What separates fields is seen from the names of the columns; their case does not
// matter.
func TestDialects(t *testing.T) {
	const list = "Weight,URL,note,Change_Rate\n2,https://a.example/;x,\"a, \"\"b\"\"\",17/15\n,\"b\",,3\n"
	for _, delimiter := range csvscan.Delimiters {
		text := list
		if delimiter != ',' { // the comma in quotes becomes another letter, too
			text = strings.ReplaceAll(strings.ReplaceAll(list, ";", ","), ",", string(delimiter))
			text = strings.Replace(text, "/"+string(delimiter)+"x", "/,x", 1)
		}
		for _, encoded := range []string{text, "\xef\xbb\xbf" + text} {
			pages, report, err := ReadPages(context.Background(), Source{"-", strings.NewReader(encoded)}, Options{blockSize: 16})
			require.NoError(t, err)
			assert.Equal(t, []any{int64(2), int64(0)}, []any{report.Rows, report.Unusable})
			assert.Equal(t, "b", pages.IDs.At(1))
			assert.Equal(t, []float64{17.0 / 15, 3}, pages.ChangeRates)
			assert.Equal(t, []float64{2, 1}, pages.Weights)
		}
	}
	_, _, err := ReadPages(context.Background(), Source{"f.csv", strings.NewReader("\xff\xfei\x00d\x00,\x00")}, Options{})
	require.EqualError(t, err, "f.csv:1:1: found bytes that are not UTF-8; expected UTF-8 (the file may be in UTF-16)")
	_, report := readPages(t, "id,change_rate\nM\xfcnchen,1\nb,1\n", Options{})
	assert.Equal(t, []string{`pages.csv:2:1: found "M\xfcnchen"; expected a name in UTF-8 (the file may be in Latin-1 or Windows-1252)`}, messages(report))
}

// A name in the case of this package goes before one in another case.
func TestNamesOfColumns(t *testing.T) {
	for _, test := range []struct {
		header, id, rate string
	}{
		{"ID,url,Change_Rate,CHANGE_RATE,change_rate", "2", "5"},
		{"x,ID,URL,change_rate,y", "2", "4"},
		{"a,url,id,change_rate,lambda", "3", "4"},
	} {
		var object strings.Builder
		for i, name := range strings.Split(test.header, ",") {
			fmt.Fprintf(&object, `%c%q:%d`, "{,"[min(i, 1)], name, i+1)
		}
		for name, text := range map[string]string{"f.csv": test.header + "\n1,2,3,4,5\n", "f.jsonl": object.String() + "}\n"} {
			if strings.Contains(test.header, "CHANGE") && name == "f.jsonl" {
				continue // two names in other cases
			}
			rates, report, err := ReadPages(context.Background(), Source{name, strings.NewReader(text)}, Options{Strict: true})
			require.NoError(t, err, test.header)
			assert.EqualValues(t, 1, report.Rows)
			assert.Equal(t, test.id, rates.IDs.At(0), test.header)
			assert.Equal(t, test.rate, fmt.Sprint(rates.ChangeRates[0]), test.header)
		}
	}
	_, _, err := ReadPages(context.Background(), Source{"f.csv", strings.NewReader("ID,Id,change_rate\n")}, Options{})
	require.ErrorContains(t, err, `f.csv:1:1: found column "ID" twice`)
	_, _, err = ReadPages(context.Background(), Source{"f.csv", strings.NewReader("\nurl;url;change_rate\n")}, Options{})
	require.ErrorContains(t, err, `f.csv:2:1: found column "url" twice`)
	_, _, err = ReadPages(context.Background(), Source{"f.csv", strings.NewReader("id|change_rate\n")}, Options{})
	require.ErrorContains(t, err, "unit, separated by commas, semicolons or tabs")
	_, _, err = ReadPages(context.Background(), Source{"f.csv", strings.NewReader("id,change_rate,note\ra,1,b\r")}, Options{})
	require.EqualError(t, err, `f.csv:1:1: found lines that end in "\r" alone; expected "\n" or "\r\n" after each`)
}

// Rates of a file that says its unit are converted to the one that is asked for. One that
// says several, or some for some rows alone, is refused, wherever it is cut.
func TestUnitsOfLists(t *testing.T) {
	const list = "id,change_rate,false_rate,recall,weight,unit\na,24,12,0.5,7,day\nb,2.4,,,,Day\n"
	for asked, want := range map[unit.Unit][3]float64{unit.Unknown: {24, 12, 0.5}, unit.Day: {24, 12, 0.5}, unit.Hour: {1, 0.5, 0.5}} {
		pages, _ := readPages(t, list, Options{Unit: asked, Strict: true})
		assert.Equal(t, max(asked, unit.Day*min(1, 1-asked)), pages.Unit)
		assert.Equal(t, want, [3]float64{pages.ChangeRates[0], pages.FalseRates[0], pages.Recalls[0]})
		assert.Equal(t, []float64{7, 1}, pages.Weights)
	}
	pages, _ := readPages(t, "id,change_rate\na,1\n", Options{Unit: unit.Minute})
	assert.Equal(t, unit.Minute, pages.Unit, "numbers without a unit are in the one asked for")
	assert.Equal(t, []float64{1}, pages.ChangeRates)
	caps, _, err := ReadHostCaps(context.Background(), Source{"c.csv", strings.NewReader("host,cap,unit\na,1,second\n")}, Options{Unit: unit.Minute})
	require.NoError(t, err)
	assert.Equal(t, []float64{60}, caps.Limits)
	rates, _, err := ReadRates(context.Background(), Source{"r.jsonl", strings.NewReader(`{"id":"a","rate":"1/2","unit":"hour"}`)}, Options{})
	require.NoError(t, err)
	assert.Equal(t, &Rates{IDs: rates.IDs, Rates: []float64{0.5}, Unit: unit.Hour}, rates)

	for text, want := range map[string]string{
		"a,1,day\nb,1,hour\n":       "f.csv:3:1: found the unit \"hour\"; expected \"day\", as in the rows before",
		"a,1,day\nb,1,\n":           "f.csv:3:1: found the unit \"\"; expected \"day\", as in the rows before",
		"a,1,\nx,-1,day\nb,1,day\n": "f.csv:4:1: found the unit \"day\"; expected \"\", as in the rows before",
	} {
		for _, size := range []int{1, 12, 0} {
			_, _, err := ReadPages(context.Background(), Source{"f.csv", strings.NewReader("id,change_rate,unit\n" + text)}, Options{blockSize: size, Workers: 2})
			require.EqualError(t, err, want)
		}
	}
	_, report := readPages(t, "id,change_rate,unit\na,1,day\nb,1,marketing\nc,x,hour\nd,1,s\n", Options{})
	assert.Equal(t, []string{
		`pages.csv:3:5: found "marketing"; expected second, minute, hour or day, in the column unit`,
		`pages.csv:4:3: found "x"; expected 0 or a number from 1e-100 to 1e100`,
		`pages.csv:5:5: found "s"; expected second, minute, hour or day, in the column unit`,
	}, messages(report))
}

// A day is no number, though Parquet holds it as one.
func TestDatesAreNoRates(t *testing.T) {
	_, report := readPages(t, "id,change_rate\na,2026-11-01\nb,1\n", Options{})
	assert.Equal(t, []string{`pages.csv:2:3: found "2026-11-01"; expected 0 or a number from 1e-100 to 1e100`}, messages(report))
	day := parquetOfColumns(t, parquet.Group{"id": parquet.String(), "change_rate": parquet.Date()},
		map[string][]parquet.Value{"id": {parquet.ByteArrayValue([]byte("a"))}, "change_rate": {parquet.Int32Value(20_758)}})
	_, report, err := ReadPages(context.Background(), Source{"p", bytes.NewReader(day)}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{`p:1:1: found "2026-11-01T00:00:00Z"; expected 0 or a number from 1e-100 to 1e100`}, messages(report))
}

// Gaps between points in time are in the unit asked for, or days; those of numbers are as
// they are. One file has the one or the other.
func TestUnitsOfHistories(t *testing.T) {
	const calendar = "id,time,changed\na,2026-11-01 00:00:00,0\na,2026-11-01T12:00:00+00:00,1\na,2026-11-02,1\na,2026-11-03T00:00:00Z,0\n"
	for asked, want := range map[unit.Unit]float64{unit.Unknown: 1, unit.Day: 1, unit.Hour: 24, unit.Second: 86400} {
		histories, report, err := ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(calendar)}, Options{Unit: asked})
		require.NoError(t, err)
		assert.EqualValues(t, 4, report.Rows)
		assert.Equal(t, max(asked, unit.Day*min(1, 1-asked)), histories.Unit)
		got, err := histories.Logs[0].History().Estimate()
		require.NoError(t, err)
		days, _, err := ReadHistories(context.Background(), Source{"h.csv", strings.NewReader("id,time,changed\na,0,0\na,0.5,1\na,1,1\na,2,0\n")}, Options{})
		require.NoError(t, err)
		assert.Equal(t, unit.Unknown, days.Unit)
		same, err := days.Logs[0].History().Estimate()
		require.NoError(t, err)
		assert.InEpsilon(t, same.Rate, got.Rate*want, 1e-14)
	}
	_, report, err := ReadHistories(context.Background(), Source{"h.csv", strings.NewReader(calendar + "a,1793836800,1\n")}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"h.csv:6:3: found \"1793836800\"; expected points in time alone, or numbers alone, as in the rows before"}, messages(report))
}

func TestWeightsOfAnotherFile(t *testing.T) {
	read := func(text string) *Weights {
		weights, _, err := ReadWeights(context.Background(), Source{"w.csv", strings.NewReader(text)}, Options{Strict: true})
		require.NoError(t, err)
		return weights
	}
	for list, want := range map[string][]float64{
		"id,change_rate\na,1\nb,1\nc,1\n":              {1, 5, 1},
		"id,change_rate,weight\na,1,3\nb,1,4\nc,1,2":   {3, 5, 1},
		"id,change_rate,weight\na,1,NULL\nb,1,\nc,1,2": {1, 5, 1},
	} {
		pages, _ := readPages(t, list, Options{})
		assert.Equal(t, []int{1}, read("url,weight\nb,5\nx,9\nc,\n").Give(pages))
		assert.Equal(t, want, pages.Weights)
	}
	_, _, err := ReadWeights(context.Background(), Source{"w.csv", strings.NewReader("id,unit\na,day\n")}, Options{})
	require.ErrorContains(t, err, "no column weight")
}

// Columns are left out in every format.
func TestColumnsLeftOut(t *testing.T) {
	type row struct {
		ID   []byte  `parquet:"id,string"`
		Slot int64   `parquet:"slot"`
		Rate float64 `parquet:"rate"`
		Unit []byte  `parquet:"unit,string,dict"`
	}
	for _, without := range [][]string{{"slot"}, {"unit", "slot"}, {"unit"}, nil} {
		header := "id,slot,rate,unit\n"
		for _, column := range without {
			header = strings.Replace(header, ","+column, "", 1)
		}
		for _, name := range []string{"r.csv", "r.jsonl", "r.parquet"} {
			var file bytes.Buffer
			require.NoError(t, WriteRows(context.Background(), Target{Name: name, Writer: &file}, 1, 1, func(int) row {
				return row{[]byte("a"), 3, 0.5, []byte("day")}
			}, without...))
			for _, column := range []string{"slot", "unit"} {
				assert.Equal(t, !slices.Contains(without, column), bytes.Contains(file.Bytes(), []byte(column)), "%s without %v", name, without)
			}
			if name == "r.csv" {
				assert.True(t, strings.HasPrefix(file.String(), header))
			}
			rates, _, err := ReadRates(context.Background(), Source{name, &file}, Options{Unit: unit.Hour})
			require.NoError(t, err)
			want := 0.5
			if !slices.Contains(without, "unit") {
				want /= 24
			}
			assert.Equal(t, []float64{want}, rates.Rates, name)
		}
	}
	assert.Equal(t, time.Hour.Seconds(), unit.Hour.Seconds())
}
