package serve

// The guides, as pages for the browser.

import (
	"bytes"
	"html"
	"net/http"
	"path"
	"strings"

	"github.com/russross/blackfriday/v2"

	"github.com/mdpsolve/mdpsolve/docs"
)

// guide answers with a guide.
func guide(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, err := docs.Files.ReadFile(name)
	if err != nil {
		refuse(w, missing(r))
		return
	}
	kind := path.Ext(name)
	if kind == ".md" {
		content, kind = guidePage(content), ".html"
	}
	w.Header().Set("Content-Type", contentTypes[kind])
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(content) // a client that has left needs no answer
}

// guidePage returns a guide in Markdown as a page.
func guidePage(text []byte) []byte {
	title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
	body := blackfriday.Run(text,
		blackfriday.WithExtensions(blackfriday.CommonExtensions|blackfriday.AutoHeadingIDs),
		blackfriday.WithRenderer(blackfriday.NewHTMLRenderer(blackfriday.HTMLRendererParameters{}))) // without typographic hyphens: flags have two
	body = bytes.ReplaceAll(body, []byte("<pre>"), []byte(`<pre tabindex="0">`)) // the keyboard scrolls it
	return []byte(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>` + html.EscapeString(title) + `</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../assets/page.css">
</head>
<body class="guide">
<p><a href="../">mdpsolve</a></p>
<main>
` + string(body) + `</main>
</body>
</html>
`)
}
