// Package wording writes names as messages show them.
package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is how many characters of a name a message shows.
const maxName = 60

// Short returns a text, without its middle where it has more than 60 characters:
// the names in a file, and of files, may be as long as they like, and a message is
// one line. What cannot be printed is escaped as Go does it.
func Short(text string) string { return cut(printable(text), maxName, maxName/2) }

// cut returns a text of at most so many characters, of which head are from its beginning.
func cut(text string, most, head int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	from, to := 0, len(text)
	for range head {
		_, width := utf8.DecodeRuneInString(text[from:])
		from += width
	}
	for range most - head - 1 {
		_, width := utf8.DecodeLastRuneInString(text[:to])
		to -= width
	}
	return text[:from] + "…" + text[to:]
}

// maxLine is the greatest number of characters of a message, without the name of the program,
// which is put before it.
const maxLine = 270

// Line returns a message as one line of at most 270 characters, whatever it quotes: long
// words are shortened, then the whole, and what cannot be printed is escaped as Go does it.
func Line(message string) string {
	words := strings.Fields(message)
	line := printable(strings.Join(words, " "))
	if utf8.RuneCountInString(line) > maxLine {
		for i, word := range words {
			words[i] = Short(word)
		}
		line = cut(strings.Join(words, " "), maxLine, 2*maxLine/3)
	}
	return line
}

// printable returns a text with an escape for each character that cannot be printed.
func printable(text string) string {
	var written strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)): // no UTF-8
			fmt.Fprintf(&written, `\x%02x`, text[i])
		case unicode.IsPrint(r):
			written.WriteRune(r)
		default:
			written.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return written.String()
}

// Quote returns a text in quotation marks, shortened as by [Short].
func Quote(text string) string { return strconv.Quote(cut(text, maxName, maxName/2)) }

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

// Alternatives joins words by commas and "or": "a, b or c".
func Alternatives(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
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

// Count returns a number with a noun in its plural: "1 state", "2 states", "3 buses", "4 policies".
func Count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		noun += "e"
	case strings.HasSuffix(noun, "cy"):
		noun = strings.TrimSuffix(noun, "y") + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OneOf returns an error for the text of a member that is none of those known. "" among them
// stands for a member that may be missing.
func OneOf(member, text string, known []string) error {
	if slices.Contains(known, text) {
		return nil
	}
	use := List(slices.DeleteFunc(slices.Clone(known), func(word string) bool { return word == "" }))
	if text == "" {
		return fmt.Errorf("%s is missing: use one of %s", member, use)
	}
	return fmt.Errorf("%s: %q is not valid: use one of %s", member, text, use)
}
