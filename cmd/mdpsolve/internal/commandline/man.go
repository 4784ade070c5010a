package commandline

// Manual pages, as roff with the macros of man(7).

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// ManCommand is the verb man; pages name the release and its date.
func ManCommand(release, date string) *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     "the manual page of a verb, as roff",
		UsageText: "mdpsolve man [VERB…]",
		ArgsUsage: "[VERB…]",
		HideHelp:  true,
		Description: `Writes to standard output what man(1) shows; without a verb, the page of the whole
program. To read a page, and to keep one where man(1) looks for it:

  mdpsolve man robots solve | man -l -
  mdpsolve man robots solve > ~/.local/share/man/man1/mdpsolve-robots-solve.1

Examples:
  mdpsolve man
  mdpsolve man robots solve`,
		Action: func(c *cli.Context) error {
			root := program(c.App)
			found, err := root.find(c.Args().Slice())
			if err != nil {
				return err
			}
			var out bytes.Buffer
			newPage(found).roff(&out, root, release, date)
			_, err = c.App.Writer.Write(out.Bytes())
			return err
		},
	}
}

// roff writes a manual page.
func (p page) roff(out *bytes.Buffer, root verb, release, date string) {
	line := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	line(`.\" Made by: %s`, strings.TrimSpace(root.path+" man "+p.words()))
	line(`.TH "%s" 1 "%s" "%s %s" "%s manual"`, strings.ToUpper(manName(p.verb)), date, root.path, release, root.path)
	line(".nh\n.ad l") // flags stay whole
	line(".SH NAME\n%s \\- %s", escaped(manName(p.verb)), escaped(p.Usage))
	line(".SH SYNOPSIS")
	for i, synopsis := range p.synopsis {
		if i > 0 {
			line(".br")
		}
		line(`\fB%s\fR%s`, escaped(p.path), escaped(strings.TrimPrefix(synopsis, p.path)))
	}
	if len(p.examples) > 0 {
		line(".SH EXAMPLES\n.nf")
		for _, example := range p.examples {
			for i, part := range continued(example, pageWidth-7) { // man indents by 7
				if i > 0 {
					out.Truncate(out.Len() - 1) // the line end
					part = `    ` + part
					line(` \e`)
				}
				line("%s", escaped(part))
			}
		}
		line(".fi")
	}
	if len(p.about) > 0 {
		line(".SH DESCRIPTION")
		for i, b := range p.about {
			switch {
			case b.term != "":
				roffItem(out, b)
			case i > 0:
				line(".PP\n%s", filled(b.text))
			default:
				line("%s", filled(b.text))
			}
		}
	}
	if len(p.verbs()) > 0 {
		line(".SH VERBS")
		for below := range p.all() {
			roffItem(out, block{strings.TrimPrefix(below.path, p.path+" "), below.Usage})
		}
	}
	for i, group := range p.options {
		if i == 0 {
			line(".SH OPTIONS")
		} else {
			line(".SS %s", escaped(group.heading))
		}
		for _, o := range group.options {
			roffItem(out, block{o.names(), o.usage})
		}
	}
	line(".SH EXIT STATUS")
	for _, status := range exitStatuses {
		roffItem(out, status)
	}
	p.roffSeeAlso(out, root)
}

// roffItem writes a term and what it means, or a line that stands alone.
func roffItem(out *bytes.Buffer, b block) {
	if b.text == "" {
		fmt.Fprintf(out, ".PP\n.RS\n%s\n.RE\n", escaped(b.term))
		return
	}
	fmt.Fprintf(out, ".TP\n\\fB%s\\fR\n%s\n", escaped(b.term), filled(b.text))
}

// roffSeeAlso names the pages above and below.
func (p page) roffSeeAlso(out *bytes.Buffer, root verb) {
	var names []string
	for at, words := root, strings.Fields(p.words()); len(words) > 0; words = words[1:] {
		names = append(names, manName(at))
		at, _ = at.follow(words[:1])
	}
	for _, below := range p.verbs() {
		names = append(names, manName(below))
	}
	fmt.Fprintf(out, ".SH SEE ALSO\n")
	for i, name := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		fmt.Fprintf(out, ".BR %s (1)%s\n", escaped(name), comma)
	}
}

// manName returns the name of the manual page of a verb.
func manName(v verb) string { return strings.ReplaceAll(v.path, " ", "-") }

// filled returns a text in lines that are short enough for all that read roff.
func filled(text string) string {
	const width = 80
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(escaped(line+" "+word)) > width:
			lines, line = append(lines, escaped(line)), word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, escaped(line)), "\n")
}

// escaped returns a line that roff shows as it is.
func escaped(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") { // which would begin a macro
		line = `\&` + line
	}
	return line
}
