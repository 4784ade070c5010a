package main

// The files that a job reads and writes.

import (
	"context"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// inputFiles returns the files that --input matches.
func inputFiles(ctx context.Context, pattern string) ([]store.File, error) {
	if pattern == "" {
		return nil, errNoInput
	}
	files, err := store.Glob(ctx, pattern)
	switch {
	case err != nil:
		return nil, usageError("--input: %v", err)
	case len(files) == 0:
		return nil, usageError("--input: %q matches no file: use a pattern such as pages-*.csv", pattern)
	}
	return files, nil
}

// output is the files that a job writes: parts first, which get the names that users see
// when all are there.
type output struct {
	prefix store.File
	files  int
	format string // with which names end
}

// errNoInput says what is missing.
var errNoInput = usageError("--input: missing: name what to read, as in --input 'pages-*.csv'")

// newOutput reads --out and --format.
func newOutput(ctx context.Context, prefix string, files int, format string) (output, error) {
	if prefix == "" {
		return output{}, usageError("--out: missing: say how the names of the files begin, as in --out rates")
	}
	if kind, _ := pagefile.ByName("x." + format); kind == pagefile.AnyFormat {
		return output{}, usageError("--format: %q is not valid: use csv, jsonl or parquet, with or without .gz or .zst behind it", format)
	}
	file, err := store.Parse(prefix)
	if err == nil {
		err = file.Reach(ctx)
	}
	if err != nil {
		return output{}, usageError("--out: %v", err)
	}
	return output{file, files, format}, nil
}

// part returns the file to write part i to.
func (o output) part(i int) store.File {
	return o.prefix.With(fmt.Sprintf(".part-%05d.%s", i, o.format))
}

// name returns the name that part i gets.
func (o output) name(i int) store.File {
	return o.prefix.With(fmt.Sprintf("-%05d-of-%05d.%s", i, o.files, o.format))
}

// finish names the parts, where all of them are there, or else removes them. It returns
// err, or its own.
func (o output) finish(ctx context.Context, err error) error {
	ctx = context.WithoutCancel(ctx)
	parts := make([]store.File, o.files)
	for i := range parts {
		parts[i] = o.part(i)
		if err == nil {
			err = parts[i].Move(ctx, o.name(i))
		} else {
			_ = parts[i].Remove(ctx) // it may not be there
		}
	}
	store.RemoveUnfinished(parts...)
	return err
}

// String returns the names of the files, as PREFIX-*-of-00007.csv.
func (o output) String() string {
	return strings.Replace(o.name(0).String(), "-00000-of-", "-*-of-", 1)
}
