package pagefile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh"
)

func readPages(t testing.TB, text string, options Options) (*Pages, *Report) {
	t.Helper()
	pages, report, err := ReadPages(context.Background(), Source{"pages.csv", strings.NewReader(text)}, options)
	require.NoError(t, err)
	return pages, report
}

func names(ids *IDs) []string {
	all := make([]string, ids.Len())
	for i := range all {
		all[i] = ids.At(i)
	}
	return all
}

func messages(report *Report) []string {
	var all []string
	for _, fault := range report.Faults {
		all = append(all, fault.Error())
	}
	return all
}

func TestCSVPages(t *testing.T) {
	pages, report := readPages(t, "\xef\xbb\xbfweight,url,note,change_rate\r\n"+
		"2,https://a.example/,x,0.5\r\n"+
		"\r\n"+
		"1e-3,\"https://b.example/?q=\"\"1,2\"\"\",\"two, three\",17\n"+
		" 3 ,c,,0", Options{})
	assert.Equal(t, []string{"https://a.example/", `https://b.example/?q="1,2"`, "c"}, names(&pages.IDs))
	assert.Equal(t, []float64{0.5, 17, 0}, pages.ChangeRates)
	assert.Equal(t, []float64{2, 1e-3, 3}, pages.Weights)
	assert.Equal(t, &Report{Rows: 3, Ignored: []string{"note"}}, report)

	pages, _ = readPages(t, "url,id,change_rate\nhttps://a.example/,a,1\n", Options{})
	assert.Equal(t, []string{"a"}, names(&pages.IDs), "id comes before url")
	assert.Nil(t, pages.Weights, "no column of weights")
}

func TestCSVRowsThatCannotBeUsed(t *testing.T) {
	const list = "id,change_rate,weight\n" + // line 1
		"a,1,1\n" +
		"b,-1,1\n" +
		"c,NaN,1\n" +
		"d,1\n" +
		"e,1,1,1\n" + // 6
		"a,2,2\n" +
		",1,1\n" +
		"f,1,\n" +
		"g,1e999,1\n" +
		"h,1,Inf\n" + // 11
		"\"i\"x,1,1\n" +
		"j\"k,1,1\n" +
		"\xff,1,1\n" +
		"\"l\"\"m\",x,1\n" +
		"n,2,3\n" + // 16
		"n,2,3\n"
	pages, report := readPages(t, list, Options{})
	assert.Equal(t, []string{"a", "f", "n"}, names(&pages.IDs))
	assert.Equal(t, []float64{1, 1, 2}, pages.ChangeRates)
	assert.Equal(t, []float64{1, 1, 3}, pages.Weights, "nothing is 1")
	assert.EqualValues(t, 3, report.Rows)
	want := []string{
		`pages.csv:3:3: found "-1"; expected 0 or a number from 1e-100 to 1e100`,
		`pages.csv:4:3: found "NaN"; expected 0 or a number from 1e-100 to 1e100`,
		`pages.csv:5:4: found a row of 2 columns; expected 3, as in the header`,
		`pages.csv:6:8: found a row of 4 columns; expected 3, as in the header`,
		`pages.csv:7:1: found id "a", which is on line 2 already; expected each id once`,
		`pages.csv:8:1: found nothing; expected the name of a page`,
		`pages.csv:10:3: found "1e999"; expected 0 or a number from 1e-100 to 1e100`,
		`pages.csv:11:5: found "Inf"; expected 0 or a number from 1e-100 to 1e100, or nothing`,
		`pages.csv:12:1: found a field that goes on after its quotes; expected "…" around the whole field, and "" for a quote in it`,
		`pages.csv:13:2: found a quote inside a field without quotes; expected "…" around the field, and "" for a quote in it`,
		`pages.csv:14:1: found "\xff"; expected a name in UTF-8 (the file may be in Latin-1 or Windows-1252)`,
		`pages.csv:15:8: found "x"; expected 0 or a number from 1e-100 to 1e100`,
		`pages.csv:17:1: found id "n", which is on line 16 already; expected each id once`,
	}
	assert.Equal(t, want, messages(report))
	assert.EqualValues(t, len(want), report.Unusable)

	for _, workers := range []int{1, 2, 5} {
		for _, size := range []int{1, 7, 64, 0} {
			_, again := readPages(t, list, Options{Workers: workers, blockSize: size})
			assert.Equal(t, want, messages(again), "%d workers, blocks of %d", workers, size)
		}
	}
}

