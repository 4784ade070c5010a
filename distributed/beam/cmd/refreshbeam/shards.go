package main

// The files that a job reads and writes.

import (
	"context"
	"errors"
	"fmt"

	"github.com/sourcegraph/conc/pool"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// inputFiles returns the files that --input matches.
func inputFiles(ctx context.Context, pattern string) ([]store.File, error) {
	files, err := store.Glob(ctx, pattern)
	switch {
	case err != nil:
		return nil, usageError("--input: %v", err)
	case len(files) == 0:
		return nil, usageError("--input: %q matches no file: use a pattern such as pages-*.csv", pattern)
	}
	return files, nil
}

// output is the files that a job writes. Until the job is done, all are parts, whose names
// begin with PREFIX.part-. By these names, finish finds the files that nobody needs any
// more, of this run or of one that was killed.
type output struct {
	prefix store.File
	files  int
	format string // with which names end
}

// newOutput reads --out and --format.
func newOutput(prefix string, files int, format string) (output, error) {
	if pagefile.ByName("x."+format) == pagefile.AnyFormat {
		return output{}, usageError("--format: %q is not valid: use csv, jsonl or parquet, with or without .gz or .zst after it", format)
	}
	file, err := store.Parse(prefix)
	if err != nil {
		return output{}, usageError("--out: %v", err)
	}
	return output{file, files, format}, nil
}

// parts is how the names of all parts begin.
func (o output) parts() store.File { return o.prefix + ".part-" }

// name returns the name that part i gets.
func (o output) name(i int) store.File {
	return o.prefix + store.File(fmt.Sprintf("-%05d-of-%05d.%s", i, o.files, o.format))
}

// finish names the parts, unless there is an error, and removes what else there is. It returns
// err, or its own.
func (o output) finish(ctx context.Context, parts []store.File, err error) error {
	ctx = context.WithoutCancel(ctx)
	if err == nil {
		moves := pool.New().WithErrors().WithFirstError().WithMaxGoroutines(32) // as object stores answer slowly
		for i, part := range parts {
			moves.Go(func() error { return part.Move(ctx, o.name(i)) })
		}
		err = moves.Wait()
	}
	o.parts().RemoveAll(ctx)
	return err
}

// readShard reads the pages of a shard. That the file is not there, or holds something else, is a
// fault.
func readShard(ctx context.Context, file store.File, options pagefile.Options) (*pagefile.Pages, *pagefile.Report, error) {
	source, done, err := file.Open(ctx)
	if err != nil {
		return nil, nil, missing(ctx, file, err)
	}
	defer done()
	pages, report, err := pagefile.ReadPages(ctx, source, options)
	if fault, ok := errors.AsType[*pagefile.FileError](err); ok {
		return nil, nil, usageError("%v", fault)
	}
	if err != nil {
		return nil, nil, missing(ctx, file, err)
	}
	return pages, report, nil
}
