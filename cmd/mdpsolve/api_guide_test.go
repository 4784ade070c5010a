package main

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/model"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
)

var (
	curlLine = regexp.MustCompile(`(?m)^curl (?:-F file=@(\S+) |-H 'Accept: ([^']+)' |-o \S+ )?'http://127\.0\.0\.1:7377(/api/[^']+)'$`)
	apiPaths = map[string]*regexp.Regexp{
		http.MethodGet:  regexp.MustCompile("`GET` takes the paths ([^.]+)\\."),
		http.MethodPost: regexp.MustCompile("(?m)^\\| ((?:`[a-z/]+`(?:, )?)+) \\| the (?:model|crawl log|page list|log of)"),
	}
)

// modelVerbs are the verbs for models.
func modelVerbs() []*cli.Command {
	return []*cli.Command{
		model.SolveCommand(), model.EvaluateCommand(), model.SimulateCommand(), model.CheckCommand(), model.ConvertCommand(), model.InfoCommand(),
	}
}

// endpoints are the verbs below /api/.
func endpoints() []serve.Endpoint { return serve.Endpoints(modelVerbs()) }

// isHidden reports whether a verb for models has a flag that help does not show, since the verb
// refuses it with a reason.
func isHidden(verb, flag string) bool {
	return slices.ContainsFunc(modelVerbs(), func(c *cli.Command) bool {
		return c.Name == verb && slices.ContainsFunc(c.Flags, func(f cli.Flag) bool {
			shown, is := f.(cli.VisibleFlag)
			return is && !shown.IsVisible() && f.Names()[0] == flag
		})
	})
}

// modelEndpoints are those for models.
func modelEndpoints() []serve.Endpoint {
	return slices.DeleteFunc(endpoints(), func(e serve.Endpoint) bool { return e.Files != "MODEL" && e.Files != "IN" })
}

// TestAPIGuide asks what docs/server.md asks by curl, and compares its list of paths.
func TestAPIGuide(t *testing.T) {
	text := guideText(t, "server.md")
	writeFile(t, "pages.csv", refreshFiles["pages.csv"])
	s := startServer(t)
	lines := curlLine.FindAllStringSubmatch(text, -1)
	require.Len(t, lines, strings.Count(text, "\ncurl "))
	for i, line := range lines {
		file, accept, path := line[1], line[2], line[3]
		if accept != "" {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path+"&time-limit=0.5", nil)
			require.NoError(t, err)
			request.Header.Set("Accept", accept)
			_, body := s.send(t, request)
			names, _ := events(t, body)
			assert.Equal(t, "result", names[len(names)-1])
			continue
		}
		var files []string
		if file != "" {
			files = []string{file}
		}
		response, body := s.ask(t, path, files...)
		require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", line[0], body)
		if i == 0 { // what the guide says that it answers
			assert.Contains(t, text, "$ "+response.Header.Get("X-Command-Line")+"\n"+body)
		}
	}

	listed, there := map[string][]string{}, map[string][]string{}
	for method, list := range apiPaths {
		for _, paths := range list.FindAllStringSubmatch(text, -1) {
			for _, path := range jsonKey.FindAllStringSubmatch(paths[1], -1) {
				listed[method] = append(listed[method], path[1])
			}
		}
	}
	for _, e := range endpoints() {
		method := http.MethodGet
		if e.Files != "" {
			method = http.MethodPost
		}
		there[method] = append(there[method], e.Name)
		if e.Name == "robots" {
			there[method] = append(there[method], e.Verb) // the only verb with another path
			continue
		}
		assert.Equal(t, strings.ReplaceAll(e.Name, "/", " "), e.Verb)
	}
	for method := range there {
		assert.ElementsMatch(t, there[method], listed[method], method)
	}
}

// None of the flags that the page knows names a file, but for laws, whose files are
// refused.
func TestNoFlagOfTheServerNamesAFile(t *testing.T) {
	option := regexp.MustCompile(`(?m)^  (?:-\w, )?--([a-z-]+)(?:, -\w)?(?: (\S+))?`)
	for _, e := range endpoints() {
		help := mustPrint(t, e.Verb+" --help")
		of := map[string]string{}
		for _, found := range option.FindAllStringSubmatch(help, -1) {
			of[found[1]] = found[2]
		}
		for _, key := range e.Keys {
			value, known := of[key]
			assert.True(t, known || isHidden(e.Verb, key), "%s has no --%s", e.Verb, key)
			assert.False(t, slices.Contains([]string{"FILE", "RESULT", "PAGES", "MODEL"}, value), "%s --%s %s", e.Verb, key, value)
		}
		for _, flag := range e.Downloads {
			assert.True(t, flag == "" || of[flag] == "FILE", "%s --%s", e.Verb, flag)
		}
		for _, upload := range e.Uploads { // those that are written are downloads
			assert.NotRegexp(t, `--`+upload+` \S+\s+(write|draw|save) `, help, e.Verb)
		}
	}
}

// Each flag of a verb for models is a key, or a file that is uploaded or downloaded, but for
// those about the terminal.
func TestFlagsOfModelsAreAtTheServer(t *testing.T) {
	option := regexp.MustCompile(`(?m)^  (?:-\w, )?--([a-z-]+)`)
	all := modelEndpoints()
	require.Len(t, all, 6)
	for _, e := range all {
		there := slices.Concat(e.Keys, e.Uploads, slices.Collect(maps.Values(e.Downloads)))
		for _, found := range option.FindAllStringSubmatch(mustPrint(t, e.Verb+" --help"), -1) {
			isOfTerminal := slices.Contains([]string{"help", "output", "digits", "quiet", "log", "workers", "bounds-out"}, found[1])
			assert.NotEqual(t, isOfTerminal, slices.Contains(there, found[1]), "%s --%s", e.Verb, found[1])
		}
	}
}
