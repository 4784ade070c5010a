package serve

// The page's files, which are part of the program.

import (
	"embed"
	"net/http"
	"path"
)

//go:embed assets/*.*
var assets embed.FS

// Asset returns a file of the page.
func Asset(name string) ([]byte, error) { return assets.ReadFile("assets/" + name) }

// contentTypes are the media types of files by extension; the system's own may differ.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".txt":  "text/plain; charset=utf-8",
	".csv":  "text/csv; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".pdf":  "application/pdf",
	".drn":  "text/plain; charset=utf-8",
}

// page answers with a file of the page.
func page(w http.ResponseWriter, r *http.Request, name string) {
	content, err := Asset(name)
	if err != nil {
		refuse(w, missing(r))
		return
	}
	w.Header().Set("Content-Type", contentTypes[path.Ext(name)])
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(content) // a client that has left needs no answer
}
