package commandline

// Suggestions for misspelt words.

import (
	"maps"
	"slices"
	"strings"

	"github.com/xrash/smetrics"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// unknownVerb refuses a word that is no verb below at. It suggests a similar verb of the
// whole program.
func unknownVerb(program, at verb, word string) error {
	names := map[string][]string{} // the verbs of a name, without the name of the program
	for below := range program.all() {
		names[below.Name] = append(names[below.Name], below.words())
	}
	meant := names[nearest(word, slices.Sorted(maps.Keys(names)))]
	if near := nearest(word, at.names()); near != "" {
		meant = []string{strings.TrimSpace(at.words() + " " + near)}
	}
	switch {
	case len(at.names()) == 0:
		return ui.UsageErrorf("%q is not a verb: %s has none", word, at.words())
	case len(meant) == 0:
		return ui.UsageErrorf(`%q is not a verb: see "%s"`, word, helpFor(at))
	}
	return ui.UsageErrorf("%q is not a verb: did you mean %s?", word, wording.Alternatives(meant))
}

// unknownFlag refuses a flag that a verb does not have.
func unknownFlag(at verb, typed string) error {
	names := []string{"help"}
	for _, flag := range at.Flags {
		names = append(names, flag.Names()[0])
	}
	near := nearest(strings.TrimLeft(typed, "-"), names)
	switch {
	case near == "" && at.Action == nil:
		return ui.UsageErrorf(`%s: not valid without a verb: give one first (see "%s")`, typed, helpFor(at))
	case near == "":
		return ui.UsageErrorf(`%s: unknown flag: see "%s"`, typed, helpFor(at))
	}
	return ui.UsageErrorf("%s: unknown flag: did you mean --%s?", typed, near)
}

// helpFor returns the command line that explains a verb.
func helpFor(at verb) string {
	program, words, _ := strings.Cut(at.path, " ")
	return strings.TrimSpace(program + " help " + words)
}

// nearest returns the candidate that is most similar to a word, "" if none is. A candidate
// that begins with the word, or ends with it after a hyphen, counts as similar.
func nearest(word string, candidates []string) (nearest string) {
	const threshold, boost, prefix, shortest = 0.9, 0.7, 4, 2
	most := threshold
	for _, candidate := range candidates {
		similarity := smetrics.JaroWinkler(word, candidate, boost, prefix)
		if len(word) >= shortest && (strings.HasPrefix(candidate, word) || strings.HasSuffix(candidate, "-"+word)) {
			similarity = max(similarity, threshold)
		}
		if similarity >= most && similarity > 0 && (nearest == "" || similarity > most) {
			nearest, most = candidate, similarity
		}
	}
	return nearest
}
