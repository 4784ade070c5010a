package commandline

// What help pages and manual pages say of a verb, taken from its declaration.

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// page is what templates print.
type page struct {
	Path, Usage string
	Synopsis    []string  // command lines with placeholders
	Names       []section // of verbs and flags
	Sections    []section // all, those of Names among them
}

// section is what stands under a heading.
type section struct {
	Heading string
	Blocks  []block
	Width   int // of the column of terms
}

// block is a paragraph, which has no term; an item: a term and what it means; or a line
// that stands alone, which has no text.
type block struct{ Term, Text string }

// newPage returns the page of a verb; on that of the whole program there are exit statuses
// in any case.
func newPage(v verb, wantsStatus bool) page {
	const examples = "Examples"
	description, lines, _ := strings.Cut(v.Description, examples+":\n")
	p := page{Path: v.path, Usage: v.Usage}
	for line := range strings.Lines(v.UsageText) {
		p.Synopsis = append(p.Synopsis, strings.TrimSpace(line))
	}
	var verbs []block
	for below := range v.all() {
		verbs = append(verbs, block{strings.TrimPrefix(below.path, v.path+" "), below.Usage})
	}
	p.add(newSection("Verbs", verbs))
	p.add(flagSections(v)...)
	p.Names = p.Sections
	p.add(newSection("Description", blocks(description)), newSection(examples, blocks(lines)))
	if wantsStatus || v.words() == "" {
		p.add(newSection("Exit status", exitStatuses))
	}
	return p
}

// add adds sections that have something to say.
func (p *page) add(sections ...section) {
	for _, s := range sections {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
}

func newSection(heading string, blocks []block) section {
	return section{heading, blocks, termWidth(blocks)}
}

// termWidth returns the width of a column for the terms of items; those that are longer
// have a line of their own.
func termWidth(blocks []block) int {
	const longest = 26
	width := 0
	for _, b := range blocks {
		if n := utf8.RuneCountInString(b.Term); n <= longest && b.Text != "" {
			width = max(width, n)
		}
	}
	return width
}

// blocks takes a description apart. Lines that begin with two spaces are items: a term, two
// spaces or more, and what it means, which goes on in lines that are indented by more. All
// other lines are paragraphs, with empty lines between them.
func blocks(text string) []block {
	var found []block
	open := false // the last block goes on
	for line := range strings.Lines(text) {
		words := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case words == "":
			open = false
		case indent == 2:
			term, text, _ := strings.Cut(words, "  ")
			found = append(found, block{term, strings.TrimSpace(text)})
			open = true
		case open && (indent > 2) == (found[len(found)-1].Term != ""):
			found[len(found)-1].Text += " " + words
		default:
			found = append(found, block{Text: words})
			open = true
		}
	}
	return found
}

// flagSections returns the flags of a verb by their categories, those without one first
// and those of output last.
func flagSections(v verb) []section {
	sections := []section{{Heading: "Options"}}
	var all []block
	for _, flag := range append(slices.Clone(v.Flags), helpFlag) {
		category := flag.(cli.CategorizableFlag).GetCategory()
		if !flag.(cli.VisibleFlag).IsVisible() {
			continue
		}
		if category == "" {
			category = sections[0].Heading
		}
		at := slices.IndexFunc(sections, func(s section) bool { return s.Heading == category })
		if at < 0 {
			at, sections = len(sections), append(sections, section{Heading: category})
		}
		option := flagBlock(flag)
		sections[at].Blocks, all = append(sections[at].Blocks, option), append(all, option)
	}
	for i := range sections {
		sections[i].Width = termWidth(all)
	}
	isOutput := func(s section) bool { return s.Heading == ui.OutputGroup }
	if at := slices.IndexFunc(sections, isOutput); at >= 0 {
		output := sections[at]
		sections = append(slices.Delete(sections, at, at+1), output)
	}
	return sections
}

// helpFlag is what [Arrange] makes the verb help of.
var helpFlag = ui.SwitchFlag("help", "show this page; -h: the flags alone", "h")

// flagBlock returns "-o, --output FORMAT" and what that does.
func flagBlock(flag cli.Flag) block {
	var term strings.Builder
	for _, alias := range flag.Names()[1:] {
		term.WriteString("-" + alias + ", ")
	}
	term.WriteString("--" + flag.Names()[0])
	value, usage := placeholder(flag)
	if takesValue(flag) {
		term.WriteString(" " + value)
		if text := flag.(cli.DocGenerationFlag).GetDefaultText(); text != "" {
			usage += " (default: " + text + ")"
		}
	}
	return block{term.String(), usage}
}

// exitStatuses are those of all verbs.
var exitStatuses = []block{
	{"0", "solved to the tolerance asked for"},
	{"1", "internal failure"},
	{"2", "bad usage or bad input: one line says what to use"},
	{"3", "stopped at a limit: the best answer so far is printed, with its bounds"},
	{"130", "interrupted: likewise"},
}
