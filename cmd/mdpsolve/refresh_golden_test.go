package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refreshFiles are the inputs of golden files and of the examples in the help.
var refreshFiles = map[string]string{
	// The five pages of Cho and Garcia-Molina, and of many papers since.
	"pages.csv":    "id,change_rate\na,1\nb,2\nc,3\nd,4\ne,5\n",
	"weighted.csv": "url,weight,change_rate\nhttps://a.example/,3,1/0\nhttps://b.example/,2,2\n\"https://c.example/?x=1,2\",1.5,3\nhttps://d.example/,1,-4\nhttps://b.example/,1,4\nhttps://e.example/,0,5\n",
	// Counts 2, 3, 3, 5 are the example of Coffman, Liu and Weber, section 5.
	"thirteenths.csv": "id,rate\n1,2\n2,3\n3,3\n4,5\n",
	"rates.csv":       "id,rate,interval,freshness\na,1,1,0.63\nb,1.5,,\nc,1.5,0.5,0.4\nd,1,1,0.2\ne,0,,0\n",
	// Three hosts, one of them by name; the cap of the first is less than its pages
	// would get.
	"crawl.csv": "url,change_rate,least_rate,greatest_rate,host\nhttps://a.example/1,1,,,\nhttps://A.example:443/2,4,0.5,,\nhttps://a.example/3,2,,0.125,\n" +
		"https://b.example/1,3,,,\nhttps://b.example/2,1,,1,\nhttps://c.example:8080/,2,,,b.example\nhttps://c.example:8080/4,2,,,\n",
	"caps.csv":    "host,cap\na.example,0.75\nb.example,\n",
	"slots.csv":   "slot,id\n1,c\n2,b\n3,d\n4,a\n5,b\n6,c\n",
	"history.csv": "id,time,changed\na,0,0\na,1,1\na,2,0\nb,0,0\na,4,1\na,7,0\nb,1,1\nb,3,1\nc,5,0\nd,1,true\nd,3,false\n",
}

// refreshFolder makes a folder with the files the working directory.
func refreshFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range refreshFiles {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// timing is what differs from run to run or from processor to processor.
var timing = regexp.MustCompile(`(?m)^  seconds  .*$|, in [0-9.e-]+ s$|("(seconds|read_seconds|write_seconds|residual)": )[0-9.e-]+|(residual[ |]+)[0-9.e-]+|optimal to a relative [0-9.e-]+|equal to all digits`)

func TestRefreshGoldenFiles(t *testing.T) {
	folder, err := filepath.Abs("testdata")
	require.NoError(t, err)
	refreshFolder(t)
	for name, line := range map[string]string{
		"rates":             "rates --input pages.csv --bandwidth 5",
		"rates_json":        "rates --input pages.csv --bandwidth 5 -o json",
		"rates_markdown":    "rates --input pages.csv --bandwidth 10/3 --objective coffman --access-time erlang:3 -o markdown",
		"rates_csv":         "rates --input pages.csv --bandwidth 5 --objective random -o csv",
		"rates_out":         "rates --input pages.csv --bandwidth 5 --objective age --out out.csv",
		"rates_unusable":    "rates --input weighted.csv --bandwidth 1",
		"rates_hosts":       "rates --input crawl.csv --bandwidth 5 --host-caps caps.csv --host-cap 2",
		"rates_hosts_json":  "rates --input crawl.csv --bandwidth 5 --host-cap 1 -o json",
		"rates_hosts_csv":   "rates --input crawl.csv --bandwidth 5 --host-caps caps.csv --objective random -o csv",
		"schedule":          "schedule --input thirteenths.csv --length 13",
		"schedule_golden":   "schedule --input thirteenths.csv --length 13 --method golden-ratio --cycle 13 -o json",
		"schedule_clock":    "schedule --input thirteenths.csv --length 5 --wall-clock --start 2026-01-01T00:00:00Z --unit 3600",
		"schedule_markdown": "schedule --input thirteenths.csv --length 5 --method round-robin -o markdown",
		"schedule_out":      "schedule --input thirteenths.csv --length 100 --method balanced --out balanced.csv",
		"evaluate":          "evaluate --input pages.csv --schedule slots.csv --bandwidth 5",
		"evaluate_csv":      "evaluate --input pages.csv --schedule slots.csv --bandwidth 5 -o csv",
		"evaluate_markdown": "evaluate --input pages.csv --schedule slots.csv --bandwidth 5 -o markdown",
		"evaluate_json":     "evaluate --input pages.csv --schedule slots.csv --access-mean 1/5 --access-time exponential -o json",
		"estimate":          "estimate --input history.csv",
		"estimate_markdown": "estimate --input history.csv -o markdown",
		"estimate_json":     "estimate --input history.csv -o json",
		"estimate_out":      "estimate --input history.csv --out estimated.csv",
		"compare":           "compare --steps 5",
		"compare_json":      "compare --steps 2 --pages 50 -o json",
		"compare_markdown":  "compare --input pages.csv --steps 2 -o markdown",
		"compare_own":       "compare --input pages.csv --steps 2",
		"compare_csv":       "compare --steps 3 --weights uniform --pages 50 -o csv",
		"schedule_frontier": "schedule --input thirteenths.csv --length 3 --wall-clock --start 2026-01-01T00:00:00Z --frontier due.jsonl",
		"schedule_out_json": "schedule --input thirteenths.csv --length 100 --method balanced --out balanced.jsonl -o json",
		"help":              "--help",
		"help_evaluate":     "evaluate --help",
		"help_estimate":     "estimate --help",
		"help_compare":      "compare --help",
		"help_rates":        "rates --help",
		"help_schedule":     "schedule --help",
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := execute(t, "refresh "+line)
			require.Zero(t, status, stderr)
			got := stdout
			if stderr != "" {
				got += "--- standard error\n" + stderr
			}
			compareGolden(t, filepath.Join(folder, "refresh_"+name+".golden"), timing.ReplaceAllString(got, "$1$3?"))
		})
	}
}

func TestRefreshHelpPages(t *testing.T) {
	refreshFolder(t)
	found := 0
	for _, page := range []string{"refresh rates", "refresh schedule", "refresh evaluate", "refresh estimate", "refresh compare"} {
		status, stdout, _ := execute(t, page+" --help")
		assert.Zero(t, status, page)
		for text := range strings.Lines(stdout) {
			assert.LessOrEqual(t, len([]rune(text)), 110, "%s: %s", page, text)
		}
		_, examples, has := strings.Cut(stdout, "Examples:\n")
		require.True(t, has, page)
		for line := range strings.Lines(examples) {
			example, is := strings.CutPrefix(strings.TrimSpace(line), "mdpsolve ")
			if !is {
				break
			}
			found++
			if strings.Contains(example, "--plot") {
				example = strings.Replace(example, "--steps 100", "--steps 2 --pages 20", 1)
			}
			status, stdout, stderr := execute(t, example)
			assert.Zero(t, status, "%s: %s", example, stderr)
			if !strings.Contains(example, "--plot") {
				assert.NotEmpty(t, stdout, example)
			}
		}
	}
	assert.Equal(t, 15, found)
	assert.FileExists(t, "figure1.svg")
}
