// Package testdata holds numbers as they are printed in papers, slips
// included: what tests compare with, and what the program's reproduction of
// the tables is held against. Nothing else is known of them here; see
// README.md for their sources.
package testdata

import _ "embed"

// Table1 and Table2 are Tables 1 and 2 of Talim, Liu, Nain and Coffman,
// Controlling Robots of Web Search Engines (draft of 20 May 1999), as CSV with
// a header. μ = 1 throughout. The column gamma holds γ as the fraction that
// gamma_printed abbreviates; numbers of decimals are as printed.
var (
	//go:embed table1_printed.csv
	Table1 string
	//go:embed table2_printed.csv
	Table2 string

	// Figures are the captions of Figures 6-8 of the same paper: what the
	// optimal policy drawn there costs, and the iterations that it took.
	//go:embed figures_printed.csv
	Figures string
)
