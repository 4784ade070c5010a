package architecture

import (
	"fmt"
	"slices"
	"strings"
)

const module = "github.com/mdpsolve/mdpsolve"

// layer says what the packages of a folder and of the folders below it may
// import from this module, besides internal/… and their own folder.
type layer struct {
	folder   string
	imports  []string // folders; "x/…" is x and all below it
	inTests  []string // more folders, for _test.go files only
	modules  []string // other modules besides those of the core
	anything bool     // may use any other module
}

// layers are searched from the top: the first that holds a folder counts.
var layers = []layer{
	{folder: "internal/urlhost", modules: []string{"golang.org/x/net/idna", "golang.org/x/net/publicsuffix"}},
	{folder: "internal/…"},

	{folder: "mdp", imports: []string{"mdp/internal/…"}, inTests: []string{"mdp/mdptest", "mdp/exact"}},
	{folder: "mdp/internal/…", imports: []string{"mdp/internal/…"}},
	{folder: "mdp/exact", imports: []string{"mdp", "mdp/internal/…"}, inTests: []string{"mdp/mdptest"}},
	{folder: "mdp/modelfile/…", imports: []string{"mdp", "mdp/exact", "mdp/modelfile/…"}, inTests: []string{"mdp/mdptest"}},
	{folder: "mdp/question", imports: []string{"mdp", "mdp/exact", "mdp/modelfile/…"}},
	{folder: "mdp/answer", imports: []string{"mdp", "mdp/simulate", "mdp/exact", "mdp/modelfile/…", "mdp/question", "mdp/certificate"}},
	{folder: "mdp/certificate", imports: []string{"mdp", "mdp/exact", "mdp/modelfile/…", "mdp/question"}, inTests: []string{"mdp/mdptest"}},
	{folder: "mdp/mdptest", imports: []string{"mdp"}},
	{folder: "mdp/mdptest/catalogue", imports: []string{"mdp", "mdp/exact"}, inTests: []string{"mdp/mdptest"}},
	{folder: "mdp/rules"},
	{folder: "mdp/simulate", imports: []string{"mdp"}},
	{folder: "mdp/textbook", imports: []string{"mdp"}, inTests: []string{"mdp/mdptest"}},

	{folder: "queue/…"},
	{folder: "docs", inTests: library},

	{folder: "models/static", imports: []string{"queue"}, inTests: []string{"testdata"}},
	{folder: "models/robots/internal/…", imports: []string{"queue"}},
	{
		folder: "models/robots/simulator", imports: []string{"mdp", "mdp/simulate", "queue", "models/robots", "models/robots/internal/…", "models/robots/controller"},
		inTests: []string{"mdp/…", "models/robots/…"},
	},
	{
		folder: "models/robots/…", imports: []string{"mdp", "queue", "models/static", "models/robots", "models/robots/internal/…"},
		inTests: []string{"mdp/…", "testdata", "models/robots/…"},
	},
	{folder: "models/refresh", imports: []string{"mdp", "queue", "models/refresh/internal/…"}, inTests: []string{"models/refresh/…"}},
	{folder: "models/refresh/internal/…", imports: []string{"models/refresh/internal/…"}},
	{
		folder: "models/refresh/pagefile", imports: []string{"models/refresh/…"},
		modules: []string{"github.com/parquet-go/parquet-go", "github.com/klauspost/compress", "golang.org/x/text/encoding"},
	},
	{
		folder: "models/refresh/store", imports: []string{"models/refresh", "models/refresh/estimate", "models/refresh/limits", "models/refresh/rates", "models/refresh/sequence"},
		modules: []string{"go.etcd.io/bbolt"},
	},
	{folder: "models/refresh/…", imports: []string{"queue", "models/refresh/…"}},

	{folder: "cmd/mdpsolve/internal/ui", imports: []string{"mdp", "queue"}, anything: true},
	{folder: "cmd/mdpsolve/internal/grid", imports: append([]string{"cmd/mdpsolve/internal/ui"}, library...), anything: true},
	{folder: "cmd/mdpsolve/internal/figure", imports: append([]string{"cmd/mdpsolve/internal/ui", "cmd/mdpsolve/internal/grid"}, library...), anything: true},
	{folder: "cmd/mdpsolve/internal/lists", imports: append([]string{"cmd/mdpsolve/internal/ui"}, library...), anything: true},
	{folder: "cmd/mdpsolve/app", imports: []string{"cmd/mdpsolve/internal/…"}, anything: true},
	{folder: "cmd/mdpsolve/internal/report", imports: append([]string{"cmd/mdpsolve/internal/ui", "cmd/mdpsolve/internal/serve"}, library...), anything: true},
	{folder: "cmd/mdpsolve/internal/frontier", imports: append([]string{"cmd/mdpsolve/internal/ui", "cmd/mdpsolve/internal/lists", "cmd/mdpsolve/internal/frontier/urlfrontier"}, library...), anything: true},
	{folder: "cmd/mdpsolve/internal/serve", imports: append([]string{"cmd/mdpsolve/internal/ui", "docs"}, library...), anything: true},
	{folder: "cmd/mdpsolve/internal/…", imports: append([]string{"cmd/mdpsolve/internal/ui", "cmd/mdpsolve/internal/grid", "cmd/mdpsolve/internal/figure", "cmd/mdpsolve/internal/lists"}, library...), anything: true},
	{folder: "cmd/…", imports: append([]string{"cmd/mdpsolve/app", "cmd/mdpsolve/internal/…"}, library...), anything: true},
	{folder: "bench/…", imports: library, anything: true},
}

