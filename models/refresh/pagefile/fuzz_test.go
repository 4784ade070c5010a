package pagefile

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

// readInAnyCut reads a text whole and in small blocks on several goroutines,
// with hosts and without, and makes sure that it comes out the same.
func readInAnyCut(t *testing.T, text []byte, format Format) (*Pages, *Report, error) {
	_, _, _ = readCut(t, text, format, true)
	return readCut(t, text, format, false)
}

// plainSource is a file of a format; the test skips what begins as compressed files do.
func plainSource(t *testing.T, data []byte, format Format) Source {
	if compressionOf(data) != uncompressed {
		t.Skip()
	}
	return Source{"f" + map[Format]string{CSV: ".csv", JSONLines: ".jsonl", Parquet: ".parquet"}[format], bytes.NewReader(data)}
}

func readCut(t *testing.T, text []byte, format Format, hosts bool) (*Pages, *Report, error) {
	pages, report, err := ReadPages(context.Background(), plainSource(t, text, format), Options{Hosts: hosts})
	for _, options := range []Options{{Workers: 2, blockSize: 1}, {Workers: 1, blockSize: 13}} {
		options.Hosts = hosts
		again, reportAgain, errAgain := ReadPages(context.Background(), plainSource(t, text, format), options)
		require.Equal(t, err == nil, errAgain == nil)
		if err != nil {
			require.Equal(t, err.Error(), errAgain.Error())
			continue
		}
		require.Equal(t, report, reportAgain)
		require.Equal(t, pages.Unit, again.Unit)
		require.Equal(t, names(&pages.IDs), names(&again.IDs))
		require.Equal(t, pages.ChangeRates, again.ChangeRates)
		require.Equal(t, pages.Weights, again.Weights)
		require.Equal(t, pages.Recalls, again.Recalls)
		require.Equal(t, pages.FalseRates, again.FalseRates)
		require.Equal(t, pages.Hosts, again.Hosts)
	}
	if err == nil {
		requireHosts(t, pages)
	}
	return pages, report, err
}

// requireHosts: every page has the number of a host.
func requireHosts(t *testing.T, pages *Pages) {
	if pages.Hosts == nil {
		return
	}
	require.Len(t, pages.Hosts.Of, pages.Len())
	for _, host := range pages.Hosts.Of {
		require.NotEmpty(t, pages.Hosts.Names.At(int(host)))
	}
}

// What encoding/csv and strconv make of a list without faults is what comes out.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("id,change_rate,weight\na,1,2\n\"b\"\"\n\",0.5,1e3\r\nc,x,1\n"))
	f.Add([]byte("url,change_rate\n\n\"a,1\nb,\"2\"x\n"))
	f.Add([]byte("id,change_rate\na\"b,1\n,,\n"))
	f.Add([]byte("url,change_rate,recall,false_rate,host\nhttps://a.example/,1,,2,\nb,1,3,2,x\nb,1,0,,x\n"))
	f.Add([]byte("ID;Change_Rate;unit\na;17/15;day\n\"b\n;\";1;day\nc;1;hour\n"))
	f.Add([]byte("id\tchange_rate\tunit\na\t1\t\nb\t2\tday\n\"" + strings.Repeat("\n", 12)))
	f.Add([]byte("id,url,change_rate\n1,http://A.example:80/,1\n2,http://[::1]/,1\n3,,1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		pages, report, err := readInAnyCut(t, text, CSV)
		if err != nil || report.Unusable > 0 || bytes.Contains(text, []byte("\r")) {
			return
		}
		reader := stdcsv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, byteOrderMark)))
		l := layout{idField, {names: []string{"change_rate"}}}
		reader.Comma = rune(l.delimiter(bytes.TrimPrefix(text, byteOrderMark)))
		rows, err := reader.ReadAll()
		if err != nil {
			return // encoding/csv is stricter about quotes in the header
		}
		header := rows[0]
		for i := range header {
			header[i] = strings.TrimSpace(header[i])
		}
		columns, err := l.choose(header)
		require.NoError(t, err)
		require.Len(t, rows[1:], pages.Len())
		for i, row := range rows[1:] {
			require.Equal(t, row[columns[0]], pages.IDs.At(i))
			rate, err := number.Parse(strings.Trim(row[columns[1]], " "))
			require.NoError(t, err)
			require.Equal(t, rate, pages.ChangeRates[i])
		}
	})
}

