package browser

// Pictures of every view, for people to look at:
//
//	go test -run Pictures -pictures FOLDER .

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var pictures = flag.String("pictures", "", "write pictures of every view of the page to this folder")

// views are addresses of the page, and expressions that are true once they are drawn.
var views = []struct{ name, fragment, ready string }{
	{"robots", "robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4", `document.querySelector("#panel-robots .downloads a") && document.querySelector("#running-fixed").dataset.computed`},
	{"model", "model", `document.querySelector("#panel-model .welcome")`},
	{"model-taxicab", "model?example=taxicab&step=1", `document.querySelector(".steps[data-step='1']")`},
	{"model-machine", "model?example=machine&step=1", `document.querySelector(".steps[data-step='1']")`},
	{"model-floor", "model?example=floor&step=2", `document.querySelector(".steps[data-step='2']")`},
	{"model-islands", "model?example=islands", `document.querySelector(".steps[data-step='0']")`},
	{"model-queue", "model?example=queue", `document.querySelector(".solution")`},
	{"model-iterations", "model?example=machine&criterion=finite&horizon=8&iteration=3", `document.querySelector(".iterations table") && document.querySelector(".drawn")`},
	{"refresh", "refresh", `document.querySelector("#panel-refresh .welcome")`},
	{"refresh-site", "refresh?example=site", `document.querySelector("#refresh-results .pages")`},
	{"refresh-five", "refresh?example=five&objective=age", `document.querySelector("#refresh-results .pages")`},
	{"review", "review", `document.querySelector("#panel-review .welcome")`},
	{"review-three", "review?example=three", `document.querySelector("#review-results .answers")`},
}

// looks are the window sizes and colour schemes of the pictures.
var looks = map[string]look{
	"light":      desktop,
	"dark":       {desktop.width, desktop.height, "dark"},
	"phone":      {390, 844, "light"},
	"phone-dark": {390, 844, "dark"},
}

// settled is true when the page has no pending work.
const settled = `!document.querySelector("[aria-busy=true], [data-busy]") && !document.documentElement.hasAttribute("data-busy")`

func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("no folder is given by -pictures")
	}
	require.NoError(t, os.MkdirAll(*pictures, 0o755))
	address := serve(t)
	for name, l := range looks {
		for _, view := range views {
			t.Run(view.name+"-"+name, func(t *testing.T) {
				tb := open(t, address+"/#"+view.fragment, l)
				tb.wait(view.ready)
				tb.wait(settled)
				tb.picture(view.name + "-" + name)
			})
		}
	}
}

// picture writes a picture of the whole page into the folder for them.
func (tb *tab) picture(name string) {
	tb.t.Helper()
	const quality = 100 // writes PNG
	shot, err := chromedp.Run(tb.ctx, chromedp.FullScreenshot(quality))
	require.NoError(tb.t, err)
	require.NoError(tb.t, os.WriteFile(filepath.Join(*pictures, name+".png"), shot, 0o644))
}
