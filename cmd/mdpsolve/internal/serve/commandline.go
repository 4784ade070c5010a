package serve

// Command lines as one types them into a shell.

import (
	"fmt"
	"strings"
)

// CommandLine returns the line that gives the same answer in a shell: the verb, its
// flags and its operands.
func CommandLine(verb string, flags []Flag, operands []string) string {
	words := []string{"mdpsolve", verb}
	for _, f := range flags {
		switch {
		case f.IsSwitch:
			words = append(words, "--"+f.Name)
		case strings.HasPrefix(f.Value, "-") || f.Value == "":
			words = append(words, shellWord(f.Argument()))
		default:
			words = append(words, "--"+f.Name, shellWord(f.Value))
		}
	}
	for _, operand := range operands {
		words = append(words, shellWord(operand))
	}
	return strings.Join(words, " ")
}

// plain are the characters that have no meaning of their own for a shell.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-"

// shellWord quotes a word for a shell. What is not ASCII is written by its bytes, as a
// header of HTTP has no other characters.
func shellWord(word string) string {
	switch {
	case word != "" && strings.Trim(word, plain) == "":
		return word
	case strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r > '~' }):
		return escaped(word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// escaped writes a word in the form $'…' of bash and zsh.
func escaped(word string) string {
	var out strings.Builder
	out.WriteString("$'")
	for _, b := range []byte(word) {
		switch {
		case b == '\'' || b == '\\':
			out.WriteByte('\\')
			out.WriteByte(b)
		case b < ' ' || b > '~':
			fmt.Fprintf(&out, `\%03o`, b)
		default:
			out.WriteByte(b)
		}
	}
	out.WriteByte('\'')
	return out.String()
}
