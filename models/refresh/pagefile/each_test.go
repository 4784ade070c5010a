package pagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// A row is handed on before the next has come, and before a pipe is closed.
func TestEachVisitIsPrompt(t *testing.T) {
	for name, rows := range map[string][]string{
		"log.csv":   {"id,time,status\n", "a,2026-01-31T12:00:00Z,\n", "b,,304\n"},
		"log.jsonl": {"", "{\"url\":\"a\",\"time\":\"2026-01-31T12:00:00Z\"}\n", "{\"id\":\"b\",\"status\":304}\n"},
		"-":         {"status;id;time\n", ";\"a\";2026-01-31 12:00:00\n", "304;b;\n"},
	} {
		in, out := io.Pipe()
		visits, ended := make(chan Visit), make(chan error, 1)
		go func() {
			ended <- EachVisit(context.Background(), Source{name, in}, Options{}, func(v Visit) error {
				visits <- v
				return nil
			})
		}()
		_, err := io.WriteString(out, rows[0]+rows[1])
		require.NoError(t, err)
		first := <-visits
		assert.Equal(t, "a", first.ID, name)
		assert.Equal(t, time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC), first.Time, name)
		assert.Equal(t, estimate.Found, first.Outcome, name)
		_, err = io.WriteString(out, rows[2])
		require.NoError(t, err)
		second := <-visits
		assert.True(t, second.Time.IsZero(), name)
		assert.Equal(t, estimate.Unchanged, second.Outcome, name)
		require.NoError(t, out.Close())
		require.NoError(t, <-ended)
	}
}

// Rows before the first that cannot be used are handed on, and no others, wherever the
// text comes in two.
func TestEachStopsAtTheFirstFault(t *testing.T) {
	const list = "id,weight,host\n\na,,\nb,17/15,B.example\n\"c\"\"\",none,\nd,NULL,\n"
	for cut := range len(list) {
		var pages []string
		reader := io.MultiReader(strings.NewReader(list[:cut]), strings.NewReader(list[cut:]))
		err := EachPage(context.Background(), Source{"p.csv", reader}, Options{}, func(p Page) error {
			pages = append(pages, fmt.Sprint(p))
			return nil
		})
		require.EqualError(t, err, `p.csv:5:7: found "none"; expected a number from 1e-100 to 1e100, or nothing`)
		require.Equal(t, []string{"{3 a  0 {0 0}}", "{4 b b.example 1.1333333333333333 {0 0}}"}, pages)
	}
	enough := errors.New("enough")
	err := EachID(context.Background(), Source{"p.csv", strings.NewReader(list)}, Options{}, func(p Page) error {
		if p.ID == `c"` {
			return enough
		}
		return nil
	})
	require.ErrorIs(t, err, enough)
	err = EachVisit(context.Background(), Source{"p.csv", strings.NewReader("id,status\na,signal\n")}, Options{}, nil)
	require.EqualError(t, err, `p.csv:2:3: found "signal"; expected ok, failed, denied, gone, an HTTP status such as 404, or nothing`)
	err = EachVisit(context.Background(), Source{"p.csv", strings.NewReader("id,time\na,0001-01-01T00:00:00Z\n")}, Options{}, nil)
	require.EqualError(t, err, `p.csv:2:3: found "0001-01-01T00:00:00Z"; expected a point in time such as 2026-01-31T12:00:00Z`)
}

// A list of pages is no log, in any format.
func TestEachVisitRefusesListsOfPages(t *testing.T) {
	type page struct {
		ID   string  `parquet:"id"`
		Rate float64 `parquet:"rate"`
	}
	for name, data := range map[string][]byte{
		"p.csv":     []byte("id,weight\na,1\n"),
		"r.csv":     []byte("id,time,Change_Rate\na,2026-01-31,1\n"),
		"p.jsonl":   []byte("{\"id\":\"a\",\"rate\":1}\n"),
		"p.parquet": parquetOf(t, []page{{"a", 1}}),
	} {
		err := EachVisit(context.Background(), Source{name, bytes.NewReader(data)}, Options{}, nil)
		require.ErrorContains(t, err, ":1: found a row of a list of pages; expected one of a log, with time, changed, digest or status, and no rate", name)
	}
}

// Visits are those that histories are made of.
func FuzzEachVisit(f *testing.F) {
	f.Add([]byte("id,time,changed,digest,status\na,2026-01-31,1,,\na,2026-02-01,,x,200\na,2026-02-02,,y,\nb,2026-02-03T00:00:00Z,0,,404\n"), false)
	f.Add([]byte("{\"id\":\"a\",\"time\":\"2026-01-31\",\"changed\":true}\n{\"id\":\"a\",\"time\":\"2026-02-01\",\"digest\":17}\n"), true)
	f.Fuzz(func(t *testing.T, text []byte, isJSON bool) {
		options, format := Options{Strict: true}, CSV
		if isJSON {
			format = JSONLines
		}
		logs := map[string]*estimate.AccessLog{}
		err := EachVisit(context.Background(), plainSource(t, text, format), options, func(v Visit) error {
			log := logs[v.ID]
			if log == nil {
				log = &estimate.AccessLog{Unit: 86400}
				logs[v.ID] = log
			}
			at := float64(v.Time.Unix()) + float64(v.Time.Nanosecond())/1e9
			return log.Take(at, v.Outcome, v.Digest)
		})
		histories, _, strict := ReadHistories(context.Background(), plainSource(t, text, format), options)
		if strict != nil || err != nil {
			return // only one of the two functions accepts signals, times that are numbers, or missing times
		}
		require.Len(t, logs, histories.IDs.Len())
		for i := range histories.Logs {
			require.Equal(t, *logs[histories.IDs.At(i)], histories.Logs[i])
		}
	})
}

// A target is seen from its page, and is a URL; only some statuses say that the page has moved.
func TestTargets(t *testing.T) {
	const bad = "bad"
	for row, want := range map[string]string{
		"https://a.example/p/0,301,/q":                   "https://a.example/q",
		"https://a.example/p/0,308,q?x=1":                "https://a.example/p/q?x=1",
		"https://a.example/p/0,ok,//b.example/":          "https://b.example/",
		"https://a.example/p/0,200,HTTP://b.example/%7e": "HTTP://b.example/%7e",
		"https://a.example/p/0,,":                        "",
		"name,,https://b.example/":                       "https://b.example/",
		"name,,/q":                                       bad,
		"https://a.example/p/0,301,http://":              bad,
		"https://a.example/p/0,301,mailto:x@y.example":   bad,
		"https://a.example/p/0,301,https://:80/":         bad,
		"https://a.example/p/0,301,\x01":                 bad,
		"https://a.example/p/0,302,/q":                   "",
		"https://a.example/p/0,404,/q":                   "",
		"https://a.example/p/0,gone,/q":                  "",
		"https://a.example/p/0,0,/q":                     "",
	} {
		var got string
		log := Source{"v.csv", strings.NewReader("url,status,redirect\n" + row + "\n")}
		err := EachVisit(t.Context(), log, Options{}, func(v Visit) error {
			got = v.Target
			return nil
		})
		if want == bad {
			require.ErrorContains(t, err, fmt.Sprintf("v.csv:2:%d: found", strings.LastIndex(row, ",")+2), row)
			require.ErrorContains(t, err, "; expected the URL that the page has moved to", row)
			continue
		}
		require.NoError(t, err, row)
		assert.Equal(t, want, got, row)
	}
}