// The first fault of the file, however it is found.
func TestStrictReadingStopsAtTheFirstFault(t *testing.T) {
	for list, want := range map[string]string{
		"id,change_rate\na,1\nb,x\na,1\n":   `pages.csv:3:3: found "x"; expected 0 or a number from 1e-100 to 1e100`,
		"id,change_rate\na,1\na,2\nb,x\n":   `pages.csv:3:1: found id "a", which is on line 2 already; expected each id once`,
		"id,change_rate\na,1\nb,1\nb,2\na,": `pages.csv:4:1: found id "b", which is on line 3 already; expected each id once`,
		"id,change_rate\na,1\nb\n":          `pages.csv:3:2: found a row of one column; expected 2, as in the header`,
	} {
		for _, size := range []int{1, 20, 0} {
			_, _, err := ReadPages(context.Background(), Source{"pages.csv", strings.NewReader(list)}, Options{Strict: true, blockSize: size})
			var fault *FileError
			require.ErrorAs(t, err, &fault)
			assert.EqualError(t, err, want)
		}
	}
	pages, _, err := ReadPages(context.Background(), Source{"pages.csv", strings.NewReader("id,change_rate\na,1\nb,1\n")}, Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, 2, pages.Len())
}

func TestFilesThatAreNoPageLists(t *testing.T) {
	const columns = "the columns id (or url), change_rate and, optional, weight, recall, false_rate, greatest_interval, least_interval, unit"
	for text, want := range map[string]string{
		"":                                    "f.csv:1:1: found an empty file; expected a header with " + columns,
		"\n\r\n":                              "f.csv:1:1: found an empty file; expected a header with " + columns,
		"https://a.example/,1\n":              "f.csv:1:1: found no column id or url; expected a header with " + columns,
		"\n\nid,rate\n":                       "f.csv:3:1: found no column change_rate; expected a header with " + columns,
		"id,change_rate,id\n":                 `f.csv:1:1: found column "id" twice; expected a header with ` + columns,
		"id,\"change_rate\n":                  `f.csv:1:4: found a quote that none closes on its line; expected a quote at the end of the field, or "" for a quote in it`,
		"id,change_rate\n":                    "",
		"id,change_rate\n" + "a,1\n" + "\xff": "",
	} {
		_, _, err := ReadPages(context.Background(), Source{"f.csv", strings.NewReader(text)}, Options{})
		if want == "" {
			assert.NoError(t, err, "%q", text)
		} else {
			assert.EqualError(t, err, want, "%q", text)
		}
	}
	_, _, err := ReadPages(context.Background(), Source{"f.csv", strings.NewReader("id,change_rate\nb,1\n" + strings.Repeat("a", maxRecord))}, Options{})
	require.EqualError(t, err, "f.csv:3:1: found a row of more than 16777216 bytes; expected a shorter one")
	_, _, err = ReadPages(context.Background(), Source{Name: filepath.Join(t.TempDir(), "missing.csv")}, Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = ReadPages(ctx, Source{"f.csv", strings.NewReader("id,change_rate\nb,1\n")}, Options{Workers: 2})
	require.ErrorIs(t, err, context.Canceled)
}

func TestJSONLines(t *testing.T) {
	text := `{"url":"https://a.example/","change_rate":0.5,"weight":2,"more":{"x":[1,"}"]}}
{ "change_rate" : 1e-3 , "id" : "b \u00e9\n" , "url" : "ignored", "note":null, "ok":true }

{"id":17,"change_rate":3}
{"id":"c","change_rate":-1}
{"id":"d","change_rate":"1"}
{"id":"e","change_rate":01}
{"id":"f"}
{"id":"g","change_rate":1,"weight":null}
{"id":"h","change_rate":1} {}
{"id":"i","change_rate":1,}
{"id":"j","id":"k","change_rate":1}
["l",1]
{"id":"m","change_rate":1
{"id":"\ud800","change_rate":1}
{"id":"n","change_rate":1,"x":[1,}
{"id":"o","change_rate":1,"x":[1}}
{"id":{},"change_rate":1}
{}
{"id":"p","change_rate":NaN}
{"id":"b é\n","change_rate":1}
{"id":"r","change_rate":1,"x":[1,"]
{"id":"q","change_rate":4}`
	pages, report, err := ReadPages(context.Background(), Source{"pages.jsonl", strings.NewReader(text)}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"https://a.example/", "b é\n", "17", "d", "g", "q"}, names(&pages.IDs))
	assert.Equal(t, []float64{0.5, 1e-3, 3, 1, 1, 4}, pages.ChangeRates)
	assert.Equal(t, []float64{2, 1, 1, 1, 1, 1}, pages.Weights)
	assert.Equal(t, []string{
		`pages.jsonl:5:25: found "-1"; expected 0 or a number from 1e-100 to 1e100`,
		`pages.jsonl:7:25: found "01"; expected a value`,
		`pages.jsonl:8:1: found nothing; expected 0 or a number from 1e-100 to 1e100`,
		`pages.jsonl:10:28: found "{"; expected the end of the line`,
		`pages.jsonl:11:27: found "}"; expected the name of a member in quotation marks`,
		`pages.jsonl:12:11: found "id" for the second time; expected each name once`,
		`pages.jsonl:13:1: found "["; expected an object with the columns id (or url), change_rate and, optional, weight, recall, false_rate, greatest_interval, least_interval, unit`,
		`pages.jsonl:14:26: found the end of the line; expected "," or "}"`,
		`pages.jsonl:15:7: found "\\ud800"; expected a text whose backslashes begin one of \" \\ \/ \b \f \n \r \t \u0000 … \uffff`,
		`pages.jsonl:16:34: found "}"; expected a value`,
		`pages.jsonl:17:33: found "}"; expected "," or "]"`,
		`pages.jsonl:18:7: found {}; expected a text or a number`,
		`pages.jsonl:19:1: found nothing; expected the name of a page`,
		`pages.jsonl:20:25: found "NaN"; expected a value`,
		`pages.jsonl:21:1: found id "b é\n", which is on line 2 already; expected each id once`,
		`pages.jsonl:22:36: found the end of the line; expected a quotation mark at the end of a text`,
	}, messages(report))
}

