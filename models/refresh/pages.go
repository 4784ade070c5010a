package refresh

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
)

// Pages are the pages to be kept up to date, as parallel slices: page i changes
// ChangeRates[i] times per unit of time on average, as a Poisson process, and
// counts with Weights[i]. Both are 0 or numbers from 1e-100 to 1e100. Nil Weights
// are 1 for every page. A page that never changes or has no weight gains nothing
// from an access.
//
// The slices are not copied: 10⁸ pages are 1.6 GB.
type Pages struct {
	ChangeRates []float64
	Weights     []float64
}

// Len returns the number of pages.
func (p Pages) Len() int { return len(p.ChangeRates) }

// Weight returns the weight of page i.
func (p Pages) Weight(i int) float64 {
	if p.Weights == nil {
		return 1
	}
	return p.Weights[i]
}

// Slice returns the pages from … to−1, without copying them.
func (p Pages) Slice(from, to int) Pages {
	part := Pages{ChangeRates: p.ChangeRates[from:to]}
	if p.Weights != nil {
		part.Weights = p.Weights[from:to]
	}
	return part
}

// A PageError says which page has a number that is not allowed.
type PageError struct {
	Page    int     // index
	Field   string  // name of the field of [Pages] or [Problem]
	Value   float64 // the number found
	Allowed string  // what is allowed
}

// Error returns a line with the page, the field, the number found and what is
// allowed.
func (e *PageError) Error() string {
	return fmt.Sprintf("refresh: %s[%d] is %v; allowed is %s", e.Field, e.Page, e.Value, e.Allowed)
}

// Validate returns a [*PageError] for the first page with a number that is not
// allowed, or an error if there are weights but not one for each page.
func (p Pages) Validate() error { return p.validate(GreatestNumber, 1) }

// validate is Validate on several workers, with a limit on change rates.
func (p Pages) validate(greatestChangeRate float64, workers int) error {
	if err := checkLength("Weights", p.Weights, p.Len()); err != nil {
		return err
	}
	const allowed = "0 or a number from %v to %v"
	if err := checkNumbers("ChangeRates", p.ChangeRates, numbers{LeastNumber, greatestChangeRate},
		fmt.Sprintf(allowed, LeastNumber, greatestChangeRate), workers); err != nil {
		return err
	}
	return checkNumbers("Weights", p.Weights, numbers{LeastNumber, GreatestNumber},
		fmt.Sprintf(allowed, LeastNumber, GreatestNumber), workers)
}

// checkLength accepts nil or one number for each page.
func checkLength(field string, numbers []float64, pages int) error {
	if numbers != nil && len(numbers) != pages {
		return fmt.Errorf("refresh: %s has %d numbers for %d pages; allowed is one for each, or nil", field, len(numbers), pages)
	}
	return nil
}

// numbers are those from least to greatest, and 0.
type numbers struct{ least, greatest float64 }

// checkNumbers returns a *PageError for the first value that is not allowed.
func checkNumbers(field string, values []float64, valid numbers, allowed string, workers int) error {
	cuts := parallel.Cuts(len(values), 1<<16)
	first := make([]int, len(cuts)-1)
	parallel.For(workers, len(first), func(block int) {
		first[block] = -1
		for i, x := range values[cuts[block]:cuts[block+1]] {
			if !(x >= valid.least && x <= valid.greatest) && x != 0 {
				first[block] = cuts[block] + i
				return
			}
		}
	})
	for _, i := range first {
		if i >= 0 {
			return &PageError{i, field, values[i], allowed}
		}
	}
	return nil
}
