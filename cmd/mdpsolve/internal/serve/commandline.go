package serve

// Command lines for a shell.

import (
	"slices"
	"strconv"
	"strings"
)

// CommandLine returns the line that gives the same answer in a shell: the verb, its
// flags and its operands.
func CommandLine(verb string, flags []Flag, operands []string) string {
	words := []string{"mdpsolve", verb}
	for _, f := range flags {
		switch {
		case slices.Contains([]string{"", "true", "false"}, f.Value), f.Value[0] == '-': // a switch, or a value that looks like a flag
			words = append(words, shellWord(f.argument()))
		default:
			words = append(words, "--"+f.Name, shellWord(f.Value))
		}
	}
	for _, operand := range operands {
		words = append(words, shellWord(operand))
	}
	return strings.Join(words, " ")
}

// plain are the characters without a special meaning in a shell.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-"

// shellWord quotes a word for a shell. A word with other characters than those of printable
// ASCII gets the form $'…' of bash and zsh, since HTTP headers cannot have them.
func shellWord(word string) string {
	switch {
	case word != "" && strings.Trim(word, plain) == "":
		return word
	case strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r > '~' }):
		quoted := strconv.QuoteToASCII(word) // whose escapes are those of a shell
		return "$'" + strings.ReplaceAll(quoted[1:len(quoted)-1], "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
