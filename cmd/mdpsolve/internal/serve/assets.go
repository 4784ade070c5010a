package serve

// The page's files, which are part of the program.

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed assets/*.*
var assets embed.FS

// Asset returns a file of the page.
func Asset(name string) ([]byte, error) { return assets.ReadFile("assets/" + name) }

// asset is a file of the page as it is sent.
type asset struct {
	plain, packed []byte
	kind, tag     string
}

// loadAssets reads the files of the page, by name.
var loadAssets = sync.OnceValue(func() map[string]asset {
	loaded := map[string]asset{}
	entries, err := assets.ReadDir("assets")
	if err != nil {
		panic("serve: " + err.Error()) // they are part of the program
	}
	for _, entry := range entries {
		content, err := Asset(entry.Name())
		if err != nil {
			panic("serve: " + err.Error())
		}
		sum := sha256.Sum256(content)
		loaded[entry.Name()] = asset{content, pack(content), contentTypes[path.Ext(entry.Name())], `"` + hex.EncodeToString(sum[:8]) + `"`}
	}
	return loaded
})

// contentTypes are the media types of files, by the ends of their names.
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
	".ico":  "image/x-icon",
}

// page answers with a file of the page. Browsers keep it, and ask whether it is still
// the same.
func page(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, found := loadAssets()[name]
		if !found {
			refuse(w, missing(r))
			return
		}
		h := w.Header()
		h.Set("Content-Type", file.kind)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", file.tag)
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("If-None-Match"), file.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		send(w, r, file.plain, file.packed)
	})
}
