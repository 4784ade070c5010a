package refresh

import (
	"errors"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Pages are the pages to be kept up to date, as parallel slices: page i changes
// ChangeRates[i] times per unit of time on average, as a Poisson process, and
// counts with Weights[i]. Both are 0 or numbers from 1e-100 to 1e100. Nil Weights
// are 1 for every page. A page that never changes or has no weight gains nothing
// from an access.
//
// Recalls and FalseRates say how well changes announce themselves, see [Signals]: nil
// ones are 0 for every page. Other objectives do not look at them.
//
// LeastRates and GreatestRates limit the rate at which a page is accessed, as its greatest
// and its least interval do: LeastRates[i] ≤ x_i ≤ GreatestRates[i]. Nil ones are 0 and +Inf,
// no limit, for every page.
//
// The slices are not copied: 10⁸ pages are 1.6 GB.
type Pages struct {
	ChangeRates []float64
	Weights     []float64
	Recalls     []float64 // shares of changes that are signalled, 0 to 1
	FalseRates  []float64 // false signals per unit of time, 0 or 1e-100 to 1e100

	LeastRates    []float64 // accesses per unit of time, 0 or 1e-100 to 1e100
	GreatestRates []float64 // from the least rate on; 0 for no access, +Inf for no limit
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

// TotalWeight returns the sum of the weights.
func (p Pages) TotalWeight() float64 {
	total := 0.0
	for i := range p.Len() {
		total += p.Weight(i)
	}
	return total
}

// Recall returns the share of the changes of page i that are signalled.
func (p Pages) Recall(i int) float64 { return orZero(p.Recalls, i) }

// FalseRate returns the number of false signals of page i per unit of time.
func (p Pages) FalseRate(i int) float64 { return orZero(p.FalseRates, i) }

// LeastRate returns the least rate at which page i may be accessed, 0 without one.
func (p Pages) LeastRate(i int) float64 { return orZero(p.LeastRates, i) }

// GreatestRate returns the greatest rate at which page i may be accessed, +Inf without one.
func (p Pages) GreatestRate(i int) float64 {
	if p.GreatestRates == nil {
		return math.Inf(1)
	}
	return p.GreatestRates[i]
}

func orZero(numbers []float64, i int) float64 {
	if numbers == nil {
		return 0
	}
	return numbers[i]
}

// Slice returns the pages from … to−1, without copying them.
func (p Pages) Slice(from, to int) Pages {
	part := func(numbers []float64) []float64 {
		if numbers == nil {
			return nil
		}
		return numbers[from:to]
	}
	return Pages{
		part(p.ChangeRates), part(p.Weights), part(p.Recalls), part(p.FalseRates),
		part(p.LeastRates), part(p.GreatestRates),
	}
}

// A PageError says which page has a number that is not allowed.
type PageError struct {
	Page    int     // index
	Field   string  // name of the field of [Pages] or [Problem]
	Value   float64 // the number found
	Allowed string  // what is allowed
}

// Error returns a line with the field, the page, the number and what to use.
func (e *PageError) Error() string {
	return invalid(fmt.Sprintf("%s[%d]", e.Field, e.Page), e.Value, e.Allowed).Error()
}

// invalid returns an error about the value of a field.
func invalid(field string, value any, use string) error {
	return errors.New("refresh: " + field + ": " + wording.Invalid(value, use))
}

// Validate returns a [*PageError] for the first page with a number that is not
// allowed, or an error if there are weights but not one for each page.
func (p Pages) Validate() error { return p.validate(GreatestNumber) }

// validate is Validate with a limit on change rates.
func (p Pages) validate(greatestChangeRate float64) error {
	for _, field := range []struct {
		name     string
		numbers  []float64
		greatest float64
	}{
		{"ChangeRates", p.ChangeRates, greatestChangeRate},
		{"Weights", p.Weights, GreatestNumber},
		{"Recalls", p.Recalls, 1},
		{"FalseRates", p.FalseRates, GreatestNumber},
		{"LeastRates", p.LeastRates, GreatestNumber},
	} {
		if err := checkNumbers(field.name, field.numbers, p.Len(), field.greatest); err != nil {
			return err
		}
	}
	if p.GreatestRates != nil && len(p.GreatestRates) != p.Len() {
		return wrongLength("GreatestRates", len(p.GreatestRates), p.Len())
	}
	for i, most := range p.GreatestRates {
		if least := p.LeastRate(i); !(most >= least) || most != 0 && most < LeastNumber {
			return &PageError{i, "GreatestRates", most, fmt.Sprintf("0 or a number of %v or more, and not below the least rate, %v", LeastNumber, least)}
		}
	}
	return nil
}

func wrongLength(field string, length, pages int) error {
	return invalid(field, fmt.Sprintf("a slice of %d numbers", length), fmt.Sprintf("one for each of the %d pages, or nil", pages))
}

// checkNumbers accepts nil or one number for each page. It returns a *PageError for the first that
// is neither 0 nor between LeastNumber and greatest.
func checkNumbers(field string, values []float64, pages int, greatest float64) error {
	if values != nil && len(values) != pages {
		return wrongLength(field, len(values), pages)
	}
	for i, x := range values {
		if !(x >= LeastNumber && x <= greatest) && x != 0 {
			return &PageError{i, field, x, fmt.Sprintf("0 or a number from %v to %v", LeastNumber, greatest)}
		}
	}
	return nil
}
