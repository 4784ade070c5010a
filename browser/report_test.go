package browser

// Reports: files that draw without a server.

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reports are commands, with the title and the least numbers of pictures and tables of
// their files.
var reports = []struct {
	name, title    string
	charts, tables int
	args           []string
}{
	{"robots", "mdpsolve", 2, 1, []string{"robots", "--robots", "16", "--buffer", "5", "--lambda", "1/10", "--mu", "1", "--gamma", "1.4"}},
	{"limit", "mdpsolve", 0, 0, []string{"robots", "--robots", "6", "--buffer", "5", "--lambda", "0.5", "--mu", "2", "--service", "erlang:2", "--max-loss", "3%"}},
	{"model", "taxicab.json", 1, 2, []string{"model", models + "taxicab.json", "--criterion", "average", "--maximize"}},
	{"chain", "twoservers.tra", 1, 2, []string{"model", models + "twoservers.tra", "--criterion", "average"}},
	{"refresh", "How often to access each page", 2, 1, []string{"refresh", "--input", "", "--bandwidth", "3"}},
	{"review", "Promised and measured freshness", 1, 2, []string{"review", "--plan", "FOLDER/plan.csv", "--pages", "", "--input", "FOLDER/log.csv", "--unit", "day"}},
}

func TestReportsDrawWithoutAServer(t *testing.T) {
	folder := t.TempDir()
	list := filepath.Join(folder, "pages.csv")
	require.NoError(t, os.WriteFile(list, []byte("id,change_rate,weight\na,1,1\nb,2,3\nc,30,1\nd,4,2\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "plan.csv"), []byte("id,rate\na,1\nb,1\nd,1\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "log.csv"), []byte("id,time,changed\na,2026-12-01,0\na,2026-12-02,1\nb,2026-12-02,0\na,2026-12-03,0\n"), 0o600))
	for _, r := range reports {
		t.Run(r.name, func(t *testing.T) {
			file := filepath.Join(folder, r.name+".html")
			args := append([]string{"report"}, r.args...)
			for i := range args {
				if args[i] == "" {
					args[i] = list
				}
				args[i] = strings.Replace(args[i], "FOLDER", folder, 1)
			}
			output(t, append(args, "--out", file)...)

			tb := open(t, "file://"+file, look{794, 1123, "light"}) // A4 at 96 dots an inch
			tb.wait(`document.querySelector("main h1")`)
			tb.wait(`document.querySelectorAll(".plot canvas, .plot svg, .graph").length >= ` + quote(r.charts))
			assert.Contains(t, eval[string](tb, `document.title + document.querySelector("h1").textContent`), r.title)
			assert.GreaterOrEqual(t, eval[int](tb, `document.querySelectorAll("table").length`), r.tables)
			assert.Zero(t, eval[int](tb, `document.querySelectorAll(".controls, [role=tab]").length`), "a report has no controls")
			assert.Contains(t, eval[string](tb, `document.querySelector(".origin").textContent`), "mdpsolve report "+r.args[0])
			requests, _ := tb.seen()
			requests = slices.DeleteFunc(requests, func(url string) bool { return strings.HasPrefix(url, "data:") }) // pictures in the file
			assert.Equal(t, []string{"file://" + file}, requests, "a report is one file")
			if axe, err := os.ReadFile(axePath); err == nil {
				assert.Empty(t, serious(tb, string(axe)))
			}
			if *pictures != "" {
				tb.picture("report-" + r.name)
				printed, err := chromedp.Call(tb.ctx, page.PrintToPDF, page.PrintToPDFParams{})
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(*pictures, "report-"+r.name+".pdf"), printed.Data, 0o644))
			}
		})
	}
}
