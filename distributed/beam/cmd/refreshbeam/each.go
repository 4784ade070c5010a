package main

// The verbs estimate and schedule: verbs of mdpsolve on each file of many.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/distributed/beam/pass"
	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
)

// eachSpec is a verb of mdpsolve with all flags but --input and --out.
type eachSpec struct{ Words []string }

// eachFile is a file and where the verb's own goes.
type eachFile struct{ Input, Part store.File }

var runEach = pass.New("each", func(ctx context.Context, spec eachSpec, file eachFile) (status int, err error) {
	folder, err := os.MkdirTemp("", "refreshbeam-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	input, err := file.Input.Fetch(ctx, folder)
	if err != nil {
		return 0, err
	}
	output := filepath.Join(folder, "out-"+filepath.Base(file.Part.Key))
	words := append(slices.Clip(spec.Words), "--input", input, "--out", output, "--quiet")
	_, status, err = runVerb(ctx, words...)
	if fault, ok := errors.AsType[*pass.FinalError](err); ok {
		fault.Text = strings.ReplaceAll(fault.Text, input, file.Input.String()) // a copy of it was read
	}
	if err != nil {
		return 0, err
	}
	return status, file.Part.Write(ctx, func(w io.Writer) error {
		written, err := os.Open(output)
		if err != nil {
			return err
		}
		defer written.Close() //nolint:errcheck // it was read
		_, err = io.Copy(w, written)
		return err
	})
})

// eachVerb returns a verb that runs a verb of mdpsolve on each file, with a flag and its value
// unless the flag is given.
func eachVerb(verb, what string, unless ...string) declaration {
	return func(flags *flag.FlagSet) func(context.Context) error {
		input := flags.String("input", "", "read the files that match `GLOB`, "+what)
		out := flags.String("out", "", "write PREFIX-00000-of-00007.csv and so on, `PREFIX` being a path or a URL")
		format := flags.String("format", "csv", "write files whose names end in `FORMAT`, such as parquet or jsonl.gz")
		return func(ctx context.Context) error {
			files, err := inputFiles(ctx, *input)
			if err != nil {
				return err
			}
			to, err := newOutput(ctx, *out, len(files), *format)
			if err != nil {
				return err
			}
			elements := make([]eachFile, len(files))
			for i, file := range files {
				elements[i] = eachFile{file, to.part(i)}
			}
			words := append([]string{"refresh", verb}, flags.Args()...)
			if !slices.ContainsFunc(words, func(word string) bool { return len(unless) > 0 && strings.HasPrefix(word, unless[0]) }) {
				words = append(words, unless...)
			}
			statuses, err := runEach.Run(ctx, to.prefix, eachSpec{words}, elements)
			if err := to.finish(ctx, err); err != nil {
				return err
			}
			fmt.Printf("%d files: %v\n", len(files), to)
			return atLimit(statuses)
		}
	}
}
