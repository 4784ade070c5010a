package figure

// Policies of robots: a case of the picture of any policy over two variables.

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/grid"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// ReadSwitching reads the flags for the panels of [Switching], by the number of phases of a service.
func ReadSwitching(a *ui.Arguments, phases int) *File {
	if phases == 1 {
		return Read(a, switchingPanels(phases))
	}
	f := Read(a, 0)
	f.Expect(a, 1, switchingPanels(phases)-2, 1)
	return f
}

func switchingPanels(phases int) int { return 2 + len(spread(phases)) }

// Switching draws the decisions of a policy for one class of robots over r active robots and q pages,
// as in the paper's Figures 6-8: when a page leaves and, for each phase of the service, when a robot
// delivers. The last panel shows the shares of time with r robots and q pages; nil for none.
func Switching(policy *robots.Policy, shares [][]float64, given string) []Panel {
	p, phases, ends := policy.Parameters(), policy.Phases(), grid.EndingPhases(policy)
	most, rows := p.Robots, p.Buffer+1
	if len(p.Classes) > 0 {
		most = p.ClassList()[0].Robots
	}
	if phases > 1 {
		given += "; an empty queue is drawn in phase 1"
	}
	r := NewCount("r, active robots", 0, most+1, func(i int) int { return i / (rows * phases) })
	q := NewCount("q, pages in the queue", 0, rows, func(i int) int { return i / phases % rows })
	phase := NewCount("phase", 1, phases, func(i int) int { return i % phases })
	phase.Apart = true
	over := func(variables ...*Variable) *Layout {
		l, err := NewLayout((most+1)*rows*phases, variables, "")
		must(err)
		return l
	}
	decide := func(isState bool, i int, yes func(robots.Decisions) bool) int {
		switch {
		case !isState:
			return NoAction
		case yes(policy.Decisions(robots.State{Queue: q.At(i), Phase: phase.At(i), Active: []int{r.At(i)}})):
			return 1
		}
		return 0
	}
	answers := []string{"no", "yes"}
	panels := over(r, q).Actions(Head{"When a page leaves: activate a robot?", given}, answers, func(i int) int {
		// No page leaves an empty queue, and with all robots active there is none to activate.
		isState := q.At(i) > 0 && r.At(i) < most && ends[phase.At(i)]
		return decide(isState, i, func(d robots.Decisions) bool { return d.Activate != robots.NoClass })
	})
	panels = append(panels, over(r, q, phase).Actions(Head{"When a robot delivers: send it out again?", given}, answers, func(i int) int {
		// No robot delivers where none is active, and there is no service in an empty queue.
		isState := r.At(i) > 0 && (q.At(i) > 0 || phase.At(i) == 0)
		return decide(isState, i, func(d robots.Decisions) bool { return d.Reactivate.Has(0) })
	})...)
	if shares == nil {
		return panels
	}
	time := over(r, q).Shares(Head{"Share of time in each state", given}, "share of time", func(i int) float64 {
		if phase.At(i) > 0 {
			return 0 // shares are those of all phases
		}
		return shares[r.At(i)][q.At(i)]
	}, ui.PercentText)
	if phases == 1 {
		time = Bordered(Bordered(time, panels[:1], "a decision changes"), panels[1:], "")
	}
	return append(panels, time...)
}
