package reproduce

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

func TestReproduction(t *testing.T) {
	exhibits, err := recompute(t.Context(), printedExhibits([]string{"6", "7", "8"}, []string{"1", "2"}))
	require.NoError(t, err)
	report := newReport(exhibits, nil)
	assert.Equal(t, 3*2+27*6+18*6, report.cells)
	assert.Equal(t, report.cells, report.equal+len(report.differing))
	assert.Zero(t, report.unexplained)
	require.Len(t, report.notes, 1) // how Table 1 counts iterations

	for _, e := range exhibits[:2] {
		for _, c := range e.cells() {
			assert.True(t, c.agreesByPaper(), "%v, %s, %s", c.row.label, c.row.name, c.column)
		}
	}
	// The errata of Table 2: two costs, three N_max.
	type place struct{ row, column string }
	errata := map[place]string{}
	for _, c := range report.differing {
		if c.row.label == 2 {
			errata[place{c.row.name, c.column}] = c.verdict
		}
	}
	require.Len(t, errata, 5)
	assert.Contains(t, errata[place{"lambda=0.05 K=10 gamma=6/5", "C_dynamic"}], "that of the row lambda=0.05 K=10 gamma=12/5")
	assert.Contains(t, errata[place{"lambda=0.05 K=10 gamma=12/5", "C_dynamic"}], "22 (Table 1)")
	for _, row := range []string{"lambda=0.05 K=5 gamma=12/5", "lambda=0.1 K=5 gamma=7/5", "lambda=0.1 K=5 gamma=12/5"} {
		assert.Contains(t, errata[place{row, "N_max"}], "one more than the greatest number of robots that recurs")
	}
}

// TestUnexplained alters printed numbers: nothing computed is equal to them.
func TestUnexplained(t *testing.T) {
	exhibits := printedExhibits(nil, []string{"2"})
	altered := map[string]string{"C_static": "0.17577", "N_static": "14", "C_dynamic": "0.13771", "N_min": "9", "N_mean": "15.8", "N_max": "23"}
	for _, c := range exhibits[0].rows[0].cells {
		c.printed = altered[c.column]
	}
	exhibits, err := recompute(t.Context(), exhibits)
	require.NoError(t, err)
	report := newReport(exhibits, nil)
	assert.Equal(t, len(altered), report.unexplained)
	for _, c := range exhibits[0].rows[0].cells {
		assert.Contains(t, c.verdict, "unexplained", c.column)
	}
}

// TestCountingNeedsAllRows alters one printed count: then none of them counts
// as equal.
func TestCountingNeedsAllRows(t *testing.T) {
	exhibits := printedExhibits(nil, []string{"1"})
	cells := exhibits[0].rows[3].cells
	last := cells[len(cells)-1]
	require.Equal(t, "iterations", last.column)
	last.printed = "1796"
	exhibits, err := recompute(t.Context(), exhibits)
	require.NoError(t, err)
	report := newReport(exhibits, nil)
	assert.Empty(t, report.notes)
	assert.Equal(t, 27, report.unexplained)
}

func TestRoundingToPrintedDecimals(t *testing.T) {
	for _, test := range []struct {
		printed string
		value   float64
		want    bool
	}{
		{"0.13333", 2.0 / 15, true},
		{"0.13334", 2.0 / 15, false},
		{"0.40000", 0.4, true},
		{"0.40000", 0.400005, true}, // a tie may go either way
		{"0.40001", 0.400005, true},
		{"0.40000", 0.40000501, false},
		{"0.40001", 0.40000499, false},
		{"9.6", 9.55, true}, // binary 9.55 lies below the tie
		{"9.5", 9.55, true},
		{"9.6", 9.5499, false},
		{"10.0", 9.9500001, true},
		{"32", 31, false},
		{"32", 32, true},
		{"32", math.NaN(), false},
	} {
		c := &cell{printed: test.printed}
		assert.Equal(t, test.want, c.agree(test.value), "%s for %v", test.printed, test.value)
	}
}

func TestMarkedNumbersAreColoured(t *testing.T) {
	var out bytes.Buffer
	s := ui.NewScreen(&out, &out)
	s.Colour = true
	assert.Equal(t, "1 \x1b[33m2*\x1b[0m 3", markedText(s, "1 2* 3"))
}

// Figures 2-5 against what Proposition 2, Lemmas 2 and 3 and equation (16) of the paper say
// of the curves: numbers rise with γ; loads rise with K where γ ≤ μ, and otherwise rise and
// then fall, towards 1; and N(γ,∞) changes where ⌊μ/λ⌋ and ⌈μ/λ⌉ cost the same.
func TestCurveFigures(t *testing.T) {
	figures, err := curveFigures(curveNumbers)
	require.NoError(t, err)
	require.Len(t, figures, 4)
	for _, curve := range figures[0].panel.Curves {
		for i := 1; i < len(curve.Points); i++ {
			assert.GreaterOrEqual(t, curve.Points[i].Y, curve.Points[i-1].Y, curve.Name)
		}
	}
	assert.Len(t, figures[0].panel.Curves, 3) // two buffers and the limit
	for _, curve := range figures[1].panel.Curves {
		turns := 0
		for i := 2; i < len(curve.Points); i++ {
			before, after := curve.Points[i-1].Y-curve.Points[i-2].Y, curve.Points[i].Y-curve.Points[i-1].Y
			if before > 0 && after < 0 {
				turns++
			}
			assert.False(t, before < 0 && after > 0, "%s falls and rises", curve.Name)
		}
		risesOnly := curve.Name == "γ = 1/2" || curve.Name == "γ = 1"
		assert.Equal(t, risesOnly, turns == 0, curve.Name)
		assert.InDelta(t, 1, curve.Points[len(curve.Points)-1].Y, 0.05, curve.Name)
	}
	for _, curve := range figures[2].panel.Curves {
		assert.Equal(t, 10.0, curve.Points[len(curve.Points)-1].Y, curve.Name) // μ/λ
	}
	for _, curve := range figures[3].panel.Curves {
		gamma := map[string]float64{"γ = 1/2": 0.5, "γ = 1": 1, "γ = 2": 2}[curve.Name]
		for i := 1; i+1 < len(curve.Points); i += 2 {
			n := curve.Points[i].Y
			assert.InEpsilon(t, (gamma*n+n+1)/(gamma+1), curve.Points[i].X, 1e-13, curve.Name)
		}
	}
}
