package browser

// Accessibility: axe-core on every view, in light and dark, and on a phone, where the page
// must not be wider than the window.

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const axePath = "node_modules/axe-core/axe.min.js"

// axeCore is the script of the checker.
func axeCore(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(axePath)
	if err != nil {
		t.Skip("there is no axe-core in node_modules: browser/run installs it")
	}
	return string(script)
}

// axe-core finds a field without a label, and pale text.
func TestUnaccessiblePagesAreNoticed(t *testing.T) {
	axe := axeCore(t)
	tb := blank(t, desktop)
	tb.do(chromedp.Navigate(`data:text/html,<!doctype html><html lang="en"><title>A page</title>` +
		`<main><h1>A page</h1><p style="color:lightgrey">pale</p><input></main>`))
	var found []string
	for _, v := range serious(tb, axe) {
		found = append(found, v.ID)
	}
	assert.ElementsMatch(t, []string{"color-contrast", "label"}, found)
}

// violation is a finding of axe-core.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

func TestAccessibility(t *testing.T) {
	axe := axeCore(t)
	address := serve(t)
	for name, l := range looks {
		for _, view := range views {
			t.Run(view.name+"-"+name, func(t *testing.T) {
				tb := open(t, address+"/#"+view.fragment, l)
				tb.wait(view.ready)
				tb.settle()
				assert.Empty(t, serious(tb, axe))
				assert.LessOrEqual(t, eval[int64](tb, `document.documentElement.scrollWidth`), l.width, "the page is wider than the window")
			})
		}
	}
}

// serious returns the serious and critical findings of axe-core.
func serious(tb *tab, axe string) []violation {
	tb.t.Helper()
	tb.do(chromedp.Evaluate[chromedp.Void](axe + "\n;undefined"))
	type result struct {
		Violations []violation
		Passes     []struct{ ID string }
	}
	r := eval[result](tb, `axe.run(document, {resultTypes: ["violations"]})`)
	require.Greater(tb.t, len(r.Passes), 10, "axe-core has looked at the page")
	var found []violation
	for _, v := range r.Violations {
		if v.Impact == "serious" || v.Impact == "critical" {
			found = append(found, v)
		}
	}
	return found
}
