package robots

import (
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

// decisionCounts count how a fleet's policy decides, over all states with the
// same queue length and number of active robots: these differ in the phase of
// the service and in the classes of the robots.
type decisionCounts struct {
	fleet      robots.Fleet
	departures [][]int   // by place: how often nobody and each class is activated
	arrivals   [][][]int // by class and place: how often its robot rests and goes out again
}

// place returns the position of a queue length and a number of active robots.
func (d decisionCounts) place(queue, active int) int { return queue*(d.fleet.Robots()+1) + active }

func countDecisions(policy *robots.FleetPolicy) decisionCounts {
	f := policy.Fleet()
	d := decisionCounts{fleet: f, arrivals: make([][][]int, len(f.Classes))}
	places := (f.Buffer + 1) * (f.Robots() + 1)
	d.departures = newCounts(places, 1+len(f.Classes))
	for c := range d.arrivals {
		d.arrivals[c] = newCounts(places, 2)
	}
	ends := endingPhases(policy)
	active := make([]int, len(f.Classes))
	for total := 0; total >= 0; total = nextMix(active, f.Classes, total) {
		for queue := range f.Buffer + 1 {
			at := d.place(queue, total)
			for phase, ending := range ends {
				if queue == 0 && (phase > 0 || total == 0) {
					break // no service is going on; nobody would ever bring a page
				}
				decisions := policy.Decisions(robots.FleetState{Queue: queue, Phase: phase, Active: active})
				if queue > 0 && ending {
					d.departures[at][1+decisions.Activate]++
				}
				for c, r := range active {
					if r > 0 && decisions.Reactivate.Has(c) {
						d.arrivals[c][at][1]++
					} else if r > 0 {
						d.arrivals[c][at][0]++
					}
				}
			}
		}
	}
	return d
}

func newCounts(places, width int) [][]int {
	all := make([]int, places*width)
	counts := make([][]int, places)
	for i := range counts {
		counts[i] = all[i*width : (i+1)*width]
	}
	return counts
}

// nextMix moves on to the next numbers of active robots, of which there are
// total, and returns how many there are then; −1 at the end.
func nextMix(active []int, classes []robots.Class, total int) int {
	for c := range active {
		if active[c] < classes[c].Robots {
			active[c]++
			return total + 1
		}
		total -= active[c]
		active[c] = 0
	}
	return -1
}

// endingPhases says of each phase whether services end in it: then somebody is
// activated when the last page leaves and no robot is active.
func endingPhases(policy *robots.FleetPolicy) []bool {
	ends := make([]bool, policy.Phases())
	nobody := make([]int, len(policy.Fleet().Classes))
	for phase := range ends {
		ends[phase] = policy.Decisions(robots.FleetState{Queue: 1, Phase: phase, Active: nobody}).Activate != robots.NoClass
	}
	return ends
}

func (d decisionCounts) frame(width int, departures bool) ui.Frame {
	return ui.Frame{Robots: d.fleet.Robots(), Buffer: d.fleet.Buffer, Width: width, Departures: departures}
}

// sum adds up counts over a block of places.
func (d decisionCounts) sum(counts [][]int, q, r, queues, numbers int) []int {
	total := make([]int, len(counts[0]))
	for i := q; i < q+queues && i <= d.fleet.Buffer; i++ {
		for j := r; j < r+numbers && j <= d.fleet.Robots(); j++ {
			for k, n := range counts[d.place(i, j)] {
				total[k] += n
			}
		}
	}
	return total
}

// drawDepartures draws the class that is activated, or whether one is where
// there is one class.
func (d decisionCounts) drawDepartures(width int) []string {
	return d.frame(width, true).Draw(func(q, r, queues, numbers int) rune {
		return activationCharacter(d.sum(d.departures, q, r, queues, numbers))
	})
}

// activationCharacter stands for how often nobody and each class is activated.
func activationCharacter(counts []int) rune {
	all, yes, only := 0, 0, 0
	for k, n := range counts {
		all += n
		if k > 0 {
			yes += n
		}
		if n > 0 {
			only = k
		}
	}
	if len(counts) > 2 && all > 0 && only > 0 {
		if counts[only] == all {
			return '0' + rune(only) // MaxClasses is a digit
		}
		if yes == all {
			return '+'
		}
	}
	return ui.Shade(yes, all)
}

// drawArrivals draws whether a robot of a class is sent out again.
func (d decisionCounts) drawArrivals(width, class int) []string {
	return d.frame(width, false).Draw(func(q, r, queues, numbers int) rune {
		counts := d.sum(d.arrivals[class], q, r, queues, numbers)
		return ui.Shade(counts[1], counts[0]+counts[1])
	})
}
