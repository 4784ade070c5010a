package ui

// Tables for LaTeX.

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLatexTables(t *testing.T) {
	rows := []Record{
		{{"lambda", Shown("λ", 0.125)}, {"hidden", 1.0}, {"saving", Shown("saved_%", 0.25, PercentText)}, {"name", Shown("a & b", "x_1 {#}")}},
		{{"lambda", Shown("λ", math.Inf(1))}, {"hidden", 1.0}, {"saving", Shown("saved_%", nil)}, {"name", Shown("a & b", `\`)}},
	}
	head := "\\begin{tabular}{rrl}\n\\hline\n$\\lambda$ & saved\\_\\% & a \\& b \\\\\n\\hline\n"
	tail := "$\\infty$ &  & \\textbackslash{} \\\\\n\\hline\n\\end{tabular}\n"
	assert.Equal(t, head+"0.125 & 25\\% & x\\_1 \\{\\#\\} \\\\\n"+tail, latex(rows, nil))
	assert.Equal(t, head+"0.12 & 25\\% & x\\_1 \\{\\#\\} \\\\\n"+tail, latex(rows, new(2)), "halves to even, as printf does; a percentage has the decimals of the share")
	plain := Record{{"x", 1.0}, {"a_word", "a"}, {"none", nil}}
	assert.Equal(t, "\\begin{tabular}{rlr}\n\\hline\nx & a word & none \\\\\n\\hline\n1 & a &  \\\\\n1 & a &  \\\\\n\\hline\n\\end{tabular}\n", latex([]Record{plain, plain}, nil), "all columns where none is for people")
	assert.Equal(t, "\\begin{tabular}{lr}\n\\hline\nname & value \\\\\n\\hline\nx & 1.0 \\\\\na word & a \\\\\n\\hline\n\\end{tabular}\n", latex(plain.turned(new(1)), nil), "a row for each field")
	symbols := Record{{"K", Shown("K", 5)}, {"cost", Shown("cost ≤ N", 0.33257, PercentText)}, {"N_min", Shown("N min", "no N")}}
	assert.Equal(t, "\\begin{tabular}{rrl}\n\\hline\n$K$ & cost $\\leq$ $N$ & $N$ min \\\\\n\\hline\n5 & 33.26\\% & no N \\\\\n\\hline\n\\end{tabular}\n", latex([]Record{symbols}, new(4)), "symbols of headings in math")
	assert.Empty(t, latex(nil, nil))
}
