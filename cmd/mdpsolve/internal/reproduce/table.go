// This file writes one table of the paper, printed values beside computed ones.

package reproduce

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// table returns the rows of an exhibit: λ, K and γ, then for each column the printed value,
// the value by the paper's method and, where they differ in some row, the exact one. Values
// are rounded unless all digits are asked for.
func (e *exhibit) table(allDigits bool) []ui.Record {
	rows := make([]ui.Record, len(e.rows))
	for k, r := range e.rows {
		rows[k] = ui.Record{{"lambda", r.parameters.ArrivalRate}, {"K", r.parameters.Buffer}, {"gamma", r.gamma}}
		for i, column := range e.columns {
			c := r.cells[i]
			value := func(x float64) any {
				switch {
				case math.IsNaN(x):
					return nil
				case allDigits:
					return x
				}
				return json.Number(c.round(x))
			}
			rows[k] = append(rows[k], ui.Field{Name: column + "_printed", Value: json.Number(c.printed)}, ui.Field{Name: column, Value: value(c.paper)})
			if e.showsExact(i) {
				rows[k] = append(rows[k], ui.Field{Name: column + "_exact", Value: value(c.exact)})
			}
		}
	}
	return rows
}

// showsExact reports whether a column has exact values beside those of the paper's method.
func (e *exhibit) showsExact(column int) bool {
	name := e.columns[column]
	return name == "C_dynamic" || name == "cost" || slices.ContainsFunc(e.rows, func(r *row) bool {
		c := r.cells[column]
		return !math.IsNaN(c.exact) && c.round(c.exact) != c.round(c.paper)
	})
}

// latex returns the table for LaTeX.
func (e *exhibit) latex() string {
	var out strings.Builder
	groups, names, rows := "& &", `$\lambda$ & $K$ & $\gamma$`, e.table(false)
	for i, column := range e.columns {
		width := 2
		names += " & printed & computed"
		if e.showsExact(i) {
			width, names = 3, names+" & exact"
		}
		symbol, which, _ := strings.Cut(column, "_")
		if which != "" {
			symbol = fmt.Sprintf(`$%s_{\mathrm{%s}}$`, symbol, which)
		}
		groups += fmt.Sprintf(` & \multicolumn{%d}{c}{%s}`, width, symbol)
	}
	fmt.Fprintf(&out, "%% %s of Talim, Liu, Nain and Coffman (1999), recomputed\n\\begin{tabular}{%s}\n\\hline\n%s \\\\\n%s \\\\\n\\hline\n",
		e.name, strings.Repeat("r", len(rows[0])), groups, names)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, field := range row {
			cells[i] = fmt.Sprint(field.Value)
		}
		out.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	out.WriteString("\\hline\n\\end{tabular}\n")
	return out.String()
}
