package main

// The verb study: a verb of mdpsolve for each row of a table of its flags.

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/mdpsolve/mdpsolve/distributed/beam/pass"
	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
)

// studySpec is a verb of mdpsolve, and the flags whose values rows have.
type studySpec struct {
	Words []string
	Table string // its name
	Flags []string
}

// studyPart is rows of the table, and where those of the answers go.
type studyPart struct {
	Rows  [][]string
	First int // line of the first
	Part  store.File
}

var runStudy = pass.New("study", func(ctx context.Context, spec studySpec, part studyPart) (worst int, err error) {
	var answers, head []byte
	for i, row := range part.Rows {
		words := append(slices.Clip(spec.Words), "--output", "csv", "--quiet")
		for column, value := range row {
			words = append(words, "--"+spec.Flags[column], value)
		}
		where := fmt.Sprintf("%s:%d", spec.Table, part.First+i)
		answer, status, err := runVerb(ctx, words...)
		if fault, ok := errors.AsType[*pass.FinalError](err); ok {
			fault.Text = where + ": " + fault.Text
		}
		if err != nil {
			return 0, err
		}
		worst = max(worst, status)
		columns, rows, _ := bytes.Cut(answer, []byte("\n"))
		switch {
		case head == nil:
			head = columns
			answers = append(answers, answer...)
		case !bytes.Equal(columns, head):
			return 0, &pass.FinalError{Status: exitUsage, Text: fmt.Sprintf("%s: found the columns %s where those before have %s: use rows that have the same", where, columns, head)}
		default:
			answers = append(answers, rows...)
		}
	}
	return worst, part.Part.WriteAll(ctx, answers)
})

// studyVerb declares the verb study.
func studyVerb(flags *flag.FlagSet) func(context.Context) error {
	input := flags.String("input", "", "read the rows from `TABLE`, a CSV file whose columns are flags of the verb")
	out := flags.String("out", "", "write PREFIX-00000-of-00007.csv and so on, `PREFIX` being a path or a URL")
	most := flags.Int("rows", 256, "put `N` rows into each file")
	return func(ctx context.Context) error {
		switch {
		case len(flags.Args()) == 0:
			return usageError("no verb: say what to run on each row, as in: refreshbeam study --input table.csv --out rows -- robots table --robots static")
		case *input == "":
			return errNoInput
		case *most < 1:
			return usageError("--rows: %d is not valid: use a whole number of 1 or more", *most)
		}
		head, rows, err := readTable(ctx, *input)
		if err != nil {
			return usageError("--input: %v", err)
		}
		to, err := newOutput(ctx, *out, (len(rows)+*most-1) / *most, "csv")
		if err != nil {
			return err
		}
		parts := make([]studyPart, to.files)
		for i := range parts {
			first := i * *most
			parts[i] = studyPart{rows[first:min(first+*most, len(rows))], first + 2, to.part(i)} // line 1 has the names
		}
		statuses, err := runStudy.Run(ctx, to.prefix, studySpec{flags.Args(), *input, head}, parts)
		if err := to.finish(ctx, err); err != nil {
			return err
		}
		fmt.Printf("%d rows in %d files: %v\n", len(rows), to.files, to)
		return atLimit(statuses)
	}
}

// readTable reads a CSV file: its names, and the rows.
func readTable(ctx context.Context, name string) (head []string, rows [][]string, err error) {
	file, err := store.Parse(name)
	if err != nil {
		return nil, nil, err
	}
	text, err := file.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	reader := csv.NewReader(bytes.NewReader(text))
	if head, err = reader.Read(); errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%s is empty: use a first line of names of flags", name)
	}
	if err == nil {
		rows, err = reader.ReadAll()
	}
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	case len(rows) == 0:
		return nil, nil, fmt.Errorf("%s has no row below its names: use one or more", name)
	}
	return head, rows, nil
}
