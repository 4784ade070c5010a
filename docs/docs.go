// Package docs holds the guides, for mdpsolve serve.
package docs

import "embed"

// Files are the guides and their pictures.
//
//go:embed *.md *.svg
var Files embed.FS
