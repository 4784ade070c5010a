package ui

// Tables for LaTeX, and numbers with a given number of decimals: for tables in papers.

import (
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
	return Group(OutputGroup, ValueFlag("digits", "show numbers with `n` decimals (in csv too; not in json)", ""))[0]
}

// ReadDigits reads --digits, for all numbers that are printed afterwards.
func (a *Arguments) ReadDigits() {
	if a.CLI.IsSet("digits") {
		a.OnlyWith("digits", "output "+wording.Alternatives([]string{FormatText, FormatCSV, FormatMarkdown, FormatLatex}), a.Format != FormatJSON)
		a.decimals = new(int(a.WholeWithin("digits", 0, mostDecimals)))
	}
}

// withDecimals returns the function that writes numbers: text, unless decimals are given. A percentage
// stays one.
func withDecimals(decimals *int, text func(float64) string) func(float64) string {
	if decimals == nil || text == nil {
		return text
	}
	return func(x float64) string {
		switch written := text(x); {
		case strings.ContainsAny(written, "∞"):
			return written
		case strings.HasSuffix(written, "%"):
			return strconv.FormatFloat(100*x, 'f', *decimals, 64) + "%"
		}
		return strconv.FormatFloat(x, 'f', *decimals, 64)
	}
}

// latexSigns are the characters that LaTeX writes differently.
var latexSigns = strings.NewReplacer(
	`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `$<$`, ">", `$>$`, "|", `$|$`,
	"λ", `$\lambda$`, "μ", `$\mu$`, "γ", `$\gamma$`, "ρ", `$\rho$`, "∞", `$\infty$`, "−", `$-$`, "→", `$\to$`, "≤", `$\leq$`, "≥", `$\geq$`, "±", `$\pm$`,
)

// latex returns a table for LaTeX: the columns that people see in text or, where there are none, all.
func latex(rows []Record, decimals *int) string {
	if len(rows) == 0 {
		return ""
	}
	cellsOf := func(row Record) (headings, cells []string) {
		for _, f := range row {
			if column, is := f.Value.(shown); is {
				headings, cells = append(headings, column.heading), append(cells, cellText(column.value, withDecimals(decimals, column.text)))
			}
		}
		if headings == nil {
			return row.names(), row.cells(withDecimals(decimals, PlainText))
		}
		return headings, cells
	}
	var out strings.Builder
	line := func(cells []string) {
		for i, cell := range cells {
			if i > 0 {
				out.WriteString(" & ")
			}
			out.WriteString(latexSigns.Replace(cell))
		}
		out.WriteString(" \\\\\n")
	}
	headings, first := cellsOf(rows[0])
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
	line(headings)
	out.WriteString("\\hline\n")
	for _, row := range rows {
		_, cells := cellsOf(row)
		line(cells)
	}
	out.WriteString("\\hline\n\\end{tabular}\n")
	return out.String()
}
