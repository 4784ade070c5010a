package catalogue

import (
	"context"
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// objective is a criterion in exact numbers.
type objective struct {
	kind      kind
	sense     mdp.Sense
	discount  *big.Rat   // of kind discounted
	steps     int        // of kind finite
	target    []int32    // of kind total; follows from the process
	terminals []*big.Rat // of kind finite, by state; nil for none
}

type kind int

const (
	average kind = iota
	discounted
	total
	finite
)

func averageOf(sense mdp.Sense) objective { return objective{kind: average, sense: sense} }

func discountedBy(discount *big.Rat, sense mdp.Sense) objective {
	return objective{kind: discounted, sense: sense, discount: discount}
}

func totalOf(sense mdp.Sense) objective { return objective{kind: total, sense: sense} }

func finiteOf(steps int, sense mdp.Sense) objective {
	return objective{kind: finite, sense: sense, steps: steps}
}

// criterion returns the criterion of package mdp, for the same numbers or,
// where sign is −1, to minimise their negatives.
func (o objective) criterion(sign int) mdp.Criterion {
	sense := o.sense
	if sign < 0 {
		sense = mdp.Minimize
	}
	switch o.kind {
	case discounted:
		return mdp.Discounted{Discount: nearest(o.discount), Sense: sense}
	case total:
		return mdp.TotalCost{Target: o.target, Sense: sense}
	case finite:
		var terminal []float64
		for _, x := range o.terminals {
			terminal = append(terminal, float64(sign)*nearest(x))
		}
		return mdp.FiniteHorizon{Steps: o.steps, Terminal: terminal, Sense: sense}
	default:
		return mdp.LongRunAverage{Sense: sense}
	}
}

// rounded reports whether the criterion of package mdp has rounded numbers.
func (o objective) rounded() bool { return o.kind == discounted && !isFloat(o.discount) }

// evaluate returns the value of a policy from each state; nil for +Inf, a total
// that may not end. For a finite horizon the policy is that of the first step, followed
// by the best one.
func (o objective) evaluate(a exact.Arrays, policy []int32) ([]*big.Rat, error) {
	model, err := exact.NewModel(a)
	if err != nil {
		return nil, err
	}
	followed, err := model.Follow(policy)
	if err != nil {
		return nil, err
	}
	if o.kind == finite {
		after, err := o.best(model, o.steps-1)
		if err != nil {
			return nil, err
		}
		o.steps, o.terminals = 1, after
	}
	return o.best(followed, o.steps)
}

// best returns the optimum of a model; steps counts for a finite horizon.
func (o objective) best(m *exact.Model, steps int) ([]*big.Rat, error) {
	var (
		answer *exact.Answer
		err    error
		ctx    = context.Background()
	)
	switch o.kind {
	case average:
		answer, err = m.Average(ctx, o.sense)
	case discounted:
		answer, err = m.Discounted(ctx, o.sense, o.discount)
	case total:
		answer, err = m.Total(ctx, o.sense, o.target)
	default:
		answer, err = m.Finite(ctx, o.sense, exact.Horizon{Steps: steps, Terminal: o.terminals})
	}
	if err != nil {
		return nil, err
	}
	values := make([]*big.Rat, len(answer.Values))
	for s, x := range answer.Values {
		values[s] = x.Rat()
	}
	return values, nil
}
