// This file writes trees as text.

package rules

import (
	"bufio"
	"fmt"
	"io"
)

// Write writes a tree as conditions:
//
//	if queue <= 3: wait
//	else if active > 1: activate
//	else if down: wait
//	else: activate
//
// condition words the question whether a variable is at most a bound or, if above is
// set, whether it is above; action names an action.
func (t *Tree) Write(w io.Writer, condition func(variable int, bound int64, above bool) string, action func(int32) string) error {
	out := bufio.NewWriter(w)
	var write func(t *Tree, indent, word string)
	write = func(t *Tree, indent, word string) {
		for ; t.Yes != nil; word = "else if " {
			first, rest, above := t.Yes, t.No, false
			if rest.Yes == nil && first.Yes != nil { // what is short comes first
				first, rest, above = rest, first, true
			}
			fmt.Fprintf(out, "%s%s%s:", indent, word, condition(t.Variable, t.Bound, above))
			if t = rest; first.Yes == nil {
				fmt.Fprintf(out, " %s\n", action(first.Action))
			} else {
				fmt.Fprintln(out)
				write(first, indent+"  ", "if ")
			}
		}
		if word == "else if " {
			fmt.Fprintf(out, "%selse: ", indent)
		}
		fmt.Fprintf(out, "%s\n", action(t.Action))
	}
	write(t, "", "if ")
	return out.Flush()
}
