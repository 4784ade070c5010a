package refresh

import (
	"fmt"
	"math"
)

// Problem is to maximise Σ f_i(x_i), or to minimise a cost, over rates with
// Σ x_i ≤ Bandwidth and the caps of hosts that are given.
type Problem struct {
	// Pages are the pages. Change rates and weights other than 0 are between
	// 1e-100 and 1e100.
	Pages Pages

	// Objective says what f is.
	Objective Objective

	// Bandwidth is the number R of accesses to all pages per unit of time,
	// between 1e-100 and 1e100.
	Bandwidth float64

	// Hosts is optional and gives the host of each page, an index of HostCaps:
	// the pages of host h get at most HostCaps[h] accesses per unit of time
	// together, 0 or at least 1e-100; a cap of +Inf is none.
	Hosts    []int32
	HostCaps []float64
}

// The range of change rates, weights and bandwidths other than 0: products and
// quotients of three of them are float64, with room to spare. Caps may be greater.
const (
	LeastNumber    = 1e-100
	GreatestNumber = 1e100
)

// Validate returns the first fault found: a [*PageError] where a page has it.
func (p *Problem) Validate() error {
	if p.Objective == nil {
		return invalid("Objective", "nil", "one of this package or of your own")
	}
	if !(p.Bandwidth >= LeastNumber && p.Bandwidth <= GreatestNumber) {
		return invalid("Bandwidth", p.Bandwidth, fmt.Sprintf("a number from %v to %v", LeastNumber, GreatestNumber))
	}
	greatestChangeRate, fastest := p.Limits()
	if err := p.Pages.validate(greatestChangeRate); err != nil {
		return err
	}
	for i, least := range p.Pages.LeastRates {
		if least > fastest {
			return &PageError{i, "LeastRates", least, fmt.Sprintf("at most %v, which objective %v allows", fastest, p.Objective)}
		}
	}
	return p.validateHosts()
}

// Limits returns the greatest change rate and rate of access that the objective allows.
func (p *Problem) Limits() (changeRate, rate float64) {
	if limited, ok := p.Objective.(Limited); ok {
		return limited.Limits()
	}
	return GreatestNumber, math.Inf(1)
}

func (p *Problem) validateHosts() error {
	if p.Hosts == nil && p.HostCaps == nil {
		return nil
	}
	if len(p.Hosts) != p.Pages.Len() {
		return invalid("Hosts", fmt.Sprintf("a slice of %d indices", len(p.Hosts)), fmt.Sprintf("one for each of the %d pages, or nil without HostCaps", p.Pages.Len()))
	}
	for h, most := range p.HostCaps {
		if !(most >= LeastNumber) && most != 0 {
			return invalid(fmt.Sprintf("HostCaps[%d]", h), most, fmt.Sprintf("0 or a number of %v or more", LeastNumber))
		}
	}
	for i, host := range p.Hosts {
		if host < 0 || int(host) >= len(p.HostCaps) {
			return &PageError{i, "Hosts", float64(host), fmt.Sprintf("an index of HostCaps, 0 to %d", len(p.HostCaps)-1)}
		}
	}
	return nil
}
