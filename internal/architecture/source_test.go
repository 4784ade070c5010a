package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// source is one parsed Go file of the module.
type source struct {
	name   string // slash-separated, relative to the root of the module
	folder string // "." for the root
	test   bool
	file   *ast.File
	set    *token.FileSet
}

// place names a position as file:line.
func (s source) place(node ast.Node) string {
	return fmt.Sprintf("%s:%d", s.name, s.set.Position(node.Pos()).Line)
}

// packageName is the name of the package, that of an external test being the
// one of the package it tests.
func (s source) packageName() string {
	return strings.TrimSuffix(s.file.Name.Name, "_test")
}

// imports returns the import paths of the file with the place of each.
func (s source) imports() map[string]string {
	places := map[string]string{}
	for _, spec := range s.file.Imports {
		places[importPath(spec)] = s.place(spec)
	}
	return places
}

// nameOf returns the name under which the file imports a package, "" if it does not.
func (s source) nameOf(imported string) string {
	for _, spec := range s.file.Imports {
		if importPath(spec) != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		base := path.Base(imported)
		if strings.HasPrefix(base, "v") && len(base) == 2 { // math/rand/v2
			base = path.Base(path.Dir(imported))
		}
		return base
	}
	return ""
}

func importPath(spec *ast.ImportSpec) string {
	unquoted, err := strconv.Unquote(spec.Path.Value)
	if err != nil { // the parser has checked it
		panic("architecture: import path " + spec.Path.Value)
	}
	return unquoted
}

// readSources parses every Go file of the module at the root of tree. Nested
// modules, testdata and folders whose names begin with "." or "_" are left
// out, as the go command does.
func readSources(tree fs.FS) ([]source, error) {
	var sources []source
	set := token.NewFileSet()
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && isOutside(tree, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		sources = append(sources, source{
			name:   name,
			folder: path.Dir(name),
			test:   strings.HasSuffix(name, "_test.go"),
			file:   file,
			set:    set,
		})
		return nil
	})
	return sources, err
}

func isOutside(tree fs.FS, folder string) bool {
	base := path.Base(folder)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := fs.Stat(tree, path.Join(folder, "go.mod"))
	return err == nil
}
