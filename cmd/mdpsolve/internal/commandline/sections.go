package commandline

// What the pages of a verb say, taken from its declaration.

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

const (
	verbsHeading    = "Verbs"
	optionsHeading  = "Options"
	examplesHeading = "Examples"
)

// section is what stands under a heading.
type section struct {
	heading string
	items   []item
	isIndex bool // of verbs or flags
	width   int  // of the column of terms
}

func newSection(heading string, items []item, isIndex bool) section {
	return section{heading, items, isIndex, termWidth(items)}
}

// termWidth returns the width of a column of terms, not counting very long ones.
func termWidth(items []item) int {
	const longest = 26
	width := 0
	for _, of := range items {
		if n := utf8.RuneCountInString(of.term); n <= longest && of.text != "" {
			width = max(width, n)
		}
	}
	return width
}

// item is a term and what it means; a paragraph, which has no term; or a line that stands
// alone, which has no text.
type item struct{ term, text string }

// sections returns the sections of a verb that are not empty.
func sections(v verb, withStatus bool) []section {
	var verbs []item
	for below := range v.all() {
		verbs = append(verbs, item{strings.TrimPrefix(below.path, v.path+" "), below.Usage})
	}
	all := []section{newSection(verbsHeading, verbs, true)}
	flags, headings := map[string][]item{}, []string{optionsHeading}
	for _, flag := range append(slices.Clone(v.Flags), helpFlag) {
		heading := cmp.Or(flag.(cli.CategorizableFlag).GetCategory(), optionsHeading)
		if heading != ui.OutputGroup && !slices.Contains(headings, heading) {
			headings = append(headings, heading)
		}
		if flag.(cli.VisibleFlag).IsVisible() {
			flags[heading] = append(flags[heading], flagItem(flag))
		}
	}
	for _, heading := range append(headings, ui.OutputGroup) {
		all = append(all, section{heading, flags[heading], true, termWidth(slices.Concat(slices.Collect(maps.Values(flags))...))})
	}
	description, lines, _ := strings.Cut(v.Description, examplesHeading+":\n")
	all = append(all, newSection("Description", items(description), false), newSection(examplesHeading, items(lines), false))
	if withStatus {
		all = append(all, newSection("Exit status", exitStatuses, false))
	}
	return slices.DeleteFunc(all, func(s section) bool { return len(s.items) == 0 })
}

// mostUsed returns the sections of a short page: a few examples, the verbs one level down,
// and the flags that the usage line and the examples name.
func mostUsed(v verb, all []section) []section {
	const fewest = 3
	var shown strings.Builder
	shown.WriteString(v.UsageText)
	var short, options []section
	for _, s := range all {
		switch {
		case s.heading == examplesHeading:
			for _, line := range s.items {
				shown.WriteString(" " + line.term)
			}
			s.items = s.items[:min(fewest, len(s.items))]
			short = append(short, s)
		case s.isIndex:
			if s.heading == verbsHeading { // without those of groups
				s.items = slices.DeleteFunc(slices.Clone(s.items), func(of item) bool { return strings.Contains(of.term, " ") })
			}
			options = append(options, s)
		}
	}
	named := strings.FieldsFunc(shown.String(), func(r rune) bool { return strings.ContainsRune(" \n[]|=", r) })
	for _, s := range options {
		if s.heading == verbsHeading {
			s = newSection(s.heading, slices.DeleteFunc(slices.Clone(s.items), func(of item) bool { return strings.Contains(of.term, " ") }), true)
		} else {
			s.items = slices.DeleteFunc(slices.Clone(s.items), func(of item) bool {
				return !slices.ContainsFunc(strings.FieldsFunc(of.term, func(r rune) bool { return r == ' ' || r == ',' }),
					func(word string) bool { return strings.HasPrefix(word, "-") && slices.Contains(named, word) })
			})
		}
		if len(s.items) > 0 {
			short = append(short, s)
		}
	}
	return short
}

// items takes a description apart. Lines that begin with two spaces are items: a term, two
// spaces or more, and what it means, which goes on in lines that are indented by more. All
// other lines are paragraphs, with empty lines between them.
func items(text string) []item {
	var found []item
	open := false // the last one goes on
	for line := range strings.Lines(text) {
		words := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case words == "":
			open = false
		case indent == 2:
			term, text, _ := strings.Cut(words, "  ")
			found = append(found, item{term, strings.TrimSpace(text)})
			open = true
		case open && (indent > 2) == (found[len(found)-1].term != ""):
			found[len(found)-1].text += " " + words
		default:
			found = append(found, item{text: words})
			open = true
		}
	}
	return found
}

// helpFlag stands for the verb help; see [Run].
var helpFlag = ui.SwitchFlag("help", "show this page (-h: a shorter one)", "h")

// flagItem returns "-o, --output FORMAT" and what that does.
func flagItem(flag cli.Flag) item {
	var term strings.Builder
	for _, alias := range flag.Names()[1:] {
		if len(alias) == 1 { // longer ones are old names and other spellings
			term.WriteString("-" + alias + ", ")
		}
	}
	term.WriteString("--" + flag.Names()[0])
	value, usage := placeholder(flag)
	if takesValue(flag) {
		term.WriteString(" " + value)
		if text := flag.(cli.DocGenerationFlag).GetDefaultText(); text != "" {
			usage += " (default: " + text + ")"
		}
	}
	return item{term.String(), usage}
}

// exitStatuses are those of all verbs.
var exitStatuses = []item{
	{"0", "solved to the tolerance asked for"},
	{"1", "internal failure"},
	{"2", "bad usage or bad input: one line says what to use"},
	{"3", "stopped at a limit, with the best answer so far and its bounds; or check: not all claims hold"},
	{"130", "interrupted, with the best answer so far and its bounds"},
}
