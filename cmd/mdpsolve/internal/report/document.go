package report

// The file: the page's own, with all that it loads put into it.

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
)

// Lines of the page that load something, and the place of what a report is about.
var (
	styles  = regexp.MustCompile(`<link rel="stylesheet" href="assets/([^"]+)">`)
	scripts = regexp.MustCompile(`<script src="assets/([^"]+)"></script>`)
	place   = regexp.MustCompile(`<!-- report -->`)
	charset = regexp.MustCompile(`<meta charset="utf-8">`)
)

// policy lets the file load nothing from anywhere.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">`

// document returns the page with what it is to report.
func document(report map[string]any) ([]byte, error) {
	page, err := serve.Asset("index.html")
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(report) // which writes "<" as \u003c
	if err != nil {
		return nil, err
	}
	replace := func(what *regexp.Regexp, by func(name string) ([]byte, error)) {
		page = what.ReplaceAllFunc(page, func(line []byte) []byte {
			name := ""
			if parts := what.FindSubmatch(line); len(parts) > 1 {
				name = string(parts[1])
			}
			text, failed := by(name)
			if failed != nil {
				err = failed
			}
			return text
		})
	}
	file := func(begin, end string) func(string) ([]byte, error) {
		return func(name string) ([]byte, error) {
			text, err := serve.Asset(name)
			return fmt.Appendf(nil, "%s\n%s\n%s", begin, text, end), err
		}
	}
	replace(place, func(string) ([]byte, error) {
		return fmt.Appendf(nil, `<script type="application/json" id="report">%s</script>`, data), nil
	})
	replace(charset, func(string) ([]byte, error) { return []byte(`<meta charset="utf-8">` + "\n" + policy), nil })
	replace(styles, file("<style>", "</style>"))
	replace(scripts, file("<script>", "</script>"))
	return page, err
}
