package commandline

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestComplete(t *testing.T) {
	var out strings.Builder
	app := newProgram(new(run))
	app.Writer = &out
	for line, want := range map[string]string{
		"":                            "static robots check help completion man",
		"x":                           "",
		"robots":                      "solve",
		"static":                      "sweep",
		"static sweep":                "",
		"static sweep --o":            "--output",
		"static --":                   "--plot --output --many --strict --quiet --log --help",
		"static --plot a --m":         "--many",
		"static --plot a -":           "--plot --output --many --strict --quiet --log --help",
		"static --output":             "text json",
		"static --plot":               "",
		"static --plot a":             "",
		"check":                       "",
		"check M --plot a R --strict": "--strict",
		"help":                        "static robots check help completion man",
		"help robots":                 "solve",
		"man robots solve":            "",
		"completion":                  "bash fish zsh",
		"--h":                         "--help",
	} {
		out.Reset()
		assert.True(t, Complete(app, slices.Concat([]string{"mdpsolve"}, strings.Fields(line), []string{completionFlag})))
		var words []string
		for line := range strings.Lines(out.String()) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			words = append(words, word)
		}
		assert.Equal(t, want, strings.Join(words, " "), line)
	}
	assert.False(t, Complete(app, []string{"mdpsolve"}))
	assert.False(t, Complete(app, []string{"mdpsolve", "static"}))
}
