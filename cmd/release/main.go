// Command release builds the archives of a release: for each system and processor the
// command with its manual pages, completions, licences and a list of its components, and
// one file of checksums. Equal commits give equal bytes with the same version of Go.
//
//	go run ./cmd/release --out dist
//	go run ./cmd/release --targets linux/amd64,darwin/arm64
//	go run ./cmd/release --check
//
// It is run in a checkout without changes. With --check it builds the archive of this
// machine from two clones in different folders, and fails unless they are equal.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

const allTargets = "darwin/amd64,darwin/arm64,linux/amd64,linux/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("out", "dist", "write the archives to this folder")
	targets := flag.String("targets", allTargets, "build for these systems and processors")
	check := flag.Bool("check", false, "build for this machine twice, and compare")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := func() error { return release(ctx, ".", *out, strings.Split(*targets, ",")) }
	if *check {
		run = func() error { return compare(ctx) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to be stopped
	}
}

// compare builds an archive in two clones of this checkout.
func compare(ctx context.Context) error {
	one, err := checksumsOfClone(ctx, "mdpsolve-one")
	if err != nil {
		return err
	}
	other, err := checksumsOfClone(ctx, "mdpsolve-the-other")
	if err != nil {
		return err
	}
	if !bytes.Equal(one, other) {
		return fmt.Errorf("two builds of one commit differ:\n%s%s", one, other)
	}
	fmt.Printf("two builds are equal:\n%s", one)
	return nil
}

// checksumsOfClone builds the archive for this machine in a clone of its own, in a folder
// with a name that begins with prefix.
func checksumsOfClone(ctx context.Context, prefix string) ([]byte, error) {
	folder, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	clone, out := filepath.Join(folder, "clone"), filepath.Join(folder, "dist")
	if _, err := output(ctx, ".", "git", "clone", "--quiet", "--shared", ".", clone); err != nil {
		return nil, err
	}
	if err := release(ctx, clone, out, []string{runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(out, checksumFile))
}
