// Package property reads properties in the notation of PRISM and Storm, such as
//
//	Pmax=? [ F "goal" ]
//	R{"energy"}<=5 [ C<=10 ]
//
// and states them as questions about a model, which mdp.Solve answers.
//
// [Parse] reads properties; [Property.On] turns one into a [Question]: a model, which may
// differ from the one given by states where it ends, and a criterion. [Property.Evaluate] computes
// one that needs the answers to several questions.
//
//	P [F φ], P [φ U ψ]          probability that ψ is reached, through states of φ
//	P [G φ], P [φ W ψ]          probability that φ always holds, or until ψ
//	P [φ R ψ]                   probability that ψ holds until both do, or always
//	P [F<=t φ], U<=t, G<=t, W<=t  the same within t steps, or t units of time in a CTMC
//	F>=t, F=t, F[s,t], …        the same from t on, at t, from s to t
//	P [F φ || F ψ]              conditional probability: of F φ if F ψ holds
//	P [X φ]                     probability that φ holds after a step, or the next jump
//	S [φ], LRA [φ]              share of time in φ in the long run
//	R [F φ]                     expected reward until φ is reached; infinite if it may not be
//	R [C], R [C<=t]             expected total reward of all steps, or that within t
//	R [Cdiscount=b]             the same, with rewards after t steps weighted by b^t
//	T [F φ]                     expected time, or number of steps, until φ is reached
//	R [I=t]                     expected reward of the state at time t
//	R [S], R [LRA]              long-run average reward
//	E [F φ], A [φ U ψ], …       whether some path, or every path, satisfies what P takes
//	filter(min, x, φ), …        a value of several states: see Parse for the other words
//	multi(R…, R…)               several objectives: see [Property.Objectives]
//
// P, S, LRA and R{"name"} take =?, or a threshold such as >=0.9; in a model with
// choices, min or max stand before it. A threshold without min or max is to hold for all
// policies. In a model with intervals, a second min or max says how nature chooses. φ and ψ are
// made of labels in quotation marks ("init" is the initial states, "deadlock" those that a CTMC
// cannot leave unless the model says which), true, false, !, &, |, =>, <=>, ?:, parentheses,
// comparisons of numbers, and operators with a threshold. Numbers are made of numerals, the
// variables of states, operators with =?, filters, +, −, *, /, min, max, floor, ceil, round, pow and mod.
//
// Source: M. Kwiatkowska, G. Norman and D. Parker, PRISM 4.0: verification of
// probabilistic real-time systems, CAV 2011, and the PRISM manual, "Property
// Specification".
package property

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Property is a property of a model.
type Property struct {
	Name string // "" for none

	// Uncertainty says how nature chooses in a model with intervals if the property does not: against
	// the controller, "worst", or for it, "best"; "" if nothing is said.
	Uncertainty string

	file, text, written string
	at                  token
	root                *node
}

// String returns the property as it was written, after the declarations of the names in it. It reads
// back the same.
func (p *Property) String() string { return p.text }

// Written returns the property as it was written, without the declarations of the names in it.
func (p *Property) Written() string { return p.written }

// IsCompound reports whether the property is no single question about a model, but computed from the
// answers to several, or from none. Then [Property.Evaluate] answers it, and [Property.On] does not.
func (p *Property) IsCompound() bool {
	q := p.root.query
	return q == nil || q.isOpposite || q.events != nil || q.bounds.hasLower() || q.left.contains(true, isAnswered) || q.right.contains(true, isAnswered)
}

// hasLower reports whether a time has to be at least something above 0.
func (b *bounds) hasLower() bool { return b.lower != nil && (b.lower.Sign() > 0 || b.lowerStrict) }

// OfPolicy returns the property as a question about a given policy. A property without min or max,
// which a model with choices needs, gets min: for one policy both are the same.
func (p *Property) OfPolicy() *Property {
	own := *p
	if q := p.root.query; q != nil && q.sense == "" && q.relation == "" {
		root, of := *p.root, *q
		of.sense = "min"
		root.query = &of
		own.root = &root
	}
	return &own
}

// HasThreshold reports whether a property that is not compound is answered by yes or no.
func (p *Property) HasThreshold() bool { return p.root.query != nil && p.root.query.relation != "" }

// Verdict answers a property with a threshold from bounds on the value, or from the exact
// value if that is not nil: "yes", "no" or [Undecided].
func (p *Property) Verdict(lower, upper float64, exact *big.Rat) string {
	return p.root.query.verdict(within(lower, upper, exact))
}

// verdict says whether a value meets the threshold.
func (q *query) verdict(x value) string {
	switch compare(q.relation, x, exactly(q.limit)) {
	case isTrue:
		return "yes"
	case isFalse:
		return "no"
	}
	return Undecided
}

// Undecided is the verdict where bounds do not tell.
const Undecided = "undecided"

// Question is a property of a model as a question for mdp.Solve: the value of the property
// in a state is the optimum of the criterion from that state, for the table of the reward
// model of the model.
type Question struct {
	Model     *modelfile.Model
	Reward    string
	Criterion mdp.Criterion

	// Target is the label of the states where a total ends; empty for R [C], the total of all steps.
	Target string

	// Decided lists the states, ascending, that have fewer choices in Model than in the model
	// given: the property is decided there, so that it does not matter which action is taken.
	Decided []int32

	// Final lists the states, ascending, where a probability of paths is decided, whatever happens
	// afterwards or, without a time, because nothing ever decides it; nil for other properties.
	Final []int32

	// OfPaths says that the property begins with E or A: the actions of Model are single
	// transitions, so its policies are none of the model that was given.
	OfPaths bool

	// Terminal holds the terminal rewards of the criterion, exactly if the model is exact.
	Terminal modelfile.Numbers

	// Nature says how nature chooses in a model with intervals.
	Nature mdp.Nature

	// Discount is the discount factor per step, nil for none.
	Discount *big.Rat

	query         *query
	isZero, isOne []bool // states where the value is exactly 0, or 1; nil if that is not known
}

// IsAbsorbed reports whether the value is the probability to end where the model earns 1 per step:
// the property is P without a time, and the states of Final are absorbing.
func (q *Question) IsAbsorbed() bool {
	_, isAverage := q.Criterion.(mdp.LongRunAverage)
	return isAverage && q.IsProbability() && q.query.kind != "S"
}

// IsProbability reports whether values are probabilities, or shares of time: from 0 to 1.
func (q *Question) IsProbability() bool { return q.query.operator != "R" }

// HasThreshold reports whether the answer is yes or no.
func (q *Question) HasThreshold() bool { return q.query.relation != "" }
