package main

// Help pages, manual pages, and what shells complete: of all verbs.

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completed returns what may come behind a line, or in place of its last word.
func completed(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	for word := range strings.Lines(mustPrint(t, line+" --generate-bash-completion")) {
		word, _, _ = strings.Cut(strings.TrimSpace(word), "\t")
		words = append(words, word)
	}
	return words
}

// verbs returns all verbs, each before those below it, as a shell finds them.
func verbs(t *testing.T) []string {
	t.Helper()
	var found []string
	var search func(path string)
	search = func(path string) {
		for _, word := range completed(t, "help "+path) {
			found = append(found, path+word)
			search(path + word + " ")
		}
	}
	search("")
	require.Greater(t, len(found), 20)
	require.Contains(t, found, "robots solve")
	return found
}

func TestHelpPages(t *testing.T) {
	const width, shortHeight = 80, 45
	for _, verb := range append([]string{""}, verbs(t)...) {
		page := mustPrint(t, strings.TrimSpace("help "+verb))
		if verb != "" {
			assert.Equal(t, page, mustPrint(t, verb+" --help"))
		}
		short := mustPrint(t, strings.TrimSpace(verb+" -h"))
		assert.LessOrEqual(t, strings.Count(short, "\n"), shortHeight, verb)
		for _, flag := range regexp.MustCompile(`[ []--[a-z-]+`).FindAllString(short, -1) {
			if strings.Contains(short, "\nVerbs:\n") || verb == "check" { // its examples show flags of other verbs
				break
			}
			assert.Regexp(t, `(?m)^  (-\w, )?`+flag[1:]+`( |$)`, short, "%s: what the flag does", verb)
		}
		title := strings.TrimSpace("mdpsolve " + verb)
		assert.True(t, strings.HasPrefix(page, title+": "), verb)
		usage, examples, options := strings.Index(page, "\nUsage: "+title), strings.Index(page, "\nExamples:\n"), strings.Index(page, "\nOptions:\n")
		assert.Positive(t, usage, verb)
		assert.Greater(t, options, usage, verb)
		assert.Greater(t, examples, options, verb) // flags first
		for line := range strings.Lines(page + short) {
			if !strings.HasPrefix(line, "  curl ") { // which is not broken
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")), width, "%s: %s", verb, line)
			}
		}
	}
}

// TestFlagsAreOnAllPages compares the flags that shells complete with those of the whole
// pages.
func TestFlagsAreOnAllPages(t *testing.T) {
	for _, verb := range verbs(t) {
		help, man := mustPrint(t, "help "+verb), mustPrint(t, "man "+verb)
		flags := completed(t, verb+" --")
		if verb == "help" || verb == "man" {
			continue // shells complete them with verbs
		}
		require.Contains(t, flags, "--help", verb)
		for _, flag := range flags {
			assert.Regexp(t, `(?m)^  (-\w, )?`+flag+`( |$)`, help, verb)
			assert.Regexp(t, `(?m)^  (\\-\w, )?`+strings.ReplaceAll(flag, "-", `\\-`)+`( |$)`, man, verb)
		}
	}
}

// The help pages of refresh and store have at most 88 lines.
func TestLengthOfRefreshPages(t *testing.T) {
	const most = 88
	for _, verb := range verbs(t) {
		if strings.HasPrefix(verb, "refresh") || strings.HasPrefix(verb, "store") {
			assert.LessOrEqual(t, strings.Count(mustPrint(t, "help "+verb), "\n"), most, verb)
		}
	}
}

// TestManualPages has mandoc judge them, where it is.
func TestManualPages(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Log("mandoc is not on this computer: pages are only made, not judged")
	}
	for _, verb := range append([]string{""}, verbs(t)...) {
		page := mustPrint(t, strings.TrimSpace("man "+verb))
		for _, section := range []string{".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXIT STATUS"} {
			assert.Contains(t, "\n"+page, "\n"+section, verb)
		}
		if mandoc == "" {
			continue
		}
		lint := exec.CommandContext(t.Context(), mandoc, "-T", "lint", "-W", "warning")
		lint.Stdin = strings.NewReader(page)
		faults, _ := lint.Output() // its status counts what follows
		for fault := range strings.Lines(string(faults)) {
			assert.Contains(t, fault, "missing date", verb) // which tests do not know
		}
	}
}

// TestExamplesInHelp runs what the help pages advise, in their order.
func TestExamplesInHelp(t *testing.T) {
	policyFiles(t)
	for name, text := range refreshFiles {
		writeFile(t, name, text)
	}
	writeFile(t, "times.txt", "0.5\n1.25\n")
	writeFile(t, "sitemap.xml", "<urlset><url><loc>https://a.example/</loc></url></urlset>")
	writeFile(t, "index.cdx", "example,a)/ 20260101000000 https://a.example/ text/html 200 AAAA - - 1 1 a.warc\n")
	writeFile(t, "fetches.csv", "url,time\n"+strings.Repeat("a,2026-01-01T00:00:00Z\na,2026-01-01T00:00:07Z\n", 9))
	writeFile(t, "seconds.txt", strings.Repeat("1 2 3\n", 5))
	writeFile(t, "robots.csv", "host,delay,unit\na.example,10,second\n")
	writeFile(t, "sites.csv", "id,rate\nhttps://a.example/,2\nhttps://b.example/,1\n")
	mustPrint(t, "store set --store sites.db --bandwidth 1/day")
	mustPrint(t, "store add --store sites.db --input sites.csv")
	found := 0
	for _, page := range append([]string{""}, verbs(t)...) {
		if page == "serve" || page == "store serve" || page == "worker" { // wait for questions
			continue
		}
		_, examples, _ := strings.Cut(mustPrint(t, strings.TrimSpace("help "+page)), "Examples:\n")
		examples = strings.ReplaceAll(examples, " \\\n      ", " ")
		for line := range strings.Lines(examples) {
			example, is := strings.CutPrefix(strings.TrimSpace(line), "mdpsolve ")
			if !is {
				break
			}
			found++
			if strings.HasPrefix(example, "refresh compare") && strings.Contains(example, "--plot") {
				example = strings.Replace(example, "--steps 100", "--steps 2 --synthetic 20", 1)
			}
			if strings.Contains(example, "--for ") { // which wants URLs
				example = strings.Replace(example, "pages.db", "sites.db", 1)
			}
			assert.NotEmpty(t, mustPrint(t, example), example)
		}
	}
	assert.Greater(t, found, 70)
	for _, picture := range []string{"buffer.svg", "curves.svg", "frontier.svg", "figure1.svg"} {
		assert.FileExists(t, picture)
	}
}