// parquetPage is a row of a Parquet file as others write it.
type parquetPage struct {
	Note       string   `parquet:"note"`
	URL        string   `parquet:"url,dict"`
	ChangeRate *float64 `parquet:"change_rate"`
	Weight     float32  `parquet:"weight"`
	Tags       []string `parquet:"tags,list"`
}

func parquetOf[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, parquet.Write(&file, rows, options...))
	return file.Bytes()
}

func TestParquetPages(t *testing.T) {
	rate := func(x float64) *float64 { return &x }
	data := parquetOf(t, []parquetPage{
		{"", "https://a.example/", rate(0.5), 2, []string{"x", "y"}},
		{"", "b", rate(1), 1, nil},
		{"", "c", nil, 1, nil},
		{"", "b", rate(1), 1, nil},
		{"", "d", rate(-1), 1, nil},
		{"", "e", rate(2), 0.25, nil},
	}, parquet.MaxRowsPerRowGroup(2))
	for _, workers := range []int{1, 3} {
		pages, report, err := ReadPages(context.Background(), Source{"pages.parquet", bytes.NewReader(data)}, Options{Workers: workers})
		require.NoError(t, err)
		assert.Equal(t, []string{"https://a.example/", "b", "e"}, names(&pages.IDs))
		assert.Equal(t, []float64{0.5, 1, 2}, pages.ChangeRates)
		assert.Equal(t, []float64{2, 1, 0.25}, pages.Weights)
		assert.Equal(t, []string{
			`pages.parquet:3:3: found nothing; expected 0 or a number from 1e-100 to 1e100`,
			`pages.parquet:4:1: found id "b", which is on line 2 already; expected each id once`,
			`pages.parquet:5:3: found "-1"; expected 0 or a number from 1e-100 to 1e100`,
		}, messages(report))
	}

	numbers := parquetOf(t, []struct {
		ID   int64 `parquet:"id"`
		Rate int32 `parquet:"change_rate"`
	}{{7, 1}, {-8, 2}})
	pages, _, err := ReadPages(context.Background(), Source{"-", bytes.NewReader(numbers)}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"7", "-8"}, names(&pages.IDs))
	assert.Equal(t, []float64{1, 2}, pages.ChangeRates)
	assert.Nil(t, pages.Weights)

	other := parquetOf(t, []struct {
		ID string `parquet:"id"`
	}{{"a"}})
	_, _, err = ReadPages(context.Background(), Source{"other.parquet", bytes.NewReader(other)}, Options{})
	require.EqualError(t, err, "other.parquet:1:1: found no column change_rate; expected the columns id (or url), change_rate and, optional, weight, recall, false_rate, greatest_interval, least_interval, unit")
	for _, damaged := range [][]byte{nil, data[:11], data[:len(data)/2], append(bytes.Clone(data[:len(data)-8]), 0xff, 0xff, 0xff, 0x7f, 'P', 'A', 'R', '1')} {
		_, _, err = ReadPages(context.Background(), Source{"pages.parquet", bytes.NewReader(damaged)}, Options{})
		require.ErrorContains(t, err, "pages.parquet: not a readable Parquet file: ")
	}
}

