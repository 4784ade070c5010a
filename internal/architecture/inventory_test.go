package architecture

import (
	"go/ast"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostWords bounds ARCHITECTURE.md: a page to read at once.
const mostWords = 2000

// Each package says what it is for.
func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	says := map[string]bool{}
	for _, s := range moduleSources(t) {
		if !s.test {
			says[s.folder] = says[s.folder] || s.file.Doc != nil
		}
	}
	for folder, does := range says {
		assert.True(t, does, "package %s has no doc comment", folder)
	}
}

// CONTRIBUTING asks for an example of each exported type that programs can use: of those
// outside cmd and internal.
func TestExportedTypesHaveExamples(t *testing.T) {
	examples, types := map[string]bool{}, map[string]string{} // by folder and name of the type; types have their place
	for _, s := range moduleSources(t) {
		if strings.HasPrefix(s.folder, "cmd/") || slices.Contains(strings.Split(s.folder, "/"), "internal") {
			continue
		}
		for _, declaration := range s.file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if name, found := strings.CutPrefix(d.Name.Name, "Example"); s.test && found {
					name, _, _ = strings.Cut(name, "_")
					examples[s.folder+" "+name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.IsExported() && !s.test {
						types[s.folder+" "+spec.Name.Name] = s.place(spec)
					}
				}
			}
		}
	}
	require.Greater(t, len(types), 100)
	for name, place := range types {
		assert.True(t, examples[name], "%s: %s has no example", place, name)
	}
}

// namedFile matches a file that ARCHITECTURE.md names, at least by the end of its path.
var namedFile = regexp.MustCompile("`([a-z0-9_./]+[.](?:go|js|css|c|html|json|md|py))`")

func TestFilesThatAreNamed(t *testing.T) {
	page, err := os.ReadFile(root + "/ARCHITECTURE.md")
	require.NoError(t, err)
	var files []string
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, "/"+path)
		}
		return err
	}))
	assert.LessOrEqual(t, len(strings.Fields(string(page))), mostWords, "words of ARCHITECTURE.md")
	named := namedFile.FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(named), 40)
	for _, name := range named {
		there := slices.ContainsFunc(files, func(path string) bool { return strings.HasSuffix(path, "/"+name[1]) })
		assert.True(t, there, "ARCHITECTURE.md names %s, which is not there", name[1])
	}
}

// The first comment of a file says what the file is: it stands above the package
// clause, below it, or on the first declaration.
func TestFilesSayWhatTheyAre(t *testing.T) {
	for _, s := range moduleSources(t) {
		if !s.test {
			assert.True(t, s.saysWhatItIs(), "%s: neither the file nor its first declaration has a comment", s.name)
		}
	}
}

func (s source) saysWhatItIs() bool {
	end := s.file.End()
	for _, declaration := range s.file.Decls {
		if general, ok := declaration.(*ast.GenDecl); ok && len(general.Specs) > 0 {
			if _, imports := general.Specs[0].(*ast.ImportSpec); imports {
				continue
			}
		}
		end = declaration.Pos() // with a doc comment, that comes before
		break
	}
	for _, comment := range s.file.Comments {
		if comment.Pos() < end && strings.TrimSpace(comment.Text()) != "" { // Text leaves out directives
			return true
		}
	}
	return false
}

func TestWhatFilesSay(t *testing.T) {
	for text, says := range map[string]bool{
		"package a\n\nimport \"fmt\"\n\nfunc f() { fmt.Sprint() }":         false,
		"// Package a is.\npackage a":                                      true,
		"//go:build amd64\n\npackage a\n\nvar x int":                       false,
		"package a\n\n// x is.\nvar x int":                                 true,
		"package a\n\n// This file is.\n\nimport \"fmt\"\n\nvar x = fmt.X": true,
		"package a\n\nvar x int\n\n// y is.\nvar y int":                    false,
	} {
		assert.Equal(t, says, parse(t, map[string]string{"a/a.go": text})[0].saysWhatItIs(), text)
	}
}

// refused matches the words that a row of the glossary in CONTRIBUTING.md refuses.
var refused = regexp.MustCompile(`(?m)^\| .*; not ([a-z, ]+) \|$`)

// wordInName matches a word of a name such as withNature.
var wordInName = regexp.MustCompile(`[A-Z]?[a-z]+`)

// What the glossary calls by one word has no other in the names that package mdp and those below
// it declare.
func TestNamesHoldToTheGlossary(t *testing.T) {
	page, err := os.ReadFile(root + "/CONTRIBUTING.md")
	require.NoError(t, err)
	var words []string
	for _, row := range refused.FindAllStringSubmatch(string(page), -1) {
		words = append(words, strings.Split(row[1], ", ")...)
	}
	require.GreaterOrEqual(t, len(words), 4)
	for _, s := range moduleSources(t) {
		if s.test || s.folder != "mdp" && !strings.HasPrefix(s.folder, "mdp/") {
			continue
		}
		after := map[*ast.Ident]bool{} // a dot: names that others may have declared
		ast.Inspect(s.file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.SelectorExpr:
				after[n.Sel] = true
			case *ast.Ident:
				for _, word := range wordInName.FindAllString(n.Name, -1) {
					word = strings.TrimSuffix(strings.ToLower(word), "s")
					assert.False(t, !after[n] && slices.Contains(words, word), "%s: %s", s.place(n), n.Name)
				}
			}
			return true
		})
	}
}
