package architecture

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the module's root as seen from this package.
const root = "../.."

func moduleSources(t *testing.T) []source {
	t.Helper()
	text, err := os.ReadFile(root + "/go.mod")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "module "+module+"\n"), "the module is not named %s", module)
	sources, err := readSources(os.DirFS(root))
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(sources, func(s source) bool { return s.folder == "mdp" }), "the tree was not read")
	return sources
}

func report(t *testing.T, faults []string) {
	t.Helper()
	slices.Sort(faults)
	for _, fault := range faults {
		t.Error(fault)
	}
}

func TestImportsPointInOneDirection(t *testing.T) {
	report(t, checkImports(moduleSources(t)))
}

func TestLibrariesStayQuietAndRepeatable(t *testing.T) {
	report(t, checkCalls(moduleSources(t)))
}

// parse reads a tree of files given by name and text.
func parse(t *testing.T, files map[string]string) []source {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	sources, err := readSources(tree)
	require.NoError(t, err)
	return sources
}

func TestImportRules(t *testing.T) {
	const own = module + "/"
	for _, test := range []struct {
		file, imported string
		allowed        bool
	}{
		{"mdp/a.go", own + "internal/parallel", true},
		{"mdp/a.go", own + "queue", false},
		{"mdp/a_test.go", own + "queue", false},
		{"mdp/a.go", own + "mdp/mdptest", false},
		{"mdp/a_test.go", own + "mdp/mdptest", true},
		{"bench/a.go", own + "mdp/mdptest/catalogue", false},
		{"bench/a_test.go", own + "mdp/mdptest/catalogue", true},
		{"mdp/a_test.go", own + "mdp", true},
		{"mdp/a_test.go", own + "models/robots", false},
		{"mdp/modelfile/a.go", own + "mdp", true},
		{"mdp/modelfile/a.go", own + "mdp/mdptest", false},
		{"mdp/mdptest/a.go", own + "mdp", true},
		{"mdp/mdptest/a.go", own + "queue", false},
		{"queue/a.go", own + "mdp", false},
		{"queue/a.go", own + "internal/doubledouble", true},
		{"models/static/a.go", own + "queue", true},
		{"models/static/a.go", own + "models/robots", false},
		{"models/robots/a.go", own + "models/static", true},
		{"models/robots/a.go", own + "mdp", true},
		{"models/robots/a.go", own + "mdp/modelfile", false},
		{"models/robots/a_test.go", own + "mdp/mdptest", true},
		{"models/robots/a.go", own + "cmd/mdpsolve", false},
		{"models/refresh/a.go", own + "models/robots", false},
		{"models/refresh/a.go", own + "models/refresh/pagefile", false},
		{"models/refresh/a.go", "github.com/parquet-go/parquet-go", false},
		{"models/refresh/pagefile/a.go", own + "models/refresh", true},
		{"models/refresh/pagefile/a.go", own + "mdp", false},
		{"models/refresh/pagefile/a.go", "github.com/parquet-go/parquet-go/format", true},
		{"models/refresh/pagefile/a.go", "github.com/klauspost/compress/zstd", true},
		{"models/refresh/pagefile/a.go", "github.com/urfave/cli/v2", false},
		{"internal/parallel/a.go", own + "mdp", false},
		{"internal/parallel/a.go", own + "internal/doubledouble", true},
		{"mdp/a.go", own + "mdp/internal/rows", true},
		{"mdp/internal/rows/a.go", own + "mdp", false},
		{"mdp/modelfile/a.go", own + "mdp/internal/rows", false},
		{"models/robots/a.go", own + "models/robots/simulator", false},
		{"models/robots/simulator/a.go", own + "models/robots/controller", true},
		{"models/robots/controller/a.go", own + "models/robots/simulator", false},
		{"models/refresh/a.go", own + "models/refresh/sequence", false},
		{"models/refresh/sequence/a.go", own + "models/refresh", true},
		{"models/refresh/sequence/a.go", own + "mdp", false},
		{"cmd/mdpsolve/internal/robots/a.go", own + "cmd/mdpsolve/internal/ui", true},
		{"cmd/mdpsolve/internal/robots/a.go", own + "cmd/mdpsolve/internal/figure", true},
		{"cmd/mdpsolve/internal/figure/a.go", own + "cmd/mdpsolve/internal/ui", true},
		{"cmd/mdpsolve/internal/store/a.go", own + "cmd/mdpsolve/internal/lists", true},
		{"cmd/mdpsolve/internal/lists/a.go", own + "cmd/mdpsolve/internal/store", false},
		{"cmd/mdpsolve/internal/ui/a.go", own + "cmd/mdpsolve/internal/figure", false},
		{"cmd/mdpsolve/internal/robots/a.go", own + "cmd/mdpsolve/internal/refresh", false},
		{"cmd/mdpsolve/internal/ui/a.go", own + "cmd/mdpsolve/internal/robots", false},
		{"cmd/mdpsolve/a.go", own + "cmd/mdpsolve/internal/robots", true},
		{"cmd/mdpsolve/a.go", own + "models/robots", true},
		{"cmd/mdpsolve/a.go", own + "bench", false},
		{"bench/a_test.go", own + "models/static", true},
		{"bench/a_test.go", own + "cmd/mdpsolve", false},
		{"mdpx/a.go", "fmt", false}, // no layer
		{"a.go", "fmt", false},      // no layer

		{"mdp/a.go", "math/rand/v2", true},
		{"mdp/a.go", "gonum.org/v1/gonum/mat", true},
		{"mdp/a.go", "github.com/sourcegraph/conc", true},
		{"mdp/a.go", "github.com/urfave/cli/v2", false},
		{"mdp/mdptest/a.go", "github.com/stretchr/testify/assert", false},
		{"mdp/a_test.go", "github.com/stretchr/testify/assert", true},
		{"cmd/mdpsolve/a.go", "github.com/urfave/cli/v2", true},
	} {
		faults := checkImports(parse(t, map[string]string{
			test.file: "package a\n\nimport _ \"" + test.imported + "\"\n",
		}))
		if test.allowed {
			assert.Empty(t, faults, "%s imports %s", test.file, test.imported)
			continue
		}
		if assert.Len(t, faults, 1, "%s imports %s", test.file, test.imported) {
			assert.Contains(t, faults[0], test.file)
		}
	}
}

