package main

// Building: the files of a release, target by target.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

const (
	command      = "mdpsolve"
	checksumFile = "checksums.txt"
)

// release builds an archive for each target, and the file of checksums, from the
// checkout in root.
func release(ctx context.Context, root, out string, targets []string) error {
	version, at, err := commit(ctx, root)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "mdpsolve-release")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	here := filepath.Join(work, "here") // the command for this machine, which prints its own manual
	if err := build(ctx, root, here, runtime.GOOS, runtime.GOARCH); err != nil {
		return err
	}
	shared, err := commonFiles(ctx, root, here)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // read by everyone
		return err
	}
	var sums strings.Builder
	for _, target := range targets {
		system, processor, ok := strings.Cut(target, "/")
		if !ok {
			return fmt.Errorf("--targets: %q is not valid: use names such as linux/amd64", target)
		}
		program := filepath.Join(work, command)
		if err := build(ctx, root, program, system, processor); err != nil {
			return err
		}
		binary, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		bill, err := billOfMaterials(program, version, at)
		if err != nil {
			return err
		}
		name := strings.Join([]string{command, version, system, processor}, "_")
		files := append([]file{{command + suffix(system), binary, true}, {"sbom.cdx.json", bill, false}}, shared...)
		archive, ending, err := pack(name, system, files, at)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name+ending), archive, 0o644); err != nil { //nolint:gosec // read by everyone
			return err
		}
		fmt.Printf("%s%s: %.1f MB\n", name, ending, float64(len(archive))/1e6)
		fmt.Fprintf(&sums, "%x  %s%s\n", sha256.Sum256(archive), name, ending)
	}
	return os.WriteFile(filepath.Join(out, checksumFile), []byte(sums.String()), 0o644) //nolint:gosec // read by everyone
}

// commit returns the version of the checkout, from its tag where it has one, and the time
// of its commit, which all files of the archives have.
func commit(ctx context.Context, root string) (version string, at time.Time, err error) {
	changes, err := output(ctx, root, "git", "status", "--porcelain")
	if err != nil {
		return "", at, err
	}
	if len(changes) > 0 {
		return "", at, errors.New("the checkout has changes: commit them, or leave them out")
	}
	described, err := output(ctx, root, "git", "describe", "--tags", "--always")
	if err != nil {
		return "", at, err
	}
	seconds, err := output(ctx, root, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return "", at, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(seconds)), 10, 64)
	return strings.TrimSpace(string(described)), time.Unix(n, 0).UTC(), err
}

// build compiles the command. Nothing of the machine that builds goes into it: neither
// paths nor C libraries, nor settings of its processor.
func build(ctx context.Context, root, program, system, processor string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	compiling := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", program, "./cmd/"+command)
	compiling.Dir = root
	compiling.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=",
		"GOOS="+system, "GOARCH="+processor, "GOAMD64=v1", "GOARM64=v8.0")
	if message, err := compiling.CombinedOutput(); err != nil {
		return fmt.Errorf("%s/%s: %w: %s", system, processor, err, message)
	}
	return nil
}

// commonFiles are the files of all archives: documents, licences, manual pages and
// completions, printed by the command itself.
func commonFiles(ctx context.Context, root, program string) ([]file, error) {
	var files []file
	guides, err := output(ctx, root, "git", "ls-files", "LICENSE", "README.md", "CHANGELOG.md", "docs")
	if err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(string(guides)) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, text, false})
	}
	licences, err := otherLicences(ctx, root, program)
	if err != nil {
		return nil, err
	}
	files = append(files, file{"THIRD-PARTY-LICENSES.txt", licences, false})
	for _, shell := range []string{"bash", "fish", "zsh"} {
		script, err := output(ctx, root, program, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + command + "." + shell, script, false})
	}
	pages, err := verbs(ctx, root, program)
	if err != nil {
		return nil, err
	}
	for _, verb := range append([]string{""}, pages...) {
		words := strings.Fields(verb)
		page, err := output(ctx, root, program, append([]string{"man"}, words...)...)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/man1/" + strings.Join(append([]string{command}, words...), "-") + ".1", page, false})
	}
	return files, nil
}

// verbs returns the verbs that the help of the command lists.
func verbs(ctx context.Context, root, program string) ([]string, error) {
	help, err := output(ctx, root, program, "help")
	if err != nil {
		return nil, err
	}
	_, list, _ := strings.Cut(string(help), "\nVerbs:\n")
	list, _, found := strings.Cut(list, "\n\n")
	if !found {
		return nil, errors.New("the help of the command lists no verbs")
	}
	var all []string
	for line := range strings.Lines(list) {
		verb, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		all = append(all, verb)
	}
	return all, nil
}

func suffix(system string) string {
	if system == "windows" {
		return ".exe"
	}
	return ""
}

// output runs a program in a folder and returns what it prints.
func output(ctx context.Context, folder, program string, arguments ...string) ([]byte, error) {
	running := exec.CommandContext(ctx, program, arguments...)
	running.Dir = folder
	text, err := running.Output()
	if err != nil {
		if exit, is := errors.AsType[*exec.ExitError](err); is {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("%s: %w", strings.Join(append([]string{program}, arguments...), " "), err)
	}
	return text, nil
}