// compressed returns data in each compression.
func compressed(t testing.TB, data []byte) map[string][]byte {
	t.Helper()
	var zipped, zst bytes.Buffer
	gzipWriter := gzip.NewWriter(&zipped)
	_, err := gzipWriter.Write(data)
	require.NoError(t, err)
	require.NoError(t, gzipWriter.Close())
	zstdWriter, err := zstd.NewWriter(&zst)
	require.NoError(t, err)
	_, err = zstdWriter.Write(data)
	require.NoError(t, err)
	require.NoError(t, zstdWriter.Close())
	return map[string][]byte{"": data, ".gz": zipped.Bytes(), ".zst": zst.Bytes()}
}

// Lists of some thousand pages in every format and compression, from files and
// from pipes that tell nothing by their name, are the same.
func TestEveryFormatAndCompression(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 12))
	type row struct {
		ID         string  `parquet:"id"`
		ChangeRate float64 `parquet:"change_rate"`
		Weight     float64 `parquet:"weight"`
	}
	rows := make([]row, 5000)
	csv, jsonLines := "id,change_rate,weight\n", ""
	for i := range rows {
		r := row{fmt.Sprintf("https://host.example/%x/%d", random.Uint64()>>random.IntN(64), i), random.ExpFloat64(), random.Float64()}
		rows[i] = r
		csv += fmt.Sprintf("%s,%v,%v\n", r.ID, r.ChangeRate, r.Weight)
		jsonLines += fmt.Sprintf("{\"id\":%q,\"change_rate\":%v,\"weight\":%v}\n", r.ID, r.ChangeRate, r.Weight)
	}
	folder := t.TempDir()
	for format, plain := range map[string][]byte{
		"csv": []byte(csv), "jsonl": []byte(jsonLines), "parquet": parquetOf(t, rows, parquet.MaxRowsPerRowGroup(700)),
	} {
		for suffix, data := range compressed(t, plain) {
			name := filepath.Join(folder, "pages."+format+suffix)
			require.NoError(t, os.WriteFile(name, data, 0o600))
			for label, source := range map[string]Source{"file": {Name: name}, "pipe": {"-", bytes.NewReader(data)}} {
				for _, options := range []Options{{}, {Workers: 2, Strict: true}, {Workers: 3, blockSize: 1000}} {
					pages, report, err := ReadPages(context.Background(), source, options)
					if label == "pipe" {
						source.Reader = bytes.NewReader(data)
					}
					require.NoError(t, err, name)
					require.Equal(t, &Report{Rows: int64(len(rows))}, report)
					for i, r := range rows {
						got := row{pages.IDs.At(i), pages.ChangeRates[i], pages.Weights[i]}
						require.Equal(t, r, got, "%s, row %d", name, i)
					}
				}
			}
			if suffix != "" { // cut off: an error, not a shorter list
				_, _, err := ReadPages(context.Background(), Source{name, bytes.NewReader(data[:len(data)-20])}, Options{})
				require.ErrorContains(t, err, name+": ")
			}
		}
	}
}

