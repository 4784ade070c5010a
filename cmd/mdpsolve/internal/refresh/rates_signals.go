package refresh

// Pages whose changes announce themselves, for refresh rates.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

const signalsText = `For the objective signals, PAGES has the columns recall, the share of changes that
a ping, a sitemap or a feed announces, and, optional, false_rate, the number of such
signals without a change per unit of time. The rates then come with a column
access_at. With Δ the change rate, ν the recall and φ the false rate, a copy
fetched τ ago is up to date with probability
e^(−(1−ν)Δτ)·(φ/(φ+νΔ))^n after n signals; access the page as soon as that has
fallen to access_at, unless its rate is 0. The rate is that of these accesses in the
long run.`

// readSignals sees to it that there are signals for the objective that needs them, and
// none for others.
func (r *ratesAnswer) readSignals(a *ui.Arguments) {
	pages := &r.problem.Pages
	switch {
	case r.objective != refresh.Signals{}.String():
		pages.Recalls, pages.FalseRates = nil, nil
	case pages.Recalls == nil:
		a.Fault("objective", "signals needs the column recall, and %s has none: add it, or use another", a.CLI.String("input"))
	}
}
