package browser

// Pictures of what the page shows while a reader works with it:
//
//	go test -run States -pictures FOLDER .

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beside is the address of two settings side by side.
func beside(left, right string) string { return "/?other=" + url.QueryEscape("#"+right) + "#" + left }

const framed = `document.querySelector("iframe")?.contentDocument`

// states are addresses of the page, and what a reader then does.
var states = []struct {
	name, address string
	act           func(tb *tab)
}{
	{"compare-robots", beside("robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4", "robots?robots=16&buffer=8&lambda=1/10&mu=1&gamma=3&service=erlang:3"), func(tb *tab) {
		tb.wait(framed + `?.querySelector("#panel-robots .downloads a")`)
	}},
	{"compare-model", beside("model?example=taxicab&step=1", "model?example=machine&criterion=finite&horizon=8"), func(tb *tab) {
		tb.wait(framed + `?.querySelector(".iterations table")`)
	}},
	{"queue", "/#robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4", func(tb *tab) {
		tb.wait(`document.getElementById("queue")?.offsetParent && document.querySelector("#running-fixed").dataset.computed`)
		for range 30 {
			tb.press("Step")
		}
	}},
	{"classes", "/#robots?robots=12&buffer=5&lambda=1/10&mu=1&gamma=1.4&service=erlang:3&holding-cost=0.01&activation-cost=0.02&robot-cost=0.01", func(tb *tab) {
		tb.wait(`document.querySelector("#panel-robots .downloads a")`)
	}},
	{"fault-field", "/#model?example=machine", func(tb *tab) {
		tb.wait(solved)
		tb.settle()
		tb.choose("Criterion", "discounted")
		tb.settle()
		tb.enter("Discount factor", "2")
		tb.wait(`document.querySelector(".fault:not(:empty)")`)
		tb.settle()
		tb.forget()
	}},
	{"fault-robots", "/#robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4", func(tb *tab) {
		tb.wait(`document.querySelector("#panel-robots .downloads a")`)
		tb.settle()
		tb.enter("λ", "-1")
		tb.wait(`document.querySelector("[aria-invalid]")`)
		tb.settle()
		tb.forget()
	}},
	{"fault-file", "/#model", func(tb *tab) {
		file := filepath.Join(tb.t.TempDir(), "broken.drn")
		require.NoError(tb.t, os.WriteFile(file, []byte("@type: MDP\n@nr_states\n1\n@model\nstate 0\n\taction a\n\t\t0 : 2\n"), 0o600))
		tb.wait(`document.querySelector(".drop")`)
		tb.drop(file)
		tb.wait(`document.querySelector(".fault:not(:empty)")`)
		tb.settle()
		tb.forget()
	}},
	{"awaited-model", "/#model?file=my-model.json&criterion=discounted&discount=0.95", func(tb *tab) { tb.wait(`document.querySelector(".fault:not(:empty)")`) }},
	{"awaited-refresh", "/#refresh?file=pages.csv&bandwidth=12&objective=age", func(tb *tab) { tb.wait(`document.querySelector(".fault:not(:empty)")`) }},
	{"awaited-review", "/#review?unit=day&from=2026-12-01", func(tb *tab) { tb.wait(`document.querySelector(".drop")`) }},
	{"focus", "/#robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4", func(tb *tab) {
		tb.wait(`document.querySelector("#panel-robots .downloads a")`)
		tb.settle()
		tb.tabTo(`document.querySelector("#panel-robots input[type=range]")`)
	}},
	{"skip", "/#refresh", func(tb *tab) {
		tb.wait(`document.querySelector(".drop")`)
		tb.do(chromedp.KeyEvent(kb.Tab))
	}},
	{"print-model", "/#model?example=floor&step=2", func(tb *tab) {
		tb.wait(`document.querySelector(".steps[data-step='2']")`)
		tb.settle()
		_, err := chromedp.Call(tb.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		require.NoError(tb.t, err)
	}},
	{"print-robots", "/#robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4", func(tb *tab) {
		tb.wait(`document.querySelector("#panel-robots .downloads a")`)
		tb.settle()
		_, err := chromedp.Call(tb.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		require.NoError(tb.t, err)
	}},
}

func TestStates(t *testing.T) {
	address := serve(t)
	for name, l := range looks {
		if *pictures == "" && (name == "light" || name == "phone-dark") {
			continue // two looks have both sizes and both colours
		}
		for _, state := range states {
			if strings.HasPrefix(state.name, "print") && l.width < desktop.width {
				continue // paper is wider
			}
			t.Run(state.name+"-"+name, func(t *testing.T) {
				tb := open(t, address+state.address, l)
				state.act(tb)
				tb.settle()
				assert.LessOrEqual(t, eval[int64](tb, `document.documentElement.scrollWidth`), l.width, "the page is wider than the window")
				if axe, err := os.ReadFile(axePath); err == nil && !strings.HasPrefix(state.name, "fault") { // which greys the answers out
					assert.Empty(t, serious(tb, string(axe)))
				}
				if *pictures != "" {
					tb.picture(state.name + "-" + name)
				}
			})
		}
	}
}