// library is all that commands and benchmarks may build on.
var library = []string{"mdp/…", "queue/…", "models/…", "testdata"}

// coreModules are the modules that packages outside cmd and bench may use in
// code that is not a test. x/sys/cpu tells which instructions a processor has.
var coreModules = []string{"gonum.org/v1/gonum", "github.com/sourcegraph/conc", "golang.org/x/sys/cpu"}

// checkImports returns a line for each import against the direction.
func checkImports(sources []source) []string {
	var faults []string
	for _, s := range sources {
		layer, found := layerOf(s.folder)
		if !found {
			faults = append(faults, fmt.Sprintf("%s: folder %s has no layer: give it one in internal/architecture/imports_test.go", s.name, s.folder))
			continue
		}
		for imported, place := range s.imports() {
			if why := layer.forbids(s, imported); why != "" {
				faults = append(faults, fmt.Sprintf("%s: %s may not import %s: %s", place, s.folder, imported, why))
			}
		}
	}
	return faults
}

func layerOf(folder string) (layer, bool) {
	for _, l := range layers {
		if holds(l.folder, folder) {
			return l, true
		}
	}
	return layer{}, false
}

// forbids returns why the file may not import a package, "" if it may.
func (l layer) forbids(s source, imported string) string {
	folder, inside := strings.CutPrefix(imported, module+"/")
	if !inside {
		return l.forbidsModule(s, imported)
	}
	if holds("mdp/mdptest/…", folder) && !s.test {
		return "it is for tests"
	}
	allowed := append([]string{"internal/…", s.folder}, l.imports...)
	if s.test {
		allowed = append(allowed, l.inTests...)
	}
	for _, pattern := range allowed {
		if holds(pattern, folder) {
			return ""
		}
	}
	return "of this module it may import " + strings.Join(allowed, ", ")
}

func (l layer) forbidsModule(s source, imported string) string {
	first, _, _ := strings.Cut(imported, "/")
	standard := !strings.Contains(first, ".")
	if standard || l.anything || s.test {
		return ""
	}
	allowed := append(slices.Clone(coreModules), l.modules...)
	for _, name := range allowed {
		if holds(name+"/…", imported) {
			return ""
		}
	}
	return "of other modules it may import " + strings.Join(allowed, ", ")
}

// holds reports whether pattern, a folder or "folder/…", covers folder.
func holds(pattern, folder string) bool {
	base, below := strings.CutSuffix(pattern, "/…")
	return folder == base || below && strings.HasPrefix(folder, base+"/")
}