// Duplicates in a list of many partitions, against a map.
func TestDuplicatesAgainstAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 13))
	var list strings.Builder
	list.WriteString("id,change_rate\n")
	first := map[string]int{}
	var want []string
	var kept []string
	const rows = 30_000
	for i := range rows {
		id := strconv.Itoa(random.IntN(rows))
		fmt.Fprintf(&list, "%s,%d\n", id, i)
		if line, found := first[id]; found {
			want = append(want, fmt.Sprintf(`pages.csv:%d:1: found id %q, which is on line %d already; expected each id once`, i+2, id, line))
			continue
		}
		first[id] = i + 2
		kept = append(kept, id)
	}
	for _, workers := range []int{1, 2} {
		pages, report := readPages(t, list.String(), Options{Workers: workers, blockSize: 5000})
		assert.Equal(t, kept, names(&pages.IDs))
		assert.EqualValues(t, len(want), report.Unusable)
		assert.Equal(t, want[:KeptFaults], messages(report))
		for i := range kept {
			assert.Equal(t, first[kept[i]]-2, int(pages.ChangeRates[i]))
		}
	}
}

func TestReadRates(t *testing.T) {
	rates, report, err := ReadRates(context.Background(), Source{"-", strings.NewReader("id,rate,interval,freshness\na,2,0.5,0.9\nb,0,,0\n")}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names(&rates.IDs))
	assert.Equal(t, []float64{2, 0}, rates.Rates)
	assert.EqualValues(t, 2, report.Rows)
}

// A row is left out, with its line, where package refresh would refuse all pages.
func TestNumbersOfPagesAreThoseOfRefresh(t *testing.T) {
	for text, ok := range map[string]bool{
		"0": true, "-0": true, "1e-100": true, "1e100": true,
		"9.99e-101": false, "5e-324": false, "1.01e100": false, "1e308": false,
	} {
		value, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		for _, row := range []string{text + ",1", "1," + text} {
			pages, report := readPages(t, "id,change_rate,weight\na,1,1\nb,"+row+"\n", Options{})
			assert.Equal(t, ok, report.Unusable == 0, text)
			assert.NoError(t, pages.Validate())
			if !ok {
				assert.Contains(t, report.Faults[0].Error(), ":3:")
			}
		}
		assert.Equal(t, ok, refresh.Pages{ChangeRates: []float64{value}}.Validate() == nil, text)
		assert.Equal(t, ok, refresh.Pages{ChangeRates: []float64{1}, Weights: []float64{value}}.Validate() == nil, text)
	}
}
