package mdpio

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Result is the answer to a question about a model, as it is kept in a file: the
// question too, so that the answer can be checked from the model alone.
//
// It may be partial: Values, Lower together with Upper, and Policy may be nil,
// and Status empty. What is there is claimed.
type Result struct {
	Criterion string // "average", "discounted", "total" or "finite"
	Sense     string // "minimize" or "maximize"

	// Reward is the name of the reward model; "" for the only one.
	Reward string
	// Target is the label at which a total ends; "" for none.
	Target string
	// Discount is the discount factor; 0 where the criterion is not "discounted".
	Discount float64
	// ExactDiscount is the discount factor before it was rounded; nil where that
	// is the shortest decimal that reads back as Discount.
	ExactDiscount *big.Rat
	// Horizon is the number of steps; 0 where the criterion is not "finite".
	Horizon int

	// Status says how the solve ended: "converged", "iteration-limit",
	// "time-limit", "precision-limit", "stopped" or "interrupted"; "" where it is
	// not known.
	Status     string
	Method     string  // name of the method
	Choice     string  // why that method was chosen; "" where it was asked for
	Iterations int     // of the method
	Seconds    float64 // that the solve took; 0 where it is not known
	Tolerance  float64 // that was asked for; 0 where it is not known, but for ZeroTolerance

	// ZeroTolerance says that the tolerance asked for is 0.
	ZeroTolerance bool

	Initial int     // the initial state
	Value   float64 // its value; 0 where Values is nil

	// Values, Lower and Upper hold the value of each state and its bounds; for
	// a long-run average the gain of the state. They may be infinite.
	Values, Lower, Upper []float64

	// Exact holds the values as fractions where they are known exactly, and is
	// nil otherwise; nil elements are infinite values.
	Exact []*big.Rat

	// Relative holds, for a long-run average, relative values (bias), up to a
	// constant for each set of states between which one can go both ways; nil
	// where they are not known.
	Relative []float64

	// Policy is the action of each state, by its number there; where the
	// criterion is "finite", that in the first step.
	Policy []int32

	// Certificate proves the bounds; nil where there is none.
	Certificate *Certificate

	// Classification is "unichain", "communicating", "weakly-communicating" or
	// "multichain", and "" where it is not known; Aperiodic says whether its
	// maximal end components (the closed classes, if there is nothing to choose)
	// have period 1, as they have in continuous time.
	Classification string
	Aperiodic      bool
}

// The words of a result.
var (
	criteria        = []string{"average", "discounted", "total", "finite"}
	senses          = []string{"minimize", "maximize"}
	statuses        = []string{"converged", "iteration-limit", "time-limit", "precision-limit", "stopped", "interrupted"}
	classifications = []string{"unichain", "communicating", "weakly-communicating", "multichain"}
)

// Validate reports the first thing that is wrong with a result in itself: words
// that are not known, lists of different length, an initial state that is none,
// a value that is not that of the initial state, NaN.
func (r *Result) Validate() error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("mdpio: result: %w", err)
	}
	return nil
}

