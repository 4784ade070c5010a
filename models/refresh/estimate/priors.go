package estimate

// This file estimates pages among many: by priors of all pages and of hosts, or without.

import (
	"context"
	"errors"
)

// Priors are the laws of change rates before any access to a page. Nil stands for none.
type Priors struct {
	Overall Prior   // of all pages
	Plain   bool    // none could be fitted, and Overall is a plain one: see [ErrPlain]
	ByHost  []Prior // by number of the host; nil if there are fewer than two
}

// FitPriors fits a prior to all pages, by [Fit], and to the pages of each host, by [FitHosts].
// hosts[i] is the number of the host of pages[i], from 0 on, or −1 for none; nil asks for no
// priors of hosts. Errors are those of the two, without ErrPlain.
func FitPriors(ctx context.Context, pages []*History, hosts []int32, workers int) (*Priors, error) {
	p := &Priors{}
	var err error
	if p.Overall, err = Fit(ctx, pages, workers); errors.Is(err, ErrPlain) {
		p.Plain, err = true, nil
	} else if err != nil {
		return nil, err
	}
	var known []*History // with a host
	var of []int32
	several := false
	for i, host := range hosts {
		if host >= 0 {
			known, of = append(known, pages[i]), append(of, host)
			several = several || host != of[0]
		}
	}
	if several {
		p.ByHost, _, err = FitHosts(ctx, known, of, p.Overall, workers)
	}
	return p, err
}

// A PageEstimate is the change rate of a page with an interval. With a prior, it is the mean of
// the posterior, and the standard error that of the posterior.
type PageEstimate struct {
	Estimate
	Lower, Upper float64
	ByHost       bool // by the prior of a host
}

// Estimate returns the estimate of a page of a host, −1 for none, with an interval of some
// confidence: by [Prior.After] or, without priors, by [History.Estimate]. Errors are
// [ErrNoHistory] without priors, and that of a confidence outside 0 … 1.
func (p *Priors) Estimate(h *History, host int32, confidence float64) (e PageEstimate, err error) {
	if p == nil {
		if e.Estimate, err = h.Estimate(); err == nil {
			e.Lower, e.Upper, err = h.Interval(confidence)
		}
		return e, err
	}
	prior := p.Overall
	if e.ByHost = host >= 0 && p.ByHost != nil; e.ByHost {
		prior = p.ByHost[host]
	}
	after := prior.After(h)
	e.Estimate = Estimate{Rate: after.Mean, StandardError: after.StandardDeviation, Accesses: h.Accesses(), Changes: h.Changes()}
	e.Lower, e.Upper, err = after.Interval(confidence)
	return e, err
}
