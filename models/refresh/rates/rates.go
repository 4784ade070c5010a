package rates

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
)

// ErrPrecision says that floating-point numbers did not allow rates as close to the
// conditions of optimality as [Optimize] promises. The solution beside it is
// complete, with its bound.
var ErrPrecision = errors.New("rates: rounding keeps the rates from the conditions of optimality")

// Settings say how [Optimize] works. The zero value is useful.
type Settings struct {
	// Workers is the number of goroutines; below 1, one for each processor. The
	// answer does not depend on it.
	Workers int

	// Rates receives the rates where it is not nil, one for each page, so that
	// no memory is taken.
	Rates []float64

	// Multiplier is a guess of the multiplier, such as that of a similar
	// problem; 0 is none.
	Multiplier float64
}

// Solution is an answer of [Optimize].
type Solution struct {
	// Rates are the rates x_i, in the order of the pages.
	Rates []float64

	// Value is Σ f_i(x_i), or the cost where the objective is one.
	Value float64

	// Bound is what no rates within the bandwidth and the caps can surpass: an
	// upper bound of every value, or a lower one of every cost. It follows from
	// duality, however the rates were found, and includes an allowance of 2⁻⁴⁶ of the
	// values for their own rounding.
	Bound float64

	// Multiplier is the price λ of bandwidth: what one more unit of it gains. It
	// is 0 where the bandwidth is more than the pages can use.
	Multiplier float64

	// HostMultipliers are the prices λ + ν_h of an access to a page of host h,
	// above Multiplier where the cap of the host matters; nil without hosts.
	HostMultipliers []float64

	// Residual is the greatest relative amount by which a page misses the
	// conditions of optimality: f_i′(x_i) equal to the price between the limits of x_i, not above
	// it at the least rate, which is 0 where none is given, not below it at the greatest rate
	// that the page or the objective allows.
	Residual float64

	Used    float64 // Σ x_i
	Active  int     // pages with x_i > 0
	AtLeast int     // pages with their least rate, if that is above 0
	AtMost  int     // pages with their greatest rate
	Passes  int     // over all pages, or those of some hosts

	Elapsed time.Duration
}

// Optimize finds the best rates. The multiplier λ of the bandwidth is the root
// of Σ x_i(λ) = R: O(n) a pass, without sorting, and 4 to 7 passes as a rule. A sample
// of the pages says where to begin; Newton's method in λ^{−1/2} leads to a short interval
// around the root, on which the demand of all pages but a few is a cubic, and the root is
// found with these few alone. Sums are compensated and taken over fixed blocks of pages,
// in their order, so that the answer is the same to the bit at any number of workers.
//
// A page that is about to be given up may lose its last rate within the rounding
// of λ, from 3% of its change rate on with [refresh.FixedOrder]. Where there is such a page,
// the rates are those at the two float64 next to the root, mixed so that they meet
// the bandwidth.
//
// Pages may have a least and a greatest rate ([refresh.Pages]). A page takes the limit that the
// price would have it pass, and no longer answers to the price. If the bandwidth, or the cap of a
// host, is less than the least rates need, the error is an [ExcessError].
//
// With caps for hosts, a host whose pages would ask for more than its cap at λ
// has a multiplier of its own, at which they ask for the cap: the pages of host
// h see max(λ, λ_h). The root of Σ_h min(S_h(λ), C_h) = R is found first, then
// every λ_h, all at the same time.
//
// Where more than one choice is optimal, as with pages of equal merit, equal
// pages get equal rates. Where the bandwidth is more than the pages can use, the
// rest is left unused.
//
// Without an error, Residual, and the relative errors of the bandwidth, of caps and
// of Value beside Bound, are at most 1e-12. Else the error is [ErrPrecision], with a
// complete solution; that of ctx, if it ends, with a solution that keeps to the
// bandwidth and all caps; or that of [refresh.Problem.Validate].
func Optimize(ctx context.Context, p refresh.Problem, settings Settings) (*Solution, error) {
	begin := time.Now()
	workers := settings.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	rates := settings.Rates
	if rates == nil {
		rates = make([]float64, p.Pages.Len())
	} else if len(rates) != p.Pages.Len() {
		panic("rates: Settings.Rates and the pages have different lengths")
	}
	team := parallel.NewTeam(workers)
	defer team.Close()
	m := newHosts(&p, team)
	m.rates = rates
	s := &solver{
		objective: p.Objective, bandwidth: p.Bandwidth, pages: m, count: p.Pages.Len(),
		caps: m.caps, team: team, start: settings.Multiplier,
	}
	solution, err := s.solve(ctx)
	if solution == nil {
		return nil, err
	}
	solution.Rates, solution.Elapsed = rates, time.Since(begin)
	if len(p.HostCaps) > 0 {
		solution.HostMultipliers = s.multipliers
		for host, multiplier := range s.multipliers {
			solution.HostMultipliers[host] = max(solution.Multiplier, multiplier)
		}
	}
	return solution, err
}

// An ExcessError says that least rates need more than there is.
type ExcessError struct {
	Host            int     // whose cap is less than the least rates of its pages; −1: the bandwidth is
	Needed, Allowed float64 // by the least rates, and by the cap or the bandwidth
}

// Error returns a line with both numbers.
func (e *ExcessError) Error() string {
	if e.Host < 0 {
		return fmt.Sprintf("rates: the least rates need a bandwidth of %v: it is %v", e.Needed, e.Allowed)
	}
	return fmt.Sprintf("rates: the least rates of host %d need a cap of %v: it is %v", e.Host, e.Needed, e.Allowed)
}
