package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRefreshBadUsage(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "empty.csv", "")
	writeFile(t, "header.csv", "id,change_rate\n")
	writeFile(t, "columns.csv", "name,change_rate\na,1\n")
	writeFile(t, "fast.csv", "id,change_rate\na,0.5\nb,1.5\n")
	writeFile(t, "huge.csv", "id,change_rate\na,1e200\n")
	writeFile(t, "idle.csv", "id,rate\na,0\n")
	writeFile(t, "unknown.csv", "slot,id\n1,a\n2,z\n")
	writeFile(t, "gap.csv", "slot,id\n1,a\n3,b\n")
	writeFile(t, "single.csv", "id,time,changed\na,1,0\n")
	const (
		rates    = "refresh rates --input pages.csv --bandwidth 5"
		schedule = "refresh schedule --input rates.csv --length 10"
		evaluate = "refresh evaluate --input pages.csv --schedule slots.csv"
		compare  = "refresh compare"
	)
	for _, test := range []struct {
		line string
		want []string // in the message
	}{
		{"refresh", []string{"refresh:", "rates, schedule, evaluate, estimate or compare"}},
		{"refresh frobnicate", []string{`"frobnicate"`, "rates, schedule, evaluate, estimate or compare"}},
		{rates + " extra", []string{"refresh rates:", `"extra"`}},
		{rates + " --frobnicate", []string{"--frobnicate", "--bandwidth"}},

		{"refresh rates --input pages.csv", []string{"--bandwidth", "missing", "1e100"}},
		{"refresh rates --bandwidth 5", []string{"--input", "missing", "standard input"}},
		{rates + " --bandwidth 0", []string{"--bandwidth", "0 found", "1e-100"}},
		{rates + " --bandwidth NaN", []string{"--bandwidth", `"NaN"`}},
		{rates + " --bandwidth 1e200", []string{"--bandwidth", "1e200 found", "1e100"}},
		{rates + " --objective freshness", []string{"--objective", `"freshness"`, "coffman-randomized"}},
		{rates + " --access-time exponential", []string{"--access-time", "--objective coffman"}},
		{rates + " --objective coffman --access-time zipf:2", []string{"--access-time", `"zipf:2"`, "constant", "uniform:a,b"}},
		{rates + " --objective coffman --access-time erlang:0", []string{"--access-time", `"erlang:0"`}},
		{rates + " --objective coffman --access-time uniform:2,1", []string{"--access-time", `"uniform:2,1"`, "a < b"}},
		{rates + " --objective coffman --access-time sample:no.such", []string{"--access-time", "no.such"}},
		{rates + " --objective coffman --access-mean 1", []string{"--access-mean", "1 found", "1/bandwidth"}},
		{rates + " --workers 0", []string{"--workers", "0 found", "1 or more"}},
		{rates + " --output xml", []string{"--output", `"xml"`}},
		{rates + " --out no/such/folder.csv", []string{"--out", "no/such/folder.csv"}},
		{rates + " --out .", []string{"--out", `"."`}},
		{rates + " --input no.such", []string{"--input", `"no.such"`, "can be read"}},
		{rates + " --input .", []string{"--input"}},
		{rates + " --input empty.csv", []string{"empty.csv:1:1", "change_rate"}},
		{rates + " --input header.csv", []string{"--input", "header.csv", "no page"}},
		{rates + " --input columns.csv", []string{"columns.csv:1:1", "id"}},
		{rates + " --input history.csv", []string{"history.csv:1:1", "change_rate"}},
		{rates + " --input weighted.csv --strict", []string{"weighted.csv:2:22", "1/0"}},
		{rates + " --input fast.csv --objective discrete", []string{"--input", `"b"`, "change_rate 1.5", "1"}},
		{rates + " --input huge.csv", []string{"--input", `"a"`, "change_rate 1e+200", "1e+100"}},

		{"refresh schedule --input rates.csv", []string{"--length", "missing"}},
		{schedule + " --length 0", []string{"--length", "0 found", "from 1"}},
		{schedule + " --length 1e17", []string{"--length", "1e17 found", "9007199254740992"}},
		{schedule + " --method lottery", []string{"--method", `"lottery"`, "golden-ratio"}},
		{schedule + " --cycle 13", []string{"--cycle", "13 found", "--method golden-ratio"}},
		{schedule + " --method golden-ratio --cycle 12", []string{"--cycle", "12 found", "Fibonacci"}},
		{schedule + " --seed 1", []string{"--seed", "--method random"}},
		{schedule + " --method random --seed -1", []string{"--seed", "-1 found", "from 0"}},
		{schedule + " --start 2026-01-01T00:00:00Z", []string{"--start", "--wall-clock"}},
		{schedule + " --wall-clock --start yesterday", []string{"--start", `"yesterday"`, "2026-01-31T15:00:00Z"}},
		{schedule + " --wall-clock --unit 0", []string{"--unit", "0 found", "1e-9"}},
		{schedule + " --frontier a.jsonl", []string{"--frontier", "--wall-clock"}},
		{schedule + " --wall-clock --frontier a.csv", []string{"--frontier", `"a.csv"`, ".jsonl"}},
		{schedule + " --wall-clock --frontier a.jsonl --out a.csv", []string{"--out", "--frontier"}},
		{schedule + " --out a.parquet", []string{"--out", `"a.parquet"`, ".csv"}},
		{schedule + " --out a.csv.gz", []string{"--out", `"a.csv.gz"`, ".csv"}},
		{schedule + " --out a.jsonl --state a.state", []string{"--out", `"a.jsonl"`, ".csv"}},
		{schedule + " --out no/such/folder.csv", []string{"--out", "no/such/folder.csv"}},
		{schedule + " --state no/such/folder.state", []string{"--state", "no/such/folder.state"}},
		{schedule + " --input idle.csv", []string{"--input", "idle.csv", "above 0"}},
		{schedule + " --input pages.csv", []string{"pages.csv:1:1", "rate"}},

		{evaluate, []string{"--bandwidth", "missing"}},
		{evaluate + " --bandwidth 5 --access-mean 1/5", []string{"--bandwidth", "--access-mean"}},
		{evaluate + " --access-mean 0", []string{"--access-mean", "0 found"}},
		{evaluate + " --bandwidth 5 --schedule unknown.csv", []string{"unknown.csv:3:3", `"z"`}},
		{evaluate + " --bandwidth 5 --schedule gap.csv", []string{"gap.csv:3", "slot 2"}},
		{evaluate + " --bandwidth 5 --schedule no.such", []string{"--schedule", `"no.such"`}},
		{"refresh evaluate --input pages.csv --bandwidth 5", []string{"--schedule", "missing"}},

		{"refresh estimate", []string{"--input", "missing"}},
		{"refresh estimate --input single.csv", []string{"--input", "single.csv", "two accesses"}},
		{"refresh estimate --input pages.csv", []string{"pages.csv:1:1", "time"}},
		{"refresh estimate --input history.csv --out a.parquet", []string{"--out", `"a.parquet"`, ".csv"}},

		{compare + " --weights normal", []string{"--weights", `"normal"`, "zipf"}},
		{compare + " --from 0", []string{"--from", "0 found"}},
		{compare + " --from 1 --to 1/2", []string{"--to", "1/2 found", "--from"}},
		{compare + " --steps 0", []string{"--steps", "0 found"}},
		{compare + " --pages 1/2", []string{"--pages", "1/2 found"}},
		{compare + " --plot curves.pdf", []string{"--plot", `"curves.pdf"`, ".svg or .png"}},
	} {
		status, stdout, stderr := execute(t, test.line)
		assert.Equal(t, exitUsage, status, test.line)
		assert.Empty(t, stdout, test.line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %s", test.line, stderr)
		assert.True(t, strings.HasPrefix(stderr, "mdpsolve: "), stderr)
		for _, want := range test.want {
			assert.Contains(t, stderr, want, test.line)
		}
	}
}
