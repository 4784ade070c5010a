package commandline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestComplete(t *testing.T) {
	root := program(newProgram(new(run)))
	for line, want := range map[string]string{
		"":                             "static robots check help completion man",
		"s":                            "static",
		"x":                            "",
		"robots ":                      "solve",
		"static ":                      "sweep",
		"static s":                     "sweep",
		"static sweep --o":             "--output",
		"static --":                    "--plot --output --many --strict --quiet --log --help",
		"static --plot a --":           "--output --many --strict --quiet --log --help",
		"static --many a --m":          "--many",
		"static -s --st":               "",
		"static --output ":             "text json",
		"static --output j":            "json",
		"static --output=j":            "--output=json",
		"static --output = ":           "--output=text --output=json",
		"static --output = t":          "--output=text",
		"static --plot ":               "/",
		"static --plot=a":              "/",
		"static --many ":               "",
		"check ":                       "/",
		"check M --plot a R --strict ": "/",
		"check M --p":                  "--plot",
		"help ":                        "static robots check help completion man",
		"help robots ":                 "solve",
		"man st":                       "static",
		"completion ":                  "bash zsh fish",
		"--h":                          "--help",
	} {
		var words []string
		for _, found := range complete(root, strings.Split(line, " ")) {
			words = append(words, found.word)
		}
		assert.Equal(t, want, strings.Join(words, " "), line)
	}
}
