// Package question states what can be asked about a model in a file, as data.
//
// A [Question] is part of each result, in the same JSON members ([certificate.Result] embeds it).
// [Question.On] looks up its names in a model and returns an [Asked], which has the criterion for
// package mdp. Package answer answers it.
//
// [certificate.Result]: https://pkg.go.dev/github.com/mdpsolve/mdpsolve/mdp/certificate#Result
package question

// This file holds questions as data.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Question asks for the least or the greatest value of a reward model, by a criterion.
type Question struct {
	Criterion string `json:"criterion"` // "average", "discounted", "total", "finite", "time" or "compound"
	Sense     string `json:"sense"`     // "minimize" or "maximize"; On also takes "" for a model without choices

	// Reward is the name of the reward model; "" for the only one.
	Reward string `json:"reward,omitempty"`
	// Target is the label of the states where a total ends; "" for none.
	Target string `json:"target,omitempty"`
	// Terminal is the name of the reward model whose rewards of states are earned at the end of a
	// finite horizon; "" for none.
	Terminal string `json:"terminal,omitempty"`
	// Discount is the discount factor per step, for "discounted" and "finite"; nil for none.
	Discount *float64 `json:"discount,omitempty"`
	// ExactDiscount is the discount factor before it was rounded to Discount; nil where it equals
	// the shortest decimal that reads back as Discount.
	ExactDiscount *big.Rat `json:"exact_discount,omitempty"`
	// Rate is the discount rate α in continuous time, per unit of time: a reward at time t counts
	// e^(−αt) times; nil for none. ExactRate is to Rate as ExactDiscount is to Discount.
	Rate      *float64 `json:"rate,omitempty"`
	ExactRate *big.Rat `json:"exact_rate,omitempty"`
	// Horizon is the number of steps; nil where the criterion is not "finite".
	Horizon *int `json:"horizon,omitempty"`

	// Uncertainty says how nature chooses within the intervals of a model: "worst", against the
	// controller, or "best", for it; "" for a model without intervals.
	Uncertainty string `json:"uncertainty,omitempty"`

	// Property is a property in the notation of package property, which is the whole question; ""
	// for none. In a result, the other members restate it for the model that Property.On makes.
	Property string `json:"property,omitempty"`

	// Constraints limit the values of reward models, by the same criterion and from the initial
	// state; nil for none.
	Constraints []Constraint `json:"constraints,omitempty"`
}

// Constraint is a limit on the value of a reward model.
type Constraint struct {
	Reward string   `json:"reward"`
	Sense  string   `json:"sense"` // "<=" or ">="
	Bound  *big.Rat `json:"bound"`

	// Value and Multiplier belong to an answer, and are 0 in a question. Value is a proved bound
	// on what the answer's policies achieve: from above for "<=", from below for ">=". Multiplier
	// is the Lagrange multiplier, ≥ 0: the rate at which the best value improves as Bound is eased.
	Value      float64 `json:"value"`
	Multiplier float64 `json:"multiplier"`
}

// Senses are the values of Sense, for the least and for the greatest value.
var Senses = []string{mdp.Minimize.String(), mdp.Maximize.String()}

var uncertainties = []string{mdp.Robust.String(), mdp.Optimistic.String()}

