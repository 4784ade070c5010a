// Package wording writes names as messages show them.
package wording

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName is how many characters of a name a message shows.
const maxName = 60

// Short returns a text, without its middle where it has more than 60 characters:
// the names in a file, and of files, may be as long as they like, and a message is
// one line.
func Short(text string) string {
	if utf8.RuneCountInString(text) <= maxName {
		return text
	}
	head, tail := 0, len(text)
	for range maxName / 2 {
		_, width := utf8.DecodeRuneInString(text[head:])
		head += width
	}
	for range maxName - maxName/2 - 1 {
		_, width := utf8.DecodeLastRuneInString(text[:tail])
		tail -= width
	}
	return text[:head] + "…" + text[tail:]
}

// Quote returns [Short] of a text in quotation marks, in which what cannot be
// printed is escaped as Go does it.
func Quote(text string) string { return strconv.Quote(Short(text)) }

// maxListed is how many names a message lists.
const maxListed = 20

// List returns names in quotation marks, with commas between them: the first 20, and
// how many more there are.
func List(names []string) string {
	var quoted []string
	for _, name := range names[:min(len(names), maxListed)] {
		quoted = append(quoted, Quote(name))
	}
	if more := len(names) - maxListed; more > 0 {
		quoted = append(quoted, fmt.Sprintf("… (%d more)", more))
	}
	return strings.Join(quoted, ", ")
}

// Nearest returns the name that takes at most two insertions, deletions or substitutions
// of bytes to make of a word, and fewest of all names; "" for none.
func Nearest(word string, names []string) (nearest string) {
	const most = 2
	least := most + 1
	for _, name := range names {
		row := make([]int, len(name)+1) // distances of the beginning of word from those of name
		for i := range row {
			row[i] = i
		}
		for i := range len(word) {
			diagonal := row[0]
			row[0] = i + 1
			for k := range len(name) {
				change := diagonal
				if word[i] != name[k] {
					change++
				}
				diagonal = row[k+1]
				row[k+1] = min(change, diagonal+1, row[k]+1)
			}
		}
		if distance := row[len(name)]; distance < least && distance < len(name) {
			nearest, least = name, distance
		}
	}
	return nearest
}

// Invalid says that a value is not valid and what to use in its place: "1 is not
// valid: use a whole number of 2 or more".
func Invalid(value any, use string) string {
	return fmt.Sprintf("%v is not valid: use %s", value, use)
}
