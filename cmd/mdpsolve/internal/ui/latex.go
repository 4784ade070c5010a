package ui

// Tables for LaTeX, and numbers with a given number of decimals: for tables in papers.

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// FormatLatex is a value of --output of verbs that print tables.
const FormatLatex = "latex"

const mostDecimals = 15

// TableOutputFlag is --output of a verb that prints a table.
func TableOutputFlag() cli.Flag {
	flag := NewChoiceFlag("output", "print `FORMAT`", FormatText, append(slices.Clone(formats), FormatLatex)...)
	flag.Aliases = []string{"o"}
	return Group(OutputGroup, flag)[0]
}

// DigitsFlag is --digits of a verb that prints a table.
func DigitsFlag() cli.Flag {
	return Group(OutputGroup, ValueFlag("digits", "show numbers with `n` decimals (not in json)", ""))[0]
}

// ReadDigits reads --digits, for all numbers that are printed afterwards. isTable says that text is
// a table of such numbers, too.
func (a *Arguments) ReadDigits(isTable bool) {
	if a.CLI.IsSet("digits") {
		with := []string{FormatCSV, FormatMarkdown, FormatLatex}
		if isTable {
			with = append(with, FormatText)
		}
		a.OnlyWith("digits", "output "+wording.Alternatives(with), slices.Contains(with, a.Format))
		a.decimals = new(int(a.WholeWithin("digits", 0, mostDecimals)))
	}
}

// withDecimals returns the function that writes numbers: text, unless decimals are given. A percentage
// stays one, with the decimals of the share: 0.3326 is 33.26%.
func withDecimals(decimals *int, text func(float64) string) func(float64) string {
	if decimals == nil || text == nil {
		return text
	}
	return func(x float64) string {
		switch written := text(x); {
		case strings.ContainsAny(written, "∞"):
			return written
		case strings.HasSuffix(written, "%"):
			return strconv.FormatFloat(100*x, 'f', max(*decimals-2, 0), 64) + "%"
		}
		return strconv.FormatFloat(x, 'f', *decimals, 64)
	}
}

// latexSigns are the characters that LaTeX writes differently.
var latexSigns = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "|", `$|$`,
	"λ", `$\lambda$`, "μ", `$\mu$`, "γ", `$\gamma$`, "ρ*", `$\rho^*$`, "ρ", `$\rho$`, "∞", `$\infty$`, "−", `$-$`, "→", `$\to$`, "≤", `$\leq$`, "≥", `$\geq$`, "±", `$\pm$`,
)

// symbols are the letters in headings that are symbols of the paper.
var symbols = regexp.MustCompile(`\b[KN]\b`)

// oneLine puts the lines of a heading on one.
var oneLine = strings.NewReplacer("-\n", "-", "/\n", "/", "\n", " ")

// seen returns the columns that people see in text. If there are none, it returns all, and the headings are
// their names with spaces for underscores.
func (r Record) seen(decimals *int) (headings, cells []string) {
	for _, f := range r {
		if column, is := f.Value.(shown); is {
			headings, cells = append(headings, oneLine.Replace(column.heading)), append(cells, column.cell(decimals))
		}
	}
	if headings == nil {
		for _, name := range r.names() {
			headings = append(headings, strings.ReplaceAll(name, "_", " "))
		}
		return headings, r.cells(withDecimals(decimals, PlainText))
	}
	return headings, cells
}

// Rounded returns a number with the decimals of --digits, or otherwise text.
func (s *Screen) Rounded(x float64, text string) string {
	return withDecimals(s.decimals, func(float64) string { return text })(x)
}

// Plain is [PlainText], and Percent [PercentText], with the decimals of --digits.
func (s *Screen) Plain(x float64) string { return s.Rounded(x, PlainText(x)) }

// Percent writes a share as a percentage.
func (s *Screen) Percent(x float64) string { return s.Rounded(x, PercentText(x)) }

// turned returns a record for each field that people see and that has a value.
func (r Record) turned(decimals *int) (rows []Record) {
	names, cells := r.seen(decimals)
	for i, name := range names {
		if cells[i] != "" {
			rows = append(rows, Record{{"name", name}, {"value", cells[i]}})
		}
	}
	return rows
}

// latex returns a table for LaTeX.
func latex(rows []Record, decimals *int) string {
	if len(rows) == 0 {
		return ""
	}
	var out strings.Builder
	line := func(cells []string, written func(string) string) {
		for i, cell := range cells {
			if i > 0 {
				out.WriteString(" & ")
			}
			out.WriteString(written(cell))
		}
		out.WriteString(" \\\\\n")
	}
	headings, first := rows[0].seen(decimals)
	out.WriteString(`\begin{tabular}{`)
	for _, cell := range first {
		_, err := strconv.ParseFloat(strings.TrimSuffix(cell, "%"), 64)
		if err == nil || cell == "" || strings.Contains(cell, "∞") {
			out.WriteByte('r')
		} else {
			out.WriteByte('l')
		}
	}
	out.WriteString("}\n\\hline\n")
	line(headings, func(heading string) string { return symbols.ReplaceAllString(latexSigns.Replace(heading), "$$$0$$") })
	out.WriteString("\\hline\n")
	for _, row := range rows {
		_, cells := row.seen(decimals)
		line(cells, latexSigns.Replace)
	}
	out.WriteString("\\hline\n\\end{tabular}\n")
	return out.String()
}
