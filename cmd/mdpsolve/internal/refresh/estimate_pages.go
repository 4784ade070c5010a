package refresh

// The estimates of pages, from their own histories and from priors.

import (
	"context"
	"errors"
	"fmt"
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
	known     []pageEstimate

	overall     estimate.Prior
	plain       bool // no prior of all pages could be fitted
	hosts       int
	unknown     []string // the first pages without an estimate
	withoutRate int
}

// A pageEstimate is the estimate of a page.
type pageEstimate struct {
	rate, standardError float64
	lower, upper        float64
	accesses, changes   int64
	smoothing           estimate.Smoothing // without a prior
	byHost              bool               // with the prior of a host
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
	estimateOf := e.alone
	if e.prior != priorNone {
		withPrior, err := e.fitPriors(ctx)
		if ctx.Err() != nil {
			return ui.EndEarly(ui.ExitInterrupted, "interrupted while fitting priors: nothing was written")
		}
		if err != nil {
			return err
		}
		estimateOf = withPrior
	} else {
		e.leaveOutUnknown()
	}
	e.known = make([]pageEstimate, len(e.histories))
	const block = 256
	cuts := parallel.Cuts(len(e.known), block)
	failed := make([]error, len(cuts)-1)
	var done atomic.Int64
	parallel.For(e.workers, len(failed), func(b int) {
		for i := cuts[b]; i < cuts[b+1] && failed[b] == nil && ctx.Err() == nil; i++ {
			e.known[i], failed[b] = estimateOf(i)
		}
		progress.Count(done.Add(int64(cuts[b+1]-cuts[b])), int64(len(e.known)), "pages")
	})
	if ctx.Err() != nil {
		return ui.EndEarly(ui.ExitInterrupted, "interrupted while estimating rates: nothing was written")
	}
	for _, known := range e.known {
		if known.smoothing != estimate.NotSmoothed {
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

// alone returns the estimate of a page from its own history alone.
func (e *estimates) alone(page int) (known pageEstimate, err error) {
	h := e.histories[page]
	found, err := h.Estimate()
	if err != nil {
		return known, fmt.Errorf("page %q: %w", e.ids.At(page), err)
	}
	known = pageEstimate{
		rate: found.Rate, standardError: found.StandardError, accesses: found.Accesses, changes: found.Changes,
		smoothing: found.Smoothing,
	}
	known.lower, known.upper, err = h.Interval(e.confidence)
	return known, err
}

// fitPriors fits priors, and returns a function that estimates a page with them.
func (e *estimates) fitPriors(ctx context.Context) (func(page int) (pageEstimate, error), error) {
	var err error
	if e.overall, err = estimate.Fit(ctx, e.histories, e.workers); errors.Is(err, estimate.ErrPlain) {
		e.plain = true
	} else if err != nil {
		return nil, err
	}
	priors, of := []estimate.Prior{e.overall}, make([]int32, len(e.histories)) // the prior of each page
	if e.prior == priorHost {
		number := map[string]int32{} // of a host
		var pages []*estimate.History
		var hostOf []int32
		for i, h := range e.histories {
			host, ok := urlhost.Of(e.ids.Bytes(i))
			if !ok {
				continue // it has the prior of all pages
			}
			n, known := number[string(host)]
			if !known {
				n = int32(len(number))
				number[string(host)] = n
			}
			of[i] = 1 + n
			pages, hostOf = append(pages, h), append(hostOf, n)
		}
		e.hosts = len(number)
		if e.hosts < 2 {
			e.prior = priorAll
			clear(of)
		} else {
			byHost, _, err := estimate.FitHosts(ctx, pages, hostOf, e.overall, e.workers)
			if err != nil {
				return nil, err
			}
			priors = append(priors, byHost...)
		}
	}
	return func(page int) (pageEstimate, error) {
		h := e.histories[page]
		after := priors[of[page]].After(h)
		known := pageEstimate{
			rate: after.Mean, standardError: after.StandardDeviation,
			accesses: h.Accesses(), changes: h.Changes(), byHost: of[page] > 0,
		}
		var err error
		known.lower, known.upper, err = after.Interval(e.confidence)
		return known, err
	}, nil
}
