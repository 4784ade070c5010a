package main

// Bad usage of the verbs of refresh.

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
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
	writeFile(t, "x.csv", "host,cap\nx,2\n")
	writeFile(t, "bad_caps.csv", "host,cap\nx,2\ny,-1\n")
	writeFile(t, "twice.csv", "host,cap\nx,2\nx,3\n")
	writeFile(t, "no_caps.csv", "host,cap\n")
	writeFile(t, "single.csv", "id,time,changed\na,1,0\n")
	writeFile(t, "dates.csv", "id,time,changed\na,yesterday,0\na,today,0\n")
	writeFile(t, "nothing.csv", "id,change_rate\na,x\nb,y\n")
	writeFile(t, "nothing_rates.csv", "id,rate\na,-1\n")
	writeFile(t, "huge_rates.csv", "id,rate\na,1e308\nb,1.7e308\n")
	writeFile(t, "weightless.csv", "id,change_rate,weight\na,1,0\n")
	writeFile(t, "list.json", "[{\"id\": \"a\", \"change_rate\": 1}]\n")
	writeFile(t, "cut.csv.gz", "\x1f\x8b\x08\x00\x00")
	require.NoError(t, os.Link("pages.csv", "linked.csv"))
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
		{"refresh", []string{"refresh:", "rates, schedule, evaluate, review, estimate or compare"}},
		{"refresh frobnicate", []string{`"frobnicate"`, `"mdpsolve help refresh"`}},
		{rates + " extra", []string{"refresh rates:", `"extra"`}},
		{rates + " --frobnicate", []string{"--frobnicate", `"mdpsolve help refresh rates"`}},

		{"refresh rates --input pages.csv", []string{"--bandwidth", "missing", "1e100"}},
		{"refresh rates --bandwidth 5", []string{"--input", "missing", "standard input"}},
		{rates + " --bandwidth 0", []string{"--bandwidth", "0 is not valid", "1e-100"}},
		{rates + " --bandwidth NaN", []string{"--bandwidth", `"NaN"`}},
		{rates + " --bandwidth 1e200", []string{"--bandwidth", "1e200 is not valid", "1e100"}},
		{rates + " --bandwidth 1e99/hour --unit day", []string{"--bandwidth", "1e99/hour is 2.4e+100 per day", "to 1e+100 per day"}},
		{rates + " --bandwidth 1e-100/day --unit second", []string{"--bandwidth", "per second", "use 1e-100 per second to 1e+100 per second"}},
		{rates + " --objective freshness", []string{"--objective", `"freshness"`, "coffman-randomized"}},
		{rates + " --access-time exponential", []string{"--access-time", "--objective coffman"}},
		{rates + " --objective coffman --access-time zipf:2", []string{"--access-time", `"zipf:2"`, "constant", "uniform:a,b"}},
		{rates + " --objective coffman --access-time erlang:0", []string{"--access-time", `"erlang:0"`}},
		{rates + " --objective coffman --access-time uniform:2,1", []string{"--access-time", `"uniform:2,1"`, "a < b"}},
		{rates + " --objective coffman --access-time sample:no.such", []string{"no.such: no such file"}},
		{rates + " --objective coffman --access-mean 1", []string{"--access-mean", "1 is not valid", "1/bandwidth"}},
		{rates + " --workers 0", []string{"--workers", "0 is not valid", "from 1 to 4096"}},
		{rates + " --output xml", []string{"--output", `"xml"`}},
		{rates + " --out no/such/folder.csv", []string{"--out", "no/such/folder.csv"}},
		{rates + " --out rates.txt", []string{"--out", `"rates.txt"`, ".csv, .jsonl or .parquet"}},
		{rates + " --host-cap 1 --hosts-out hosts.tsv.gz", []string{"--hosts-out", `"hosts.tsv.gz"`, ".csv, .jsonl or .parquet"}},
		{rates + " --out .", []string{"--out: . cannot be written"}},
		{rates + " --out pages.csv", []string{"--out", `"pages.csv"`, "--input"}},
		{rates + " --out ./pages.csv", []string{"--out", `"./pages.csv"`, "--input"}},
		{rates + " --out linked.csv", []string{"--out", `"linked.csv"`, "--input"}},
		{rates + " --out=", []string{"--out", `""`, "the name of a file"}},
		{rates + " --workers 9007199254740993", []string{"--workers", "from 1 to 4096"}},
		{rates + " --input cut.csv.gz", []string{"--input", "cut.csv.gz", "damaged gzip data"}},
		{rates + " --input nothing.csv", []string{"--input", "nothing.csv:2:3", `"x"`}},
		{rates + " --input list.json", []string{"--input", "list.json:1:1", `"["`, "an object"}},
		{rates + " --input no.such", []string{"no.such: no such file"}},
		{rates + " --input .", []string{".: this is a folder"}},
		{rates + " --input empty.csv", []string{"empty.csv:1:1", "change_rate"}},
		{rates + " --input header.csv", []string{"--input", "header.csv", "no page that can be used"}},
		{rates + " --input columns.csv", []string{"columns.csv:1:1", "id"}},
		{rates + " --input history.csv", []string{"history.csv:1:1", "change_rate"}},
		{rates + " --input weighted.csv --strict", []string{"weighted.csv:2:22", "1/0"}},
		{rates + " --input fast.csv --objective discrete", []string{"--input", `"b"`, "change_rate 1.5", "1"}},
		{rates + " --input huge.csv", []string{"--input", "huge.csv:2:3", `"1e200"`, "1e100"}},

		{rates + " --host-cap 1", []string{"--input", "no page that can be used", "pages.csv:2:1", `found "a"`, "URL with a host", "column host"}},
		{rates + " --host-cap 1 --strict", []string{"pages.csv:2:1", `found "a"`, "URL with a host", "column host"}},
		{rates + " --host-cap 0", []string{"--host-cap", "0 is not valid", "1e-100"}},
		{rates + " --host-cap inf", []string{"--host-cap", `"inf" is not valid`}},
		{rates + " --host-caps no.such", []string{"no.such: no such file"}},
		{rates + " --host-caps pages.csv", []string{"pages.csv:1:1", "no column host", "host, cap"}},
		{rates + " --host-caps bad_caps.csv", []string{"bad_caps.csv:3:3", `found "-1"`, "or nothing"}},
		{rates + " --host-caps twice.csv", []string{"twice.csv:3:1", `host "x"`, "line 2"}},
		{rates + " --host-caps no_caps.csv", []string{"--host-caps", "no host that can be used"}},
		{rates + " --host-caps - --input -", []string{"--host-caps", "--input -"}},
		{rates + " --hosts-out hosts.csv", []string{"--hosts-out", "hosts.csv is not valid", "--host-cap or --host-caps"}},
		{rates + " --host-cap 1 --hosts-out -", []string{"--hosts-out", `"-"`}},
		{rates + " --host-cap 1 --hosts-out a.csv --out a.csv", []string{"--hosts-out", `"a.csv"`}},

		{"refresh schedule --input rates.csv", []string{"--length", "missing"}},
		{schedule + " --length 0", []string{"--length", "0 is not valid", "from 1"}},
		{schedule + " --length 1e17", []string{"--length", "1e17 is not valid", "9007199254740992"}},
		{schedule + " --method lottery", []string{"--method", `"lottery"`, "golden-ratio"}},
		{schedule + " --cycle 13", []string{"--cycle", "13 is not valid", "--method golden-ratio"}},
		{schedule + " --method golden-ratio --cycle 12", []string{"--cycle", "12 is not valid", "Fibonacci"}},
		{schedule + " --seed 1", []string{"--seed", "--method random"}},
		{schedule + " --method random --seed -1", []string{"--seed", "-1 is not valid", "from 0"}},
		{schedule + " --now 2026-01-01T00:00:00Z", []string{"--now", "--wall-clock or --last-fetch"}},
		{schedule + " --wall-clock --now yesterday", []string{"--now", `"yesterday"`, "2026-01-31T15:00:00Z"}},
		{schedule + " --wall-clock --unit 60", []string{"--unit", `"60" is not valid`, "second, minute, hour or day"}},
		{schedule + " --out no/such/folder.csv", []string{"--out", "no/such/folder.csv"}},
		{schedule + " --out rates.csv", []string{"--out", `"rates.csv"`, "--input"}},
		{schedule + " --out=", []string{"--out", `""`, "the name of a file"}},
		{schedule + " --method golden-ratio --cycle 8944394323791463", []string{"--cycle", "such as 8944394323791464"}},
		{schedule + " --method golden-ratio --cycle 14472334024676221", []string{"--cycle", "from 1 to 8944394323791464"}},
		{schedule + " --wall-clock --now 0001-01-01T00:00:00Z", []string{"--now", "1970 to 9000"}},
		{schedule + " --wall-clock --unit day --length 1e12", []string{"--wall-clock", "slot 1000000000000", "292 years"}},
		{schedule + " --wall-clock --unit day --input huge_rates.csv", []string{"--input", "+Inf", "--wall-clock"}},
		{schedule + " --input nothing_rates.csv", []string{"--input", "nothing_rates.csv:2:3", `"-1"`}},
		{schedule + " --input idle.csv", []string{"--input", "idle.csv", "above 0"}},
		{schedule + " --input pages.csv", []string{"pages.csv:1:1", "rate"}},

		{evaluate, []string{"--bandwidth", "missing"}},
		{evaluate + " --bandwidth 5 --access-mean 1/5", []string{"--bandwidth", "--access-mean"}},
		{evaluate + " --access-mean 0", []string{"--access-mean", "0 is not valid"}},
		{"refresh evaluate --input - --schedule - --bandwidth 5", []string{"--schedule", "--input -"}},
		{evaluate + " --bandwidth 5 --schedule unknown.csv", []string{"unknown.csv:3:3", `"z"`}},
		{evaluate + " --bandwidth 5 --schedule gap.csv", []string{"gap.csv:3", "slot 2"}},
		{evaluate + " --bandwidth 5 --schedule no.such", []string{"no.such: no such file"}},
		{"refresh evaluate --input pages.csv --bandwidth 5", []string{"--schedule", "missing"}},

		{"refresh estimate", []string{"--input", "missing"}},
		{"refresh estimate --input single.csv", []string{"--input", "single.csv", "two accesses"}},
		{"refresh estimate --input pages.csv", []string{"pages.csv:1:1", "time"}},
		{"refresh estimate --input dates.csv", []string{"--input", "dates.csv:2:3", `"yesterday"`, "2026-01-31T12:00:00Z"}},
		{"refresh estimate --input history.csv --out history.csv", []string{"--out", `"history.csv"`, "--input"}},
		{"refresh estimate --input history.csv --pages pages.csv --out pages.csv", []string{"--out", `"pages.csv"`, "--pages"}},
		{rates + " --weights pages.csv --out pages.csv --input rates.csv", []string{"--out", `"pages.csv"`, "--weights"}},
		{"store due --store pages.csv --most 1 --for nutch --out pages.csv", []string{"--out", `"pages.csv"`, "--store"}},

		{compare + " --weight-law normal", []string{"--weight-law", `"normal"`, "zipf"}},
		{compare + " --from 0", []string{"--from", "0 is not valid"}},
		{compare + " --from 1 --to 1/2", []string{"--to", "1/2 is not valid", "--from"}},
		{compare + " --from 1e300 --to 1e300", []string{"--from", "1e300 is not valid", "1e100"}},
		{compare + " --from 1e95 --to 1e95", []string{"--from", "1e95 is not valid", "1e90"}},
		{compare + " --input pages.csv --synthetic 7", []string{"--synthetic", "--input"}},
		{compare + " --input pages.csv --weight-law zipf", []string{"--weight-law", "--input"}},
		{compare + " --input weightless.csv", []string{"--input", "weightless.csv", "weight above 0"}},
		{compare + " --steps 0", []string{"--steps", "0 is not valid"}},
		{compare + " --synthetic 1/2", []string{"--synthetic", "1/2 is not valid"}},
		{compare + " --plot curves.gif", []string{"--plot", `"curves.gif"`, ".svg, .png or .pdf"}},
	} {
		status, stdout, stderr := execute(t, replaced(test.line))
		assert.Equal(t, ui.ExitUsage, status, test.line)
		assert.Empty(t, stdout, test.line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %s", test.line, stderr)
		assert.True(t, strings.HasPrefix(stderr, "mdpsolve: "), stderr)
		for _, want := range test.want {
			assert.Contains(t, stderr, want, test.line)
		}
	}
}
