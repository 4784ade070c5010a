package commandline

// What help pages and manual pages say of a verb, taken from its declaration.

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// page is what there is to say of a verb.
type page struct {
	verb
	synopsis []string // command lines with placeholders
	examples []string // command lines
	about    []block
	options  []optionGroup
}

// block is a paragraph, or an item: a term and what it means.
type block struct {
	term string // "" for a paragraph
	text string
}

// optionGroup is options under a heading.
type optionGroup struct {
	heading string
	options []option
}

// option is a flag.
type option struct {
	short, long string // with dashes; short may be ""
	value       string // what stands for its value; "" for a switch
	usage       string // with the default
}

// names returns "-o, --output FORMAT".
func (o option) names() string {
	names := o.long
	if o.short != "" {
		names = o.short + ", " + o.long
	}
	return strings.TrimRight(names+" "+o.value, " ")
}

const examplesBegin = "Examples:\n"

func newPage(v verb) page {
	about, examples, _ := strings.Cut(v.Description, examplesBegin)
	p := page{verb: v, about: blocks(about)}
	for line := range strings.Lines(examples) {
		p.examples = append(p.examples, strings.TrimSpace(line))
	}
	usage := v.UsageText
	if usage == "" {
		usage = v.path + " [options]"
	}
	for line := range strings.Lines(usage) {
		p.synopsis = append(p.synopsis, strings.TrimSpace(line))
	}
	p.options = optionGroups(v)
	return p
}

// blocks takes a description apart. Lines that begin with two spaces are items: a term, two
// spaces or more, and what it means, which goes on in lines that are indented by more. All
// other lines are paragraphs, with empty lines between them.
func blocks(text string) []block {
	var found []block
	open := false // the last block goes on
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		words := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch {
		case words == "":
			open = false
		case indent == 2:
			term, text, _ := strings.Cut(words, "  ")
			found = append(found, block{term, strings.TrimSpace(text)})
			open = true
		case open && (indent > 2) == (found[len(found)-1].term != ""):
			found[len(found)-1].text += " " + words
		default:
			found = append(found, block{text: words})
			open = true
		}
	}
	return found
}

// optionGroups returns the flags of a verb by their headings, those without one first and
// those of output last.
func optionGroups(v verb) []optionGroup {
	const common = "Options"
	groups := []optionGroup{{heading: common}}
	add := func(heading string, o option) {
		for i := range groups {
			if groups[i].heading == heading {
				groups[i].options = append(groups[i].options, o)
				return
			}
		}
		groups = append(groups, optionGroup{heading, []option{o}})
	}
	for _, flag := range v.Flags {
		heading := flag.(cli.CategorizableFlag).GetCategory()
		if heading == "" {
			heading = common
		}
		add(heading, newOption(flag))
	}
	add(common, option{short: "-h", long: "--help", usage: "show this page"})
	if at := slices.IndexFunc(groups, func(g optionGroup) bool { return g.heading == ui.OutputGroup }); at >= 0 {
		groups = append(slices.Delete(slices.Clone(groups), at, at+1), groups[at])
	}
	return groups
}

func newOption(flag cli.Flag) option {
	o := option{long: "--" + flag.Names()[0]}
	for _, alias := range flag.Names()[1:] {
		o.short = "-" + alias
	}
	value, usage := placeholder(flag)
	o.usage = usage
	if takesValue(flag) {
		o.value = value
		if text := flag.(cli.DocGenerationFlag).GetDefaultText(); text != "" {
			o.usage += " (default: " + text + ")"
		}
	}
	return o
}

// exitStatuses are those of all verbs.
var exitStatuses = []block{
	{"0", "solved to the tolerance asked for"},
	{"1", "internal failure"},
	{"2", "bad usage or bad input: one line says what to use"},
	{"3", "stopped at a limit: the best answer so far is printed, with its bounds"},
	{"130", "interrupted: likewise"},
}
