package commandline

// Help pages on the terminal.

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// HelpCommand is the verb help.
func HelpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "what there is, or how a verb is used",
		UsageText: "mdpsolve help [VERB…]",
		ArgsUsage: "[VERB…]",
		HideHelp:  true,
		Description: `Without a verb, lists all of them. Every verb also shows its page by --help.

Examples:
  mdpsolve help
  mdpsolve help robots solve`,
		Action: func(c *cli.Context) error {
			found, err := program(c.App).find(c.Args().Slice())
			if err != nil {
				return err
			}
			var out bytes.Buffer
			screen := ui.NewScreen(&out, c.App.Writer)
			screen.Width = min(screen.Width, pageWidth)
			newPage(found).print(screen)
			_, err = c.App.Writer.Write(bytes.ReplaceAll(out.Bytes(), []byte(unbroken), []byte(" ")))
			return err
		},
	}
}

const (
	pageWidth   = 80 // longer lines are hard to read
	longestTerm = 26 // of an item whose text begins on the same line
)

// print prints what it is, examples, what it is about, the verbs below it and options.
func (p page) print(s *ui.Screen) {
	s.Wrapped("", s.Styled(ui.Bold, p.path)+": "+p.Usage)
	s.Printf("\n")
	for i, line := range p.synopsis {
		first := "Usage: "
		if i > 0 {
			first = "       "
		}
		s.Wrapped(first+p.path+" ", inUnits(strings.TrimPrefix(line, p.path)))
	}
	if len(p.examples) > 0 {
		s.Printf("\n")
		s.Heading("Examples:")
		for _, example := range p.examples {
			s.Printf("  %s\n", strings.Join(continued(example, pageWidth-2), " \\\n      "))
		}
	}
	item := false
	for i, b := range p.about {
		if i == 0 || !item || b.term == "" { // items stand together
			s.Printf("\n")
		}
		if item = b.term != ""; item {
			printItems(s, []block{b}, termWidth(p.about))
		} else {
			s.Wrapped("", b.text)
		}
	}
	p.printVerbs(s)
	p.printOptions(s)
	if p.words() == "" {
		s.Printf("\n")
		s.Heading("Exit status:")
		printItems(s, exitStatuses, termWidth(exitStatuses))
	}
}

// unbroken is a blank at which lines are not broken.
const unbroken = "\u2800"

// usageUnit is what stays together in a usage: brackets, or a flag with its value.
var usageUnit = regexp.MustCompile(`\[[^]]*\]|--?[a-z][^ ]* [^-\[ …][^ ]*`)

func inUnits(usage string) string { return usageUnit.ReplaceAllStringFunc(usage, joined) }

// shortDefault is a default value that stays with its word.
var shortDefault = regexp.MustCompile(`\(default: [^ )]*\)`)

func joined(words string) string { return strings.ReplaceAll(words, " ", unbroken) }

// continued cuts a command line between flags, so that there is room for it; lines behind
// the first are to be indented by 4.
func continued(line string, room int) []string {
	const backslash, indentation = 2, 4
	var lines []string
	for len(line) > room {
		at := strings.LastIndex(line[:room-backslash], " -")
		if at <= 0 {
			break
		}
		lines, line = append(lines, line[:at]), line[at+1:]
		if len(lines) == 1 {
			room -= indentation
		}
	}
	return append(lines, line)
}

// printVerbs prints the verbs below, and those below them.
func (p page) printVerbs(s *ui.Screen) {
	if len(p.verbs()) == 0 {
		return
	}
	var items []block
	for below := range p.all() {
		term := strings.TrimPrefix(below.path, p.path+" ")
		items = append(items, block{term, below.Usage})
	}
	s.Printf("\n")
	s.Heading("Verbs:")
	printItems(s, items, termWidth(items))
}

func (p page) printOptions(s *ui.Screen) {
	var items []block
	for _, group := range p.options {
		for _, o := range group.options {
			usage := shortDefault.ReplaceAllStringFunc(o.usage, joined)
			items = append(items, block{o.names(), usage})
		}
	}
	width := termWidth(items)
	for _, group := range p.options {
		s.Printf("\n")
		s.Heading("%s:", group.heading)
		printItems(s, items[:len(group.options)], width)
		items = items[len(group.options):]
	}
}

// termWidth returns the width of a column for the terms of items.
func termWidth(items []block) int {
	width := 0
	for _, item := range items {
		if n := utf8.RuneCountInString(item.term); n <= longestTerm {
			width = max(width, n)
		}
	}
	return width
}

// printItems prints items in two columns.
func printItems(s *ui.Screen, items []block, width int) {
	for _, item := range items {
		term, pad := "  "+item.term, width-utf8.RuneCountInString(item.term)
		if pad < 0 && item.text != "" {
			s.Printf("%s\n", term)
			term, pad = "  ", width
		}
		s.Wrapped(term+strings.Repeat(" ", max(pad, 0)+2), item.text)
	}
}
