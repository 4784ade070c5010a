package commandline

// The verbs help and man.

import (
	"bytes"
	"fmt"
	"io"
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
		Usage:     "list all verbs, or explain one",
		UsageText: "mdpsolve help [VERB…]",
		ArgsUsage: "[VERB…]",
		Description: `Without a verb, help lists all verbs. VERB --help shows the same page as help VERB.
VERB -h shows a shorter page: examples and the most used flags.

Examples:
  mdpsolve help
  mdpsolve help robots solve`,
		Action: func(c *cli.Context) error {
			found, err := program(c.App).find(c.Args().Slice())
			if err != nil {
				return err
			}
			return printHelp(c.App.Writer, found, false)
		},
	}
}

// printHelp prints the page of a verb: all of it, or a short one.
func printHelp(out io.Writer, v verb, isShort bool) error {
	p := newPage(out)
	p.help(v, isShort)
	_, err := io.WriteString(out, p.taken())
	return err
}

// ManCommand is the verb man; pages name the release and its date.
func ManCommand(release, date string) *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     "print the manual page of a verb as roff",
		UsageText: "mdpsolve man [VERB…]",
		ArgsUsage: "[VERB…]",
		Description: `Without a verb, man prints the page of the whole program. To read a page, and to
install one:

  mdpsolve man robots solve | man -l -
  mdpsolve man robots solve > ~/.local/share/man/man1/mdpsolve-robots-solve.1

Examples:
  mdpsolve man
  mdpsolve man robots solve`,
		Action: func(c *cli.Context) error {
			found, err := program(c.App).find(c.Args().Slice())
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.App.Writer, manual(found, release, date))
			return err
		},
	}
}

// manual returns the manual page of a verb. Its lines are those of the help page, which
// man(1) does not fill again.
func manual(v verb, release, date string) string {
	p := newPage(io.Discard)
	p.Width = pageWidth - 7 // by which man(1) indents
	name := strings.ReplaceAll(v.path, " ", "-")
	var out strings.Builder
	fmt.Fprintf(&out, ".TH \"%s\" 1 \"%s\" \"mdpsolve %s\" \"mdpsolve manual\"\n.nh\n.ad l\n", strings.ToUpper(name), date, release)
	fmt.Fprintf(&out, ".SH NAME\n%s \\- %s\n", roff(name), roff(v.Usage))
	section := func(heading string) {
		fmt.Fprintf(&out, ".SH %s\n.nf\n", strings.ToUpper(heading))
		for line := range strings.Lines(p.taken()) {
			out.WriteString(roff(line))
		}
		out.WriteString(".fi\n")
	}
	p.usage("", v)
	section("Synopsis")
	for _, s := range sections(v, true) {
		p.items(s)
		section(s.heading)
	}
	return out.String()
}

// roff returns a line that roff shows as it is.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") { // which would begin a macro
		line = `\&` + line
	}
	return line
}

// page is a page being written, in lines that fit.
type page struct {
	*ui.Screen
	out *bytes.Buffer
}

const pageWidth = 80 // longer lines are hard to read

func newPage(target io.Writer) page {
	out := new(bytes.Buffer)
	screen := ui.NewScreen(out, target)
	screen.Width = min(screen.Width, pageWidth)
	return page{screen, out}
}

// taken returns the text printed since the last call.
func (p page) taken() string {
	text := strings.ReplaceAll(p.out.String(), unbroken, " ")
	p.out.Reset()
	return text
}

// help prints the page of a verb: all of it, or a short one.
func (p page) help(v verb, isShort bool) {
	p.Wrapped("", p.Styled(ui.Bold, v.path)+": "+v.Usage)
	p.Printf("\n")
	p.usage("Usage: ", v)
	all := sections(v, v.words() == "")
	if isShort {
		all = mostUsed(v, all)
	}
	for _, s := range all {
		p.Printf("\n%s\n", p.Styled(ui.Bold, s.heading+":"))
		p.items(s)
	}
	if isShort {
		p.Printf("\nMore: %s\n", helpFor(v))
	}
}

// usage prints command lines with placeholders, the first after some text.
func (p page) usage(first string, v verb) {
	for line := range strings.Lines(v.UsageText) {
		p.Wrapped(first+v.path+" ", inUnits(strings.TrimPrefix(strings.TrimSpace(line), v.path)))
		first = strings.Repeat(" ", len(first))
	}
}

// items prints what stands under a heading. Terms that are too long for their column have
// a line of their own.
func (p page) items(s section) {
	for i, of := range s.items {
		if i > 0 && (of.term == "" || s.items[i-1].term == "") { // those with terms stand together
			p.Printf("\n")
		}
		term, pad := "  "+of.term, s.width-utf8.RuneCountInString(of.term)
		switch {
		case of.term == "":
			p.Wrapped("", of.text)
			continue
		case of.text == "":
			p.Printf("  %s\n", strings.Join(continued(of.term), " \\\n      "))
			continue
		case pad < 0:
			p.Printf("%s\n", term)
			term, pad = "  ", s.width
		}
		p.Wrapped(term+strings.Repeat(" ", pad+2), inUnits(of.text))
	}
}

// unbroken is a blank at which lines are not broken.
const unbroken = "\u2800"

// unit matches text that stays on one line: brackets, a flag with its value, a short
// default.
var unit = regexp.MustCompile(`\[[^]]*\]|--[a-z][^ ]* [A-Z][^ ]*|\(default: [^ )]*\)`)

func inUnits(words string) string {
	return unit.ReplaceAllStringFunc(words, func(words string) string { return strings.ReplaceAll(words, " ", unbroken) })
}

// continued cuts a command line between flags, so that there is room for it with two
// columns on the left, or six after the first line, and a backslash on the right.
func continued(line string) []string {
	var lines []string
	for room := pageWidth - 2; len(line) > room; room = pageWidth - 6 {
		at := strings.LastIndex(line[:room-2], " -")
		if at <= 0 {
			break
		}
		lines, line = append(lines, line[:at]), line[at+1:]
	}
	return append(lines, line)
}
