package figure

// Policies of robots, and the time that they spend where.

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// SwitchingPanels is the number of panels of [Switching].
const SwitchingPanels = 3

// Switching draws the decisions of a policy for one class of robots over r active robots and q pages,
// as in the paper's Figures 6-8. Where a decision depends on the phase of the service, each phase has
// its switching curve. The last panel shows the shares of time with r robots and q pages, which may
// be nil.
func Switching(policy *robots.Policy, shares [][]float64, given string) []Panel {
	p, phases, ends := policy.Parameters(), policy.Phases(), grid.EndingPhases(policy)
	robotsMost, rows := p.Robots, p.Buffer+1
	if len(p.Classes) > 0 {
		robotsMost = p.ClassList()[0].Robots
	}
	r := NewCount("r", 0, robotsMost+1, func(i int) int { return i / (rows * phases) })
	q := NewCount("q", 0, rows, func(i int) int { return i / phases % rows })
	phase := NewCount("phase", 1, phases, func(i int) int { return i % phases })
	decide := func(yes bool) int { return map[bool]int{true: 1}[yes] }
	departure := func(i int) int { // no page leaves an empty queue, and with all robots active there is none to activate
		if q.At(i) == 0 || r.At(i) == robotsMost || !ends[phase.At(i)] {
			return NoAction
		}
		return decide(policy.Decisions(robots.State{Queue: q.At(i), Phase: phase.At(i), Active: []int{r.At(i)}}).Activate != robots.NoClass)
	}
	arrival := func(i int) int { // no robot delivers where none is active, and there is no service in an empty queue
		if r.At(i) == 0 || q.At(i) == 0 && phase.At(i) > 0 {
			return NoAction
		}
		return decide(policy.Decisions(robots.State{Queue: q.At(i), Phase: phase.At(i), Active: []int{r.At(i)}}).Reactivate.Has(0))
	}
	n, variables := (robotsMost+1)*rows*phases, []*Variable{r, q, phase}
	draw := func(title, axes string, names []string, at func(i int) int) Panel {
		l, err := NewLayout(n, variables, axes)
		must(err)
		panel := l.Actions(Head{Title: title, Given: given}, names, at)[0]
		panel.X.Label, panel.Y.Label = "r, active robots", "q, pages in the queue"
		return panel
	}
	curve := func(cells *Cells, look int, name string) *Cells {
		return &Cells{Of: cells.Of, Left: cells.Left, Bottom: cells.Bottom, Wide: cells.Wide, High: cells.High, Lines: true, Look: look, LineName: name}
	}
	var panels []Panel
	for i, event := range []struct {
		title string
		names []string
		at    func(i int) int
	}{
		{"When a page leaves: activate a robot?", []string{"activate none", "activate one"}, departure},
		{"When a robot delivers: send it out again?", []string{"let it rest", "send out again"}, arrival},
	} {
		panel := draw(event.title, "r,q", event.names, event.at)
		cells := panel.Cells[0]
		cells.Lines = false
		if name := &cells.Kinds[len(cells.Kinds)-1].Name; *name != "" {
			*name = "depends on the phase"
		}
		curves := 0
		for k := range phases {
			if i > 0 || ends[k] {
				name := ""
				if phases > 1 {
					name = fmt.Sprintf("in phase %d", k+1)
				}
				own := draw("", fmt.Sprintf("r,q,phase=%d", k+1), event.names, event.at).Cells[0]
				panel.Cells = append(panel.Cells, curve(own, k+1, name))
				curves++
			}
		}
		if i == 0 && curves == 1 && phases > 1 { // services end in one phase
			panel.Cells[1].Look, panel.Cells[1].LineName = 1, ""
		}
		panels = append(panels, panel)
	}
	l, err := NewLayout(n, variables, "r,q")
	must(err)
	time := l.panel(Head{"Share of time in each state", given}, 0)
	if shares != nil {
		time = l.Shares(Head{"Share of time in each state", given}, "share of time", func(i int) float64 {
			if phase.At(i) > 0 {
				return 0 // shares are those of all phases
			}
			return shares[r.At(i)][q.At(i)]
		}, ui.PercentText)[0]
	}
	time.X.Label, time.Y.Label = panels[0].X.Label, panels[0].Y.Label
	if phases == 1 {
		time.Title += ", and the switching curves"
		time.Cells = append(time.Cells, curve(panels[0].Cells[0], 1, "a page leaves"), curve(panels[1].Cells[0], 2, "a robot delivers"))
	}
	return append(panels, time)
}
