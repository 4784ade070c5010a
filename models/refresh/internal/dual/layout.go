package dual

import (
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// chunk is the number of pages that an objective is asked about at a time: its
// vectors stay in the nearest cache. block is the number in a run, the unit of
// parallel work and of sums.
const (
	chunk = 512
	block = 8192
)

// layout is the order in which passes go through the pages: run after run, each
// of pages of one group. Without hosts there is one group, of the pages as they
// are; else one for each host with a cap, and one for all others together, which
// takes less time than many.
type layout struct {
	groupOf []int32   // by host; nil without hosts
	caps    []float64 // by group

	order  []int32 // pages by group; nil without hosts
	starts []int   // cuts of the positions into groups
	runs   []run
	tasks  []int // cuts of the runs into tasks
}

// run is a range of positions of one group.
type run struct{ group, from, to int }

// newLayout sorts pages by group, if there are hosts, by counting.
func newLayout(p *Problem) *layout {
	if p.Hosts == nil {
		l := &layout{caps: []float64{math.Inf(1)}}
		if p.Remote != nil {
			l.runs = []run{{}}
			return l
		}
		l.cut([]int{0, p.Len()})
		return l
	}
	if p.Remote != nil {
		l := &layout{}
		l.group(p.HostCaps)
		for g := range l.caps {
			l.runs = append(l.runs, run{group: g})
		}
		return l
	}
	l := &layout{order: make([]int32, p.Len())}
	l.group(p.HostCaps)
	starts := make([]int, len(l.caps)+1)
	for _, host := range p.Hosts {
		starts[l.groupOf[host]+1]++
	}
	for g := range l.caps {
		starts[g+1] += starts[g]
	}
	l.cut(starts)
	next := slices.Clone(starts)
	for i, host := range p.Hosts {
		g := l.groupOf[host]
		l.order[next[g]] = int32(i)
		next[g]++
	}
	return l
}

// group puts hosts into groups.
func (l *layout) group(hostCaps []float64) {
	l.groupOf = make([]int32, len(hostCaps))
	open := int32(-1)
	for host, most := range hostCaps {
		if math.IsInf(most, 1) && open >= 0 {
			l.groupOf[host] = open
			continue
		}
		l.groupOf[host] = int32(len(l.caps))
		if math.IsInf(most, 1) {
			open = l.groupOf[host]
		}
		l.caps = append(l.caps, most)
	}
}

// cut makes runs of at most block pages, and tasks of runs with about as many.
func (l *layout) cut(starts []int) {
	l.starts, l.tasks = starts, []int{0}
	load := 0
	for group := range len(starts) - 1 {
		for from := starts[group]; from < starts[group+1]; from += block {
			r := run{group, from, min(from+block, starts[group+1])}
			l.runs = append(l.runs, r)
			if load += r.to - r.from; load >= block {
				l.tasks = append(l.tasks, len(l.runs))
				load = 0
			}
		}
	}
	if l.tasks[len(l.tasks)-1] < len(l.runs) {
		l.tasks = append(l.tasks, len(l.runs))
	}
}

// each calls body for every run, tasks in parallel.
func (l *layout) each(team *parallel.Team, body func(run int)) {
	team.For(len(l.tasks)-1, func(task int) {
		for r := l.tasks[task]; r < l.tasks[task+1]; r++ {
			body(r)
		}
	})
}

// plainSum adds numbers of which a few digits matter.
func plainSum(numbers []float64) float64 {
	var sum [4]float64
	n := len(numbers) &^ 3
	for i := 0; i < n; i += 4 {
		four := numbers[i : i+4 : i+4]
		sum[0] += four[0]
		sum[1] += four[1]
		sum[2] += four[2]
		sum[3] += four[3]
	}
	for _, x := range numbers[n:] {
		sum[0] += x
	}
	return sum[0] + sum[1] + sum[2] + sum[3]
}
