package commandline

// The verbs help and man: templates that print a page.

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

const (
	helpTemplate = `{{title .}}
{{range .Sections}}
{{section .}}{{end}}`

	// shortTemplate has the names of verbs and flags alone.
	shortTemplate = `{{title .}}
{{range .Names}}
{{names .}}{{end}}
"mdpsolve help{{slice .Path 8}}" explains them.
`

	manTemplate = `.TH "{{upper (name .Path)}}" 1 "{{date}}" "mdpsolve {{release}}" "mdpsolve manual"
.nh
.ad l
.SH NAME
{{roff (name .Path)}} \- {{roff .Usage}}
.SH SYNOPSIS
{{range $i, $line := .Synopsis}}{{if $i}}.br
{{end}}{{roff $line}}
{{end}}{{range .Sections}}.SH {{upper (roff .Heading)}}
{{range $i, $b := .Blocks}}{{if and .Term .Text}}.TP
\fB{{roff .Term}}\fR
{{roff .Text}}
{{else if .Text}}{{if $i}}.PP
{{end}}{{roff .Text}}
{{else}}{{if $i}}.PP
{{end}}.RS
{{roff .Term}}
.RE
{{end}}{{end}}{{end}}`
)

// shortPage is the flag of the verb help for which -h stands.
const shortPage = "short"

// HelpCommand is the verb help.
func HelpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "what there is, or how a verb is used",
		UsageText: "mdpsolve help [VERB…]",
		ArgsUsage: "[VERB…]",
		HideHelp:  true,
		Flags:     []cli.Flag{&cli.BoolFlag{Name: shortPage, Hidden: true}},
		Description: `Without a verb, lists all of them. Every verb shows its page by --help, too, and the
names of its flags alone by -h.

Examples:
  mdpsolve help
  mdpsolve help robots solve`,
		Action: func(c *cli.Context) error {
			found, err := program(c.App).find(c.Args().Slice())
			if err != nil {
				return err
			}
			template := helpTemplate
			if c.Bool(shortPage) {
				template = shortTemplate
			}
			screen := newPageScreen(c)
			cli.HelpPrinterCustom(c.App.Writer, template, newPage(found, false), map[string]any{
				"title": screen.title, "section": screen.section, "names": screen.names,
			})
			return nil
		},
	}
}

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
			found, err := program(c.App).find(c.Args().Slice())
			if err != nil {
				return err
			}
			cli.HelpPrinterCustom(c.App.Writer, manTemplate, newPage(found, true), map[string]any{
				"roff": roff, "upper": strings.ToUpper,
				"name":    func(path string) string { return strings.ReplaceAll(path, " ", "-") },
				"release": func() string { return release }, "date": func() string { return date },
			})
			return nil
		},
	}
}

// roff returns a line that roff shows as it is.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") { // which would begin a macro
		line = `\&` + line
	}
	return line
}

// pageScreen prints parts of a help page in lines that fit.
type pageScreen struct {
	*ui.Screen
	out *bytes.Buffer
}

const pageWidth = 80 // longer lines are hard to read

func newPageScreen(c *cli.Context) pageScreen {
	out := new(bytes.Buffer)
	screen := ui.NewScreen(out, c.App.Writer)
	screen.Width = min(screen.Width, pageWidth)
	return pageScreen{screen, out}
}

// printed returns what has been printed since it was called last.
func (s pageScreen) printed() string {
	text := strings.ReplaceAll(s.out.String(), unbroken, " ")
	s.out.Reset()
	return text
}

func (s pageScreen) title(p page) string {
	s.Wrapped("", s.Styled(ui.Bold, p.Path)+": "+p.Usage)
	s.Printf("\n")
	first := "Usage: "
	for _, line := range p.Synopsis {
		s.Wrapped(first+p.Path+" ", inUnits(strings.TrimPrefix(line, p.Path)))
		first = "       "
	}
	return strings.TrimSuffix(s.printed(), "\n")
}

func (s pageScreen) section(what section) string {
	s.Heading("%s:", what.Heading)
	for i, b := range what.Blocks {
		if i > 0 && (b.Term == "" || what.Blocks[i-1].Term == "") { // items stand together
			s.Printf("\n")
		}
		term, pad := "  "+b.Term, what.Width-utf8.RuneCountInString(b.Term)
		switch {
		case b.Term == "":
			s.Wrapped("", b.Text)
			continue
		case b.Text == "":
			s.Printf("  %s\n", strings.Join(continued(b.Term), " \\\n      "))
			continue
		case pad < 0:
			s.Printf("%s\n", term)
			term, pad = "  ", what.Width
		}
		s.Wrapped(term+strings.Repeat(" ", pad+2), inUnits(b.Text))
	}
	return s.printed()
}

// names returns the terms of a section alone.
func (s pageScreen) names(what section) string {
	terms := make([]string, len(what.Blocks))
	for i, b := range what.Blocks {
		terms[i] = strings.ReplaceAll(b.Term, " ", unbroken)
	}
	s.Heading("%s:", what.Heading)
	s.Wrapped("  ", strings.Join(terms, ";  "))
	return s.printed()
}

// unbroken is a blank at which lines are not broken.
const unbroken = "\u2800"

// unit is what stays together: brackets, a flag with its value, a short default.
var unit = regexp.MustCompile(`\[[^]]*\]|--[a-z][^ ]* [A-Z][^ ]*|\(default: [^ )]*\)`)

func inUnits(words string) string {
	return unit.ReplaceAllStringFunc(words, func(words string) string { return strings.ReplaceAll(words, " ", unbroken) })
}

// continued cuts a command line between flags, so that there is room for it with two
// columns on the left, or six behind the first line, and a backslash on the right.
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