func TestCallRules(t *testing.T) {
	for _, test := range []struct {
		file, imported, statement string
		allowed                   bool
	}{
		{"mdp/a.go", `"fmt"`, `fmt.Println()`, false},
		{"mdp/a.go", `text "fmt"`, `text.Printf("")`, false},
		{"mdp/a.go", `"fmt"`, `_ = fmt.Sprint()`, true},
		{"mdp/a_test.go", `"fmt"`, `fmt.Println()`, true},
		{"cmd/mdpsolve/a.go", `"fmt"`, `fmt.Println()`, true},
		{"queue/a.go", `"os"`, `os.Exit(1)`, false},
		{"cmd/mdpsolve/a.go", `"os"`, `os.Exit(1)`, true},
		{"models/robots/a.go", `"log"`, `log.Print()`, false},
		{"mdp/a.go", `"fmt"`, `println(fmt.Sprint())`, false},
		{"mdp/a.go", `"math/rand"`, `rand.Seed(1)`, false},
		{"mdp/a.go", `"math/rand/v2"`, `_ = rand.Float64()`, false},
		{"cmd/mdpsolve/a.go", `"math/rand/v2"`, `_ = rand.IntN(2)`, false},
		{"mdp/a.go", `"math/rand/v2"`, `_ = rand.New(rand.NewPCG(1, 2)).Float64()`, true},
		{"mdp/a_test.go", `"math/rand/v2"`, `_ = rand.Float64()`, true},
		{"mdp/a.go", `"fmt"`, `panic("mdp: no states")`, true},
		{"mdp/a.go", `"fmt"`, `panic("no states")`, false},
		{"mdp/a.go", `"fmt"`, `panic("mdp" + "no states")`, false},
		{"mdp/a.go", `"fmt"`, `panic(fmt.Sprintf("no %d states", 3))`, false},
		{"mdp/a.go", `"fmt"`, `panic(fmt.Sprintf("mdp: no %d states", 3))`, true},
		{"mdp/a.go", `"fmt"`, `panic(fmt.Errorf("%w", nil))`, false},
		{"mdp/a.go", `"errors"`, `panic(errors.ErrUnsupported)`, true},
	} {
		faults := checkCalls(parse(t, map[string]string{
			test.file: "package mdp\n\nimport " + test.imported + "\n\nfunc f() {\n\t" + test.statement + "\n}\n",
		}))
		if test.allowed {
			assert.Empty(t, faults, "%s: %s", test.file, test.statement)
			continue
		}
		if assert.Len(t, faults, 1, "%s: %s", test.file, test.statement) {
			assert.Contains(t, faults[0], test.file+":6: ")
		}
	}
}

func TestWhatIsRead(t *testing.T) {
	sources := parse(t, map[string]string{
		"mdp/a.go":            "package mdp",
		"mdp/testdata/b.go":   "not Go",
		".hidden/c.go":        "not Go",
		"_scratch/d.go":       "not Go",
		"tools/go.mod":        "module tools",
		"tools/e.go":          "not Go",
		"queue/deep/er/f.go":  "package er",
		"queue/deep/er/g.txt": "not Go",
	})
	var names []string
	for _, s := range sources {
		names = append(names, s.name)
	}
	assert.ElementsMatch(t, []string{"mdp/a.go", "queue/deep/er/f.go"}, names)
}
