package main

// What the command is made of: a bill of materials, and the licences.

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A component in CycloneDX.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

func newComponent(kind, scheme, name, version string) component {
	purl := "pkg:" + scheme + "/" + name + "@" + version
	return component{kind, purl, name, version, purl}
}

// uPlot draws the lines of the page that the command serves. It is among its files, and
// so not among its modules.
var uPlot = newComponent("library", "npm", "uplot", "1.6.32")

// billOfMaterials lists in CycloneDX what a program is made of, as the program says.
func billOfMaterials(program, version string, at time.Time) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	components := []component{newComponent("library", "golang", "std", strings.TrimPrefix(info.GoVersion, "go")), uPlot}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, newComponent("library", "golang", module.Path, module.Version))
	}
	bill := map[string]any{
		"$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{
			"timestamp": at.Format(time.RFC3339),
			"component": newComponent("application", "golang", info.Main.Path, version),
		},
		"components": components,
	}
	text, err := json.MarshalIndent(bill, "", "  ")
	return append(text, '\n'), err
}

var licenceName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents|ofl)`)

// otherLicences returns the licences of Go, of the modules that a program is made of, and
// of uPlot.
func otherLicences(ctx context.Context, root, program string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	all.WriteString("The licences of what mdpsolve is made of beside its own code.\n")
	goRoot, err := output(ctx, root, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if err := addLicence(&all, "Go "+strings.TrimPrefix(info.GoVersion, "go")+": LICENSE", filepath.Join(strings.TrimSpace(string(goRoot)), "LICENSE")); err != nil {
		return nil, err
	}
	if err := addLicence(&all, "uPlot "+uPlot.Version+": LICENSE", filepath.Join(root, "cmd", command, "internal", "serve", "assets", "uPlot.LICENSE.txt")); err != nil {
		return nil, err
	}
	for _, module := range info.Deps {
		folder, err := output(ctx, root, "go", "list", "-m", "-f", "{{.Dir}}", module.Path)
		if err != nil {
			return nil, err
		}
		dir := strings.TrimSpace(string(folder))
		found, err := licenceFiles(dir)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("no licence found of %s", module.Path)
		}
		for _, name := range found {
			within, err := filepath.Rel(dir, name)
			if err != nil {
				return nil, err
			}
			if err := addLicence(&all, module.Path+" "+module.Version+": "+filepath.ToSlash(within), name); err != nil {
				return nil, err
			}
		}
	}
	return all.Bytes(), nil
}

// licenceFiles returns the files with licences in the folder of a module. Those of test
// data and of commands are not in our program.
func licenceFiles(folder string) (found []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "cmd"):
			return fs.SkipDir
		case entry.Type().IsRegular() && (licenceName.MatchString(entry.Name()) || filepath.Base(filepath.Dir(path)) == "licenses") &&
			filepath.Ext(path) != ".go":
			found = append(found, path)
		}
		return nil
	})
	return found, err
}

func addLicence(all *bytes.Buffer, title, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	line := strings.Repeat("=", 80)
	fmt.Fprintf(all, "\n%s\n%s\n%s\n\n%s\n", line, title, line, bytes.TrimSpace(text))
	return nil
}
