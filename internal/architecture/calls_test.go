package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// libraryCalls are the functions that only commands and tests may use; "*"
// stands for all of a package.
var libraryCalls = map[string]struct {
	names []string
	why   string
}{
	"fmt": {[]string{"Print", "Printf", "Println"}, "a library returns what it has to say, or writes to an io.Writer it was given"},
	"os":  {[]string{"Exit"}, "a library returns errors"},
	"log": {[]string{"*"}, "a library returns errors, and progress through a recorder"},
}

// seeded are the names of math/rand and math/rand/v2 that do not use the
// global source.
var seeded = map[string]bool{
	"New": true, "NewSource": true, "NewPCG": true, "NewChaCha8": true, "NewZipf": true,
	"Rand": true, "Source": true, "Source64": true, "PCG": true, "ChaCha8": true, "Zipf": true,
}

// checkCalls returns a line for each forbidden call outside tests.
func checkCalls(sources []source) []string {
	var faults []string
	for _, s := range sources {
		if s.test {
			continue
		}
		library := !holds("cmd/…", s.folder)
		ast.Inspect(s.file, func(node ast.Node) bool {
			var fault string
			switch node := node.(type) {
			case *ast.SelectorExpr:
				fault = s.checkSelector(node, library)
			case *ast.CallExpr:
				if library {
					fault = s.checkBuiltin(node)
				}
			}
			if fault != "" {
				faults = append(faults, s.place(node)+": "+fault)
			}
			return true
		})
	}
	return faults
}

// checkSelector checks package.Name.
func (s source) checkSelector(selector *ast.SelectorExpr, library bool) string {
	qualifier, ok := selector.X.(*ast.Ident)
	if !ok {
		return ""
	}
	name := selector.Sel.Name
	for _, imported := range []string{"math/rand", "math/rand/v2"} {
		if qualifier.Name == s.nameOf(imported) && !seeded[name] {
			return fmt.Sprintf("%s.%s draws from the global source: take a *rand.Rand, so that runs can be repeated", imported, name)
		}
	}
	if !library {
		return ""
	}
	for imported, forbidden := range libraryCalls {
		if qualifier.Name != s.nameOf(imported) {
			continue
		}
		for _, function := range forbidden.names {
			if function == "*" || function == name {
				return fmt.Sprintf("%s.%s outside cmd: %s", imported, name, forbidden.why)
			}
		}
	}
	return ""
}

// checkBuiltin checks print, println and panic.
func (s source) checkBuiltin(call *ast.CallExpr) string {
	function, ok := call.Fun.(*ast.Ident)
	if !ok {
		return ""
	}
	switch function.Name {
	case "print", "println":
		return function.Name + " outside cmd"
	case "panic":
		message, found := leadingText(call)
		if prefix := s.packageName() + ": "; found && !strings.HasPrefix(message, prefix) {
			return fmt.Sprintf("the message of a panic begins with %q, not %q", prefix, message)
		}
	}
	return ""
}

// leadingText returns the string literal with which the first argument of a
// call begins: the argument itself, the left end of a concatenation, or the
// format of a call such as fmt.Sprintf.
func leadingText(call *ast.CallExpr) (string, bool) {
	if len(call.Args) == 0 {
		return "", false
	}
	argument := call.Args[0]
	for {
		switch x := argument.(type) {
		case *ast.BinaryExpr:
			argument = x.X
		case *ast.ParenExpr:
			argument = x.X
		case *ast.CallExpr:
			return leadingText(x)
		case *ast.BasicLit:
			if x.Kind != token.STRING {
				return "", false
			}
			text, err := strconv.Unquote(x.Value)
			return text, err == nil
		default:
			return "", false
		}
	}
}
