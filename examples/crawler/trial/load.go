// This file says what a crawler meets: how the site's speed varies, and where it departs from the
// model.

package trial

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/examples/crawler/site"
)

// A Load says how much faster than at first the site answers, by the share 0 … 1 of a run that is
// over. The rate λ of a robot is proportional to it.
type Load struct {
	Name  string
	Speed func(share float64) float64
}

// Loads are the loads that there are: steady; jump, on which the site is twice as fast in the
// second third of the run; daily, on which it is up to twice as fast, in a cycle that comes twice.
func Loads() []Load {
	return []Load{
		{"steady", func(float64) float64 { return 1 }},
		{"jump", func(share float64) float64 {
			if share >= 1./3 && share < 2./3 {
				return 2
			}
			return 1
		}},
		{"daily", func(share float64) float64 { return 1.5 - 0.5*math.Cos(4*math.Pi*share) }},
	}
}

// ParseLoad returns the load of a name.
func ParseLoad(name string) (Load, error) {
	var names []string
	for _, l := range Loads() {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return Load{}, fmt.Errorf("there is no load %q: use %s", name, strings.Join(names, ", "))
}

// Reality is a set of departures from the model.
type Reality uint8

// The departures.
const (
	// Latencies has the site answer after a log-normal time.
	Latencies Reality = 1 << iota
	// Sizes has indexing take a time that is proportional to the size of the page.
	Sizes
	// Faults has fetches fail, and pages move or be gone.
	Faults
	// Revisits has robots ask for pages on condition that they have changed. A page that has
	// not changed is not delivered.
	Revisits

	// Plain is none of them, Real all.
	Plain Reality = 0
	Real          = Latencies | Sizes | Faults | Revisits
)

// fetches is the number of fetches that it takes, about, to deliver a page. The site answers so
// much faster, so that robots bring pages at the rate that is asked for.
func (r Reality) fetches() float64 {
	n := 1.0
	if r&Revisits != 0 {
		n *= 2.2
	}
	if r&Faults != 0 {
		n *= 1.2
	}
	return n
}

// latency returns the law of the time that an answer takes, in seconds. Murta and Dutra found the
// times of Web transfers log-normal (Modeling HTTP service times, GLOBECOM 2004, of which we know
// the abstract); σ = 1 is ours, as is the mean.
func (r Reality) latency(mean time.Duration) site.Law {
	if r&Latencies == 0 {
		return site.Exponential(mean.Seconds())
	}
	const sigma = 1.0
	return site.LogNormal{Mu: math.Log(mean.Seconds()) - sigma*sigma/2, Sigma: sigma}
}

// size returns the law of the sizes of pages. Without Sizes they are short, so that the index
// takes less time than the model's services.
func (r Reality) size() site.Law {
	if r&Sizes == 0 {
		return site.Exponential(1000)
	}
	return site.PageSize
}

// faults returns the faults of the site.
func (r Reality) faults() *site.Faults {
	if r&Faults == 0 {
		return nil
	}
	f := site.CommonFaults
	return &f
}