// A row that is taken is JSON, and what encoding/json makes of it.
func FuzzJSONLines(f *testing.F) {
	f.Add([]byte("{\"id\":\"a\",\"change_rate\":1}\n\n{\"url\":\"b\\u00e9\",\"change_rate\":2,\"weight\":3,\"x\":[{}]}"))
	f.Add([]byte("{\"url\":\"https://a.example/\",\"id\":7,\"change_rate\":1,\"recall\":1,\"false_rate\":null,\"host\":\"x\"}\n"))
	f.Add([]byte("{\"id\":5,\"change_rate\":-1e5}\n{\"id\":\"a\",\"id\":1}\nnull\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		pages, report, err := readInAnyCut(t, text, JSONLines)
		require.NoError(t, err)
		if report.Unusable > 0 || !utf8.Valid(text) {
			return
		}
		row := 0
		for line := range bytes.Lines(bytes.TrimPrefix(text, byteOrderMark)) {
			if len(bytes.Trim(line, " \t\r\n")) == 0 {
				continue
			}
			var object map[string]any
			require.NoError(t, json.Unmarshal(line, &object), "%q", line)
			id, found := object["id"]
			if !found {
				id = object["url"]
			}
			if name, ok := id.(string); ok {
				require.Equal(t, name, pages.IDs.At(row))
			}
			if rate, ok := object["change_rate"].(float64); ok {
				require.Equal(t, rate, pages.ChangeRates[row])
			}
			row++
		}
		require.Equal(t, row, pages.Len())
	})
}

// Damaged Parquet files are errors or other rows, never a crash.
func FuzzParquet(f *testing.F) {
	rate := 0.5
	f.Add(parquetOf(f, []parquetPage{{"x", "a", &rate, 2, []string{"y"}}, {"", "b", nil, 1, nil}}))
	f.Add(parquetOf(f, []struct {
		ID   int64 `parquet:"id,delta"`
		Rate int32 `parquet:"change_rate,optional"`
	}{{7, 1}, {-8, 2}}))
	f.Add(parquetOf(f, []signalledPage{{"https://a.example/", 1, &rate, nil, nil}}))
	f.Add(parquetOf(f, []signalledPage{{"https://a.example/", 1, &rate, nil, nil}}, parquet.Compression(&parquet.Lz4Raw)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		pages, report, err := ReadPages(context.Background(), plainSource(t, data, Parquet), Options{Hosts: true})
		if err == nil {
			require.EqualValues(t, report.Rows, pages.Len())
			requireHosts(t, pages)
		}
	})
}

// Histories: every row is counted once.
func FuzzHistory(f *testing.F) {
	f.Add([]byte("id,time,changed,digest\na,1,1,\na,2,,x\na,2,,y\nb,2026-01-31T12:00:00Z,0,\n"), false)
	f.Add([]byte("{\"id\":\"a\",\"time\":1,\"changed\":true}\n{\"id\":\"a\",\"time\":3,\"digest\":17}\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, isJSON bool) {
		format := CSV
		if isJSON {
			format = JSONLines
		}
		histories, report, err := ReadHistories(context.Background(), plainSource(t, text, format), Options{})
		again, reportAgain, errAgain := ReadHistories(context.Background(), plainSource(t, text, format), Options{Workers: 2, blockSize: 5})
		require.Equal(t, err == nil, errAgain == nil)
		if err != nil {
			return
		}
		require.Equal(t, histories.Logs, again.Logs)
		require.Equal(t, names(&histories.IDs), names(&again.IDs))
		require.Equal(t, report.Rows, reportAgain.Rows)
		require.Equal(t, report.Unusable, reportAgain.Unusable)
		for i := range histories.Logs {
			if estimate, err := histories.Logs[i].History().Estimate(); err == nil {
				require.Positive(t, estimate.Rate)
			}
		}
	})
}

// Compressed input that is none, or damaged.
func FuzzCompressed(f *testing.F) {
	for _, data := range compressed(f, []byte("id,change_rate\na,1\n")) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		pages, report, err := ReadPages(context.Background(), Source{"-", bytes.NewReader(data)}, Options{})
		if err == nil {
			require.EqualValues(t, report.Rows, pages.Len())
		}
	})
}