func (r *Result) validate() error {
	for _, word := range []struct {
		name, found string
		allowed     []string
		optional    bool
	}{
		{"criterion", r.Criterion, criteria, false},
		{"sense", r.Sense, senses, false},
		{"status", r.Status, statuses, true},
		{"classification", r.Classification, classifications, true},
	} {
		missing := word.optional && word.found == ""
		if !missing && !slices.Contains(word.allowed, word.found) {
			return fmt.Errorf("%s %q found; one of %s is allowed", word.name, word.found, quotedList(word.allowed))
		}
	}
	n, known := r.numStates()
	switch {
	case (r.Lower == nil) != (r.Upper == nil) || known && !r.areOfLength(n):
		return fmt.Errorf("%d values, %d lower and %d upper bounds and %d actions of a policy found; as many of each is allowed",
			len(r.Values), len(r.Lower), len(r.Upper), len(r.Policy))
	case r.Initial < 0 || known && r.Initial >= n:
		return fmt.Errorf("initial state %d found; one of 0 … %d is allowed", r.Initial, n-1)
	case r.Iterations < 0 || r.Horizon < 0:
		return errors.New("a negative count found; one from 0 up is allowed")
	case !(r.Discount >= 0 && r.Discount <= 1) || !(r.Tolerance >= 0 && r.Tolerance < math.Inf(1)):
		return fmt.Errorf("discount %v and tolerance %v found; a discount from 0 to 1 and a finite tolerance from 0 up are allowed",
			r.Discount, r.Tolerance)
	case r.ZeroTolerance && r.Tolerance != 0:
		return fmt.Errorf("tolerance %v found, and that it is 0; one of both is allowed", r.Tolerance)
	case r.Exact != nil && (len(r.Exact) != n || r.Values == nil) || r.Relative != nil && known && len(r.Relative) != n:
		return fmt.Errorf("%d exact and %d relative values found; none or %d are allowed", len(r.Exact), len(r.Relative), n)
	case !(r.Seconds >= 0 && r.Seconds < math.Inf(1)):
		return fmt.Errorf("%v seconds found; a finite number from 0 up is allowed", r.Seconds)
	case len(r.Values) > 0 && r.Value != r.Values[r.Initial]: // also NaN
		return fmt.Errorf("value %v found; that of the initial state, %v, is allowed", r.Value, r.Values[r.Initial])
	case r.ExactDiscount != nil:
		if nearest, _ := r.ExactDiscount.Float64(); nearest != r.Discount || r.ExactDiscount.Cmp(one) > 0 {
			return fmt.Errorf("discount %v and exact discount %s found; the number nearest to it is allowed", r.Discount, shortRat(r.ExactDiscount))
		}
	}
	for s, x := range r.Values {
		if math.IsNaN(x) {
			return fmt.Errorf("state %d has value %v; a number is allowed", s, x)
		}
	}
	for s, lower := range r.Lower {
		if math.IsNaN(lower) || math.IsNaN(r.Upper[s]) {
			return fmt.Errorf("state %d has bounds %v and %v; numbers are allowed", s, lower, r.Upper[s])
		}
	}
	for s, a := range r.Policy {
		if a < 0 {
			return fmt.Errorf("state %d has action %d; one from 0 up is allowed", s, a)
		}
	}
	if err := r.validateFurther(); err != nil {
		return err
	}
	if !known && r.Certificate != nil {
		n = r.Certificate.numStates()
	}
	return r.Certificate.Validate(n)
}

// numStates returns the number of states of the lists, and whether there is one.
func (r *Result) numStates() (n int, known bool) {
	switch {
	case r.Values != nil:
		return len(r.Values), true
	case r.Lower != nil:
		return len(r.Lower), true
	}
	return len(r.Policy), r.Policy != nil
}

// areOfLength reports whether all lists that every result may have are of length
// n, or nil.
func (r *Result) areOfLength(n int) bool {
	return (r.Values == nil || len(r.Values) == n) && (r.Policy == nil || len(r.Policy) == n) &&
		(r.Lower == nil || len(r.Lower) == n && len(r.Upper) == n)
}

// DiscountFactor returns the discount factor exactly: ExactDiscount or, where that
// is nil, the shortest decimal that reads back as Discount.
func (r *Result) DiscountFactor() *big.Rat {
	if r.ExactDiscount != nil {
		return r.ExactDiscount
	}
	return shortestDecimal(r.Discount)
}

// ToleranceOr returns the tolerance, or unknown where it is not known.
func (r *Result) ToleranceOr(unknown float64) float64 {
	if r.Tolerance == 0 && !r.ZeroTolerance {
		return unknown
	}
	return r.Tolerance
}

// shortestDecimal returns the shortest decimal that reads back as x, exactly.
func shortestDecimal(x float64) *big.Rat {
	decimal, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return decimal
}

// validateFurther looks at the values that not every result has.
func (r *Result) validateFurther() error {
	for s, x := range r.Relative {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("state %d has relative value %v; a finite number is allowed", s, x)
		}
	}
	for s, x := range r.Exact {
		if math.IsInf(r.Values[s], 0) != (x == nil) {
			return fmt.Errorf("state %d has value %v and exact value %v; a fraction for each finite value is allowed", s, r.Values[s], x)
		}
		if x == nil {
			continue
		}
		if nearest, _ := x.Float64(); nearest != r.Values[s] {
			return fmt.Errorf("state %d has value %v; that nearest to its exact one, %v, is allowed", s, r.Values[s], nearest)
		}
	}
	return nil
}
