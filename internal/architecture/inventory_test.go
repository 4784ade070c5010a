package architecture

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the list of packages in ARCHITECTURE.md")

// A package that needs more than this holds two ideas.
const (
	mostLines = 4000
	mostFiles = 35
)

// room is a package as ARCHITECTURE.md lists it: its folder, its one
// responsibility (the first sentence of its doc comment) and the size of its
// code without tests.
type room struct {
	folder, purpose string
	lines, files    int
}

// roomsOf lists the packages of the sources, by folder.
func roomsOf(sources []source) []room {
	var rooms []room
	for _, s := range sources {
		if s.test {
			continue
		}
		if len(rooms) == 0 || rooms[len(rooms)-1].folder != s.folder {
			i := slices.IndexFunc(rooms, func(r room) bool { return r.folder == s.folder })
			if i < 0 {
				rooms = append(rooms, room{folder: s.folder})
			} else { // a folder inside it came between two of its files
				rooms = append(append(rooms[:i:i], rooms[i+1:]...), rooms[i])
			}
		}
		r := &rooms[len(rooms)-1]
		r.files++
		r.lines += s.set.File(s.file.Pos()).LineCount()
		if s.file.Doc != nil && r.purpose == "" {
			r.purpose = purposeOf(s.file)
		}
	}
	slices.SortFunc(rooms, func(a, b room) int { return strings.Compare(a.folder, b.folder) })
	return rooms
}

// purposeOf returns the first sentence of a package comment without the words
// "Package name", or "Command name", before it.
func purposeOf(file *ast.File) string {
	synopsis := new(doc.Package).Synopsis(file.Doc.Text())
	words := strings.SplitN(synopsis, " ", 3)
	if len(words) == 3 && (words[0] == "Package" || words[0] == "Command") {
		synopsis = words[2]
	}
	return strings.TrimSuffix(synopsis, ".")
}

// row matches a line of the list of packages.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.*) \\| ([0-9,]+) \\| ([0-9]+) \\|$")

// thousands writes 12345 as 12,345.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func TestPackagesAreListed(t *testing.T) {
	const name = root + "/ARCHITECTURE.md"
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	rooms := roomsOf(moduleSources(t))
	if *update {
		var list strings.Builder
		for _, r := range rooms {
			fmt.Fprintf(&list, "| `%s` | %s | %s | %d |\n", r.folder, r.purpose, thousands(r.lines), r.files)
		}
		rows := row.FindAllIndex(page, -1)
		require.NotEmpty(t, rows, "ARCHITECTURE.md has no list of packages to rewrite")
		page = slices.Concat(page[:rows[0][0]], []byte(list.String()), bytes.TrimPrefix(page[rows[len(rows)-1][1]:], []byte("\n")))
		require.NoError(t, os.WriteFile(name, page, 0o644))
	}

	const again = "run: go test ./internal/architecture -update"
	listed := map[string]room{}
	for _, cells := range row.FindAllStringSubmatch(string(page), -1) {
		lines, err := strconv.Atoi(strings.ReplaceAll(cells[3], ",", ""))
		require.NoError(t, err)
		listed[cells[1]] = room{folder: cells[1], purpose: cells[2], lines: lines}
	}
	for _, r := range rooms {
		was, found := listed[r.folder]
		delete(listed, r.folder)
		if !assert.True(t, found, "ARCHITECTURE.md does not list %s; %s", r.folder, again) {
			continue
		}
		assert.NotEmpty(t, r.purpose, "package %s has no doc comment", r.folder)
		assert.Equal(t, r.purpose, was.purpose, "ARCHITECTURE.md says of %s something else than its doc comment; %s", r.folder, again)
		assert.InDelta(t, r.lines, was.lines, float64(r.lines)/10+50, "the size of %s in ARCHITECTURE.md is out of date; %s", r.folder, again)
	}
	assert.Empty(t, listed, "ARCHITECTURE.md lists packages that do not exist; %s", again)
}

// namedFile matches a file that ARCHITECTURE.md names, at least by the end of its path.
var namedFile = regexp.MustCompile("`([a-z0-9_./]+[.](?:go|js|css|c|html|json|md|py))`")

func TestFilesThatAreNamed(t *testing.T) {
	page, err := os.ReadFile(root + "/ARCHITECTURE.md")
	require.NoError(t, err)
	var files strings.Builder
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			fmt.Fprintf(&files, "/%s\n", path)
		}
		return err
	}))
	named := namedFile.FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(named), 100)
	for _, name := range named {
		assert.True(t, strings.Contains(files.String(), "/"+name[1]+"\n"), "ARCHITECTURE.md names %s, which is not there", name[1])
	}
}

func TestPackagesAreSmall(t *testing.T) {
	for _, r := range roomsOf(moduleSources(t)) {
		assert.LessOrEqual(t, r.lines, mostLines, "lines of %s", r.folder)
		assert.LessOrEqual(t, r.files, mostFiles, "files of %s", r.folder)
		if r.folder == "cmd/mdpsolve" {
			assert.LessOrEqual(t, r.lines, 25, "lines of main.go")
		}
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

func TestRooms(t *testing.T) {
	rooms := roomsOf(parse(t, map[string]string{
		"a/a.go":      "// Package a does one thing. It does it well.\npackage a\n",
		"a/b/c.go":    "package b\n",
		"a/d.go":      "package a\n\nvar x int\n",
		"a/d_test.go": "package a\n",
	}))
	assert.Equal(t, []room{{"a", "does one thing", 5, 2}, {"a/b", "", 1, 1}}, rooms)
}
