package report

// The file: the page with all that it loads.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
)

// loading matches the lines of the page that load a file.
var loading = regexp.MustCompile(`<(link rel="stylesheet" href|script src)="assets/([^"]+)">(</script>)?`)

// policy lets the file load nothing from anywhere.
const policy = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">`

// document returns the page with a report.
func document(report map[string]any) ([]byte, error) {
	page, err := serve.Asset("index.html")
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(report) // which writes "<" as \u003c
	if err != nil {
		return nil, err
	}
	const charset = `<meta charset="utf-8">`
	page = bytes.Replace(page, []byte(charset), []byte(charset+"\n"+policy), 1)
	page = loading.ReplaceAllFunc(page, func(line []byte) []byte {
		parts := loading.FindSubmatch(line)
		text, failed := serve.Asset(string(parts[2]))
		err = cmp.Or(err, failed)
		kind := "style"
		if len(parts[3]) > 0 {
			kind = "script"
		}
		return fmt.Appendf(nil, "<%s>\n%s\n</%s>", kind, text, kind)
	})
	return bytes.Replace(page, []byte("<!-- report -->"), fmt.Appendf(nil, `<script type="application/json" id="report">%s</script>`, data), 1), err
}
