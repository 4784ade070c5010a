package refresh

// The estimates of pages, from their own histories and from priors.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// The kinds of priors.
const (
	priorHost = "host"
	priorAll  = "all"
	priorNone = "none"
)

// priorPages is the least number of pages with two accesses for a prior by default: the shape
// of one fitted to fewer pages may be off by a factor of 2.
const priorPages = 30

// estimates are those of the pages of a history, and of a list.
type estimates struct {
	confidence float64
	prior      string // "" until it has been chosen
	workers    int

	unit               unit.Unit
	rows, unusable     int64
	failed             int64 // rows
	pages, gone        int
	unlisted           int // pages of the history that are not in a complete list
	informed, smoothed int // pages with two accesses; those of them that needed smoothing

	ids       pagefile.IDs // of the pages with an estimate
	histories []*estimate.History
	known     []estimate.PageEstimate

	priors      *estimate.Priors // nil without
	hosts       int
	unknown     []string // the first pages without an estimate
	withoutRate int
}

// gather collects the pages of histories that are not gone, and those of a list. If the list is
// complete, pages that are not in it are left out.
func (e *estimates) gather(histories *pagefile.Histories, listed *pagefile.IDs, complete bool) {
	var inList *pagefile.Index
	if complete {
		inList = pagefile.NewIndex(listed)
	}
	e.unit, e.failed, e.pages = histories.Unit, histories.Failed, histories.IDs.Len()
	for i := range e.pages {
		log := &histories.Logs[i]
		if log.Gone() {
			e.gone++
			continue
		}
		if inList != nil {
			if _, found := inList.Find(histories.IDs.Bytes(i)); !found {
				e.unlisted++
				continue
			}
		}
		e.ids.Append(histories.IDs.Bytes(i))
		e.histories = append(e.histories, log.History())
		if log.History().Accesses() > 0 {
			e.informed++
		}
	}
	if listed == nil {
		return
	}
	index := pagefile.NewIndex(&histories.IDs)
	for i := range listed.Len() {
		if _, found := index.Find(listed.Bytes(i)); !found {
			e.pages++
			e.ids.Append(listed.Bytes(i))
			e.histories = append(e.histories, &estimate.History{})
		}
	}
}

// choosePrior chooses a prior if none was given.
func (e *estimates) choosePrior(needed bool) {
	switch {
	case e.prior != "":
	case needed || e.informed >= priorPages:
		e.prior = priorHost
	default:
		e.prior = priorNone
	}
}

// compute finds the estimates.
func (e *estimates) compute(ctx context.Context) error {
	progress := ui.ProgressOf(ctx)
	progress.Phase("estimating")
	hostOf := slices.Repeat([]int32{-1}, len(e.histories))
	if e.prior == priorNone {
		e.leaveOutUnknown()
	} else {
		if e.prior == priorHost {
			e.numberHosts(hostOf)
		}
		var err error
		e.priors, err = estimate.FitPriors(ctx, e.histories, hostOf, e.workers)
		if ctx.Err() != nil {
			return ui.EndEarly(ui.ExitInterrupted, "interrupted while fitting priors: nothing was written")
		}
		if err != nil {
			return err
		}
		if e.priors.ByHost == nil {
			e.prior = priorAll
		}
	}
	e.known = make([]estimate.PageEstimate, len(e.histories))
	const block = 256
	cuts := parallel.Cuts(len(e.known), block)
	failed := make([]error, len(cuts)-1)
	var done atomic.Int64
	parallel.For(e.workers, len(failed), func(b int) {
		for i := cuts[b]; i < cuts[b+1] && failed[b] == nil && ctx.Err() == nil; i++ {
			var err error
			if e.known[i], err = e.priors.Estimate(e.histories[i], hostOf[i], e.confidence); err != nil {
				failed[b] = fmt.Errorf("page %q: %w", e.ids.At(i), err)
			}
		}
		progress.Count(done.Add(int64(cuts[b+1]-cuts[b])), int64(len(e.known)), "pages")
	})
	if ctx.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while estimating rates: nothing was written")
	}
	for _, known := range e.known {
		if known.Smoothing != estimate.NotSmoothed {
			e.smoothed++
		}
	}
	return errors.Join(failed...)
}

// leaveOutUnknown leaves out the pages without two accesses.
func (e *estimates) leaveOutUnknown() {
	var ids pagefile.IDs
	histories := e.histories[:0]
	for i, h := range e.histories {
		if h.Accesses() > 0 {
			ids.Append(e.ids.Bytes(i))
			histories = append(histories, h)
			continue
		}
		e.withoutRate++
		if len(e.unknown) < pagefile.KeptFaults {
			e.unknown = append(e.unknown, e.ids.At(i))
		}
	}
	e.ids, e.histories = ids, histories
}

// numberHosts gives hosts numbers, and finds those of the pages whose host is known.
func (e *estimates) numberHosts(hostOf []int32) {
	number := map[string]int32{}
	for i := range hostOf {
		host, ok := urlhost.Of(e.ids.Bytes(i))
		if !ok {
			continue // it has the prior of all pages
		}
		n, known := number[string(host)]
		if !known {
			n = int32(len(number))
			number[string(host)] = n
		}
		hostOf[i] = n
	}
	e.hosts = len(number)
}
