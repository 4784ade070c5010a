package commandline

// What a word may have been meant for.

import (
	"strings"
	"unicode/utf8"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// unknownVerb refuses a word that is no verb below at. It names the verb that was meant,
// be it elsewhere in the program.
func unknownVerb(program, at verb, word string) error {
	names := map[string][]string{} // the verbs of a name, without the name of the program
	for below := range program.all() {
		names[below.Name] = append(names[below.Name], below.words())
	}
	var here, anywhere []string
	for _, below := range at.verbs() {
		here = append(here, below.Name)
	}
	for name := range names {
		anywhere = append(anywhere, name)
	}
	var meant []string
	if near := nearest(word, here); len(near) > 0 {
		for _, name := range near {
			meant = append(meant, strings.TrimSpace(at.words()+" "+name))
		}
	} else {
		for _, name := range nearest(word, anywhere) {
			meant = append(meant, names[name]...)
		}
	}
	const most = 3 // more would be guessing
	switch {
	case len(here) == 0:
		return ui.UsageErrorf("%q is not a verb: %s has none below it", word, at.words())
	case len(meant) == 0 || len(meant) > most:
		return ui.UsageErrorf(`%q is not a verb: "%s" tells which there are`, word, helpFor(at))
	}
	return ui.UsageErrorf("%q is not a verb: did you mean %s?", word, ui.Enumerate(meant))
}

// unknownFlag refuses a flag that a verb does not have.
func unknownFlag(at verb, typed string) error {
	var names []string
	for _, flag := range at.Flags {
		names = append(names, flag.Names()[0])
	}
	near := nearest(strings.TrimLeft(typed, "-"), append(names, "help"))
	switch {
	case len(near) == 0 && at.Action == nil:
		return ui.UsageErrorf(`%s: not valid without a verb: give one first ("%s" tells which there are)`, typed, helpFor(at))
	case len(near) == 0:
		return ui.UsageErrorf(`%s: unknown flag: "%s" tells which there are`, typed, helpFor(at))
	}
	for i, name := range near {
		near[i] = "--" + name
	}
	return ui.UsageErrorf("%s: unknown flag: did you mean %s?", typed, ui.Enumerate(near))
}

// helpFor returns the command line that explains a verb.
func helpFor(at verb) string {
	program, words, _ := strings.Cut(at.path, " ")
	return strings.TrimSpace(program + " help " + words)
}

// nearest returns the candidates to which the fewest slips of typing lead from a word, in
// their order; none where that takes more than one slip in three letters. A word that
// only breaks off stands for what begins with it.
func nearest(word string, candidates []string) []string {
	const lettersPerSlip, shortest = 3, 2
	var near []string
	least := -1
	for _, candidate := range candidates {
		slips := distance(word, candidate)
		if len(word) >= shortest && strings.HasPrefix(candidate, word) {
			slips = min(slips, 1)
		}
		if slips > max(1, utf8.RuneCountInString(candidate)/lettersPerSlip) || slips >= utf8.RuneCountInString(candidate) {
			continue
		}
		if least < 0 || slips < least {
			near, least = nil, slips
		}
		if slips == least {
			near = append(near, candidate)
		}
	}
	return near
}

// distance returns how many letters have to be changed, added, left out or swapped with
// their neighbour to make b of a, none of them twice (optimal string alignment, after
// Damerau and Levenshtein).
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, last, row := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		before, last, row = last, row, before
		row[0] = i + 1
		for j, y := range to {
			change := 1
			if x == y {
				change = 0
			}
			row[j+1] = min(last[j]+change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && x == to[j-1] && from[i-1] == y {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(to)]
}
