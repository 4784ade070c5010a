package browser

// The tab Refresh: dropped page lists, their rates, and the value of one more page.

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDroppedPageListGivesRates(t *testing.T) {
	list := filepath.Join(t.TempDir(), "pages.csv.gz")
	require.NoError(t, os.WriteFile(list, pack(t, "id,change_rate,weight\n\"a, or b\",1,1\nc,2,3\nd,30,1\ne,4,2\nf,1/2,0.1\n"), 0o600))
	tb := open(t, serve(t)+"/#refresh", desktop)
	tb.wait(`document.querySelector("[role=tabpanel]:not([hidden]) .drop")`)
	tb.enter("Bandwidth", "3")
	for _, objective := range []string{"fixed-order", "age"} {
		tb.choose("Best for", objective)
		tb.drop(list)
		tb.wait(`document.querySelector(".pages") && ` + settled)
		rows, err := csv.NewReader(strings.NewReader(string(output(t, "refresh", "rates", "--input", list, "--bandwidth", "3", "--objective", objective, "--output", "csv")))).ReadAll()
		require.NoError(t, err)
		table := tb.table(".pages")
		rates, freshness := column(t, table, "access rate"), column(t, table, "freshness")
		require.Len(t, table, len(rows))
		for i, row := range rows[1:] {
			assert.Equal(t, row[0], table[i+1][0])
			assert.InDelta(t, shown(t, row[1]), rates[i], shownDigits)
			assert.InDelta(t, shown(t, row[3]), freshness[i], 5e-5, "shown with 4 digits")
		}
	}
}

// pack returns a text compressed by gzip.
func pack(t *testing.T, text string) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

func TestOnePageMore(t *testing.T) {
	folder := t.TempDir()
	for name, lists := range map[string][2]string{ // rates are per hour
		"days.csv":    {"id,change_rate,unit\na,24,day\nb,72,day\n", "id,change_rate,weight\na,1,1\nb,3,1\nc,0.5,2\n"},
		"pages.csv":   {"id,change_rate\na,1\nb,3\n", "id,change_rate,weight\na,1,1\nb,3,1\nc,0.5,2\n"},
		"pages.jsonl": {`{"url": "a", "change_rate": 1}` + "\n", "id,change_rate,weight\na,1,1\nc,0.5,2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			list, longer := filepath.Join(folder, name), filepath.Join(folder, "longer.csv")
			require.NoError(t, os.WriteFile(list, []byte(lists[0]), 0o600))
			require.NoError(t, os.WriteFile(longer, []byte(lists[1]), 0o600))
			tb := open(t, serve(t)+"/#refresh?bandwidth=2&unit=hour", desktop)
			tb.wait(`document.querySelector("[role=tabpanel]:not([hidden]) .drop")`)
			tb.drop(list)
			tb.wait(`document.querySelector(".more-page") && ` + settled)
			tb.enter("Changes", "1/2")
			tb.enter("Weight", "2")
			tb.press("Add it")
			type summary struct{ Value float64 }
			want := answer[summary](t, "refresh", "rates", "--input", longer, "--bandwidth", "2").Value
			const said = `document.querySelector(".more-page output").textContent`
			tb.wait(said)
			before, after, _ := strings.Cut(eval[string](tb, said), " the value is ")
			require.Equal(t, "With a page of change rate 0.5 and weight 2", before)
			assert.InEpsilon(t, want, shown(t, strings.Split(after, ",")[0]), shownDigits)
		})
	}
}

func TestAddressRestoresTheRates(t *testing.T) {
	tb := open(t, serve(t)+"/#refresh?example=five&bandwidth=3&objective=random", desktop)
	tb.wait(`document.querySelector(".pages")`)
	tb.settle()
	tb.enter("Bandwidth", "4")
	tb.wait(`location.hash.includes("bandwidth=4")`)
	tb.settle()
	again := open(t, eval[string](tb, `location.href`), desktop)
	again.wait(`document.querySelector(".pages")`)
	again.settle()
	assert.Equal(t, tb.table(".pages"), again.table(".pages"))
	assert.Equal(t, "random", eval[string](again, field("Best for")+`.value`))
}

// The list that "refresh estimate --unit day" writes is in rates per day, and so are
// numbers without a unit.
func TestNumbersAreInTheUnitOfTheList(t *testing.T) {
	list := filepath.Join(t.TempDir(), "pages.csv")
	output(t, "refresh", "estimate", "--input", "../docs/crawl.csv", "--unit", "day", "--out", list)
	tb := open(t, serve(t)+"/#refresh?bandwidth=12", desktop)
	tb.wait(`document.querySelector("[role=tabpanel]:not([hidden]) .drop")`)
	tb.drop(list)
	tb.wait(`document.querySelector(".pages") && ` + settled)
	assert.Contains(t, eval[string](tb, `document.querySelector("label[for^=bandwidth]").textContent`), "accesses per day")
	requireSum(tb, "--input", list, "--bandwidth", "12/day")
	tb.choose("Rates are per", "hour")
	tb.settle()
	assert.Contains(t, eval[string](tb, `document.querySelector("label[for^=bandwidth]").textContent`), "accesses per hour")
	requireSum(tb, "--input", list, "--bandwidth", "12/hour", "--unit", "hour")
}

// requireSum compares the sum on the page with that of mdpsolve refresh rates.
func requireSum(tb *tab, args ...string) {
	tb.t.Helper()
	type summary struct{ Value float64 }
	want := answer[summary](tb.t, append([]string{"refresh", "rates"}, args...)...).Value
	_, sum, _ := strings.Cut(eval[string](tb, `document.querySelector(".rates .more").textContent`), "weighted sum ")
	assert.InEpsilon(tb.t, want, shown(tb.t, sum), shownDigits)
}

func TestDroppedLogIsEstimated(t *testing.T) {
	tb := open(t, serve(t)+"/#refresh?bandwidth=12&unit=day", desktop)
	tb.wait(`document.querySelector("[role=tabpanel]:not([hidden]) .drop")`)
	tb.drop("../docs/crawl.csv")
	tb.wait(`document.querySelector(".pages") && ` + settled)
	assert.Contains(t, eval[string](tb, `document.querySelector("#refresh-results").innerText`), "Change rates of 9 pages, estimated from 172 accesses in crawl.csv.")
	list := filepath.Join(t.TempDir(), "pages.csv")
	output(t, "refresh", "estimate", "--input", "../docs/crawl.csv", "--unit", "day", "--out", list)
	requireSum(tb, "--input", list, "--bandwidth", "12/day")
	commands := strings.Split(eval[string](tb, `document.querySelector("#refresh-results .command code").textContent`), "\n")
	require.Len(t, commands, 2)
	assert.Equal(t, "mdpsolve refresh estimate --unit day --input crawl.csv --out pages.csv", commands[0])
	assert.Equal(t, "mdpsolve refresh rates --bandwidth 12/day --objective fixed-order --input pages.csv", commands[1])
}

func TestBrokenLogIsRefused(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.csv")
	require.NoError(t, os.WriteFile(log, []byte("url,time,digest\na,x,1\n"), 0o600))
	tb := open(t, serve(t)+"/#refresh", desktop)
	tb.wait(`document.querySelector("[role=tabpanel]:not([hidden]) .drop")`)
	tb.drop(log)
	tb.wait(`document.querySelector("[role=tabpanel]:not([hidden]) .files .fault").textContent.includes("log.csv")`)
	tb.settle()
	tb.forget()
}
