package refresh

// Pages with announced changes, for refresh rates.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

const signalsText = `For signals, recall is the share of changes that are announced, and false_rate is the
number of false announcements per unit of time. Access a page as soon as its probability
of being up to date falls to access_at (docs/crawling.md).`

// readSignals checks that the objective signals has signals, and drops them for others.
func (r *ratesAnswer) readSignals(a *ui.Arguments) {
	pages := &r.problem.Pages
	switch {
	case r.objective != refresh.Signals{}.String():
		pages.Recalls, pages.FalseRates = nil, nil
	case pages.Recalls == nil:
		a.Fault("objective", "signals needs the column recall, which %s does not have: add the column", lists.FileName(a, "input"))
	}
}