// Validate reports the first fault of a question that shows without a model: unknown words, members
// that are missing or do not go together, numbers out of range, incomplete constraints. It does not
// parse Property.
func (q *Question) Validate() error {
	if err := cmp.Or(
		wording.OneOf("criterion", q.Criterion, names(func(*traits) bool { return true })),
		wording.OneOf("sense", q.Sense, Senses),
		wording.OneOf("uncertainty", q.Uncertainty, append([]string{""}, uncertainties...)),
	); err != nil {
		return err
	}
	discount, rate := valueOf(q.Discount), valueOf(q.Rate)
	switch {
	case !(discount >= 0 && discount <= 1):
		return fmt.Errorf("discount %v is not from 0 to 1", discount)
	case !slices.Contains(Criteria, q.Criterion) && q.Property == "":
		return fmt.Errorf("criterion %s is only that of a property", q.Criterion)
	case q.Rate != nil && (!q.Takes("rate") || q.Discount != nil):
		return errors.New("a rate is not valid here: use it with the criterion discounted, and without discount")
	case q.Rate != nil && !(rate > 0 && rate < math.Inf(1)) || q.ExactRate != nil && (q.Rate == nil || number.Nearest(q.ExactRate) != rate):
		return fmt.Errorf("rate %v is not valid: use a number above 0, the nearest one to exact_rate if that is given", rate)
	case q.Takes("rate") && q.Discount == nil && q.Rate == nil:
		return errors.New(`found a result without discount; expected a member "discount", a number from 0 to below 1`)
	case q.Takes("horizon") && q.Horizon == nil:
		return errors.New(`found a result without horizon; expected a member "horizon", a number of steps`)
	case q.Terminal != "" && !q.Takes("terminal"):
		return fmt.Errorf("criterion %s has no terminal rewards: leave terminal out", q.Criterion)
	case q.HasSteps() && q.DiscountFactor().Sign() == 0:
		return errors.New("discount 0 of a finite horizon is not valid: use a number above 0, up to 1")
	case q.Steps() < 0 || q.Steps() > math.MaxInt32:
		return fmt.Errorf("the horizon is negative or above %d", math.MaxInt32)
	case q.ExactDiscount != nil && (number.Nearest(q.ExactDiscount) != discount || q.ExactDiscount.Cmp(one) > 0):
		return fmt.Errorf("discount %v is not the number nearest to the exact discount %s", discount, number.Short(q.ExactDiscount))
	}
	for _, x := range q.Constraints {
		if x.Reward == "" || x.Sense != "<=" && x.Sense != ">=" || x.Bound == nil || !(x.Multiplier >= 0 && x.Multiplier < math.Inf(1)) {
			return errors.New(`each of the constraints needs the name of a reward, the sense "<=" or ">=", a bound such as "1/100", and a multiplier from 0`)
		}
	}
	return nil
}

// Fields yields the members that are set, by their names in JSON, with their values: numbers and texts
// themselves, exact numbers as a [*big.Rat].
func (q *Question) Fields(yield func(name string, value any) bool) {
	for field, member := range reflect.ValueOf(q).Elem().Fields() {
		if member.IsZero() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		value := member.Interface()
		if _, isExact := value.(*big.Rat); !isExact {
			value = reflect.Indirect(member).Interface()
		}
		if !yield(name, value) {
			return
		}
	}
}

// SetDiscount sets Discount, and ExactDiscount where Discount does not determine the factor.
func (q *Question) SetDiscount(factor *big.Rat) { q.Discount, q.ExactDiscount = kept(factor) }

// SetRate sets Rate, and ExactRate where Rate does not determine the rate.
func (q *Question) SetRate(rate *big.Rat) { q.Rate, q.ExactRate = kept(rate) }

// kept rounds a number to float64. exact is the number itself, or nil if it is the shortest decimal
// that reads back as rounded.
func kept(x *big.Rat) (rounded *float64, exact *big.Rat) {
	rounded = new(number.Nearest(x))
	if math.IsInf(*rounded, 0) || x.Cmp(shortestDecimal(*rounded)) != 0 {
		exact = x
	}
	return rounded, exact
}

// DiscountRate returns the rate of discounting exactly: ExactRate or, where that is nil, the
// shortest decimal that reads back as Rate; nil for none.
func (q *Question) DiscountRate() *big.Rat {
	if q.Rate == nil || q.ExactRate != nil {
		return q.ExactRate
	}
	return shortestDecimal(*q.Rate)
}

// DiscountFactor returns the discount factor exactly: ExactDiscount or, where that
// is nil, the shortest decimal that reads back as Discount. Where both are nil, it is 1 for a
// finite horizon, and 0 for other criteria.
func (q *Question) DiscountFactor() *big.Rat {
	switch {
	case q.ExactDiscount != nil:
		return q.ExactDiscount
	case q.Discount == nil && q.Horizon != nil:
		return one
	}
	return shortestDecimal(valueOf(q.Discount))
}

// Steps returns the horizon, 0 for none.
func (q *Question) Steps() int { return valueOf(q.Horizon) }

// IsMaximized reports whether the greatest value is asked for.
func (q *Question) IsMaximized() bool { return q.Sense == mdp.Maximize.String() }

// EngineSense returns the sense as package mdp takes it.
func (q *Question) EngineSense() mdp.Sense {
	if q.IsMaximized() {
		return mdp.Maximize
	}
	return mdp.Minimize
}

// Nature returns how nature chooses in a model with intervals; [mdp.Robust] if nothing is said.
func (q *Question) Nature() mdp.Nature {
	if q.Uncertainty == mdp.Optimistic.String() {
		return mdp.Optimistic
	}
	return mdp.Robust
}

var one = big.NewRat(1, 1)

// shortestDecimal returns the shortest decimal that reads back as x, exactly; x is finite.
func shortestDecimal(x float64) *big.Rat {
	decimal, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return decimal
}

func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}
