package certificate

// This file holds what a check reports.

import (
	"fmt"
	"slices"
)

// Verdict is what is proved of a claim. The zero value is no success.
type Verdict int

// The verdicts.
const (
	Undecided Verdict = iota // neither that the claim holds nor that it does not is proved
	Holds                    // the claim is proved
	Refuted                  // the contrary of the claim is proved
)

// String returns "undecided", "holds" or "refuted".
func (v Verdict) String() string { return [...]string{"undecided", "holds", "refuted"}[v] }

// judge returns Holds or Refuted where that is proved.
func judge(holds, refuted bool) Verdict {
	switch {
	case holds:
		return Holds
	case refuted:
		return Refuted
	}
	return Undecided
}

// worst returns Refuted if one of the verdicts is, Holds if all are.
func worst(verdicts ...Verdict) Verdict {
	return judge(!slices.ContainsFunc(verdicts, func(v Verdict) bool { return v != Holds }), slices.Contains(verdicts, Refuted))
}

// Interval is the closed interval in which a number has been proved to lie. Its ends
// are float64 numbers, rounded outward, or infinite: [+Inf, +Inf] is an infinite
// number, [−Inf, +Inf] a number of which nothing is known.
type Interval struct{ Lower, Upper float64 }

// String returns the interval with all digits, such as "[0.3, 0.30000000000000004]".
func (i Interval) String() string {
	if i.Lower == i.Upper {
		return fmt.Sprint(i.Lower)
	}
	return fmt.Sprintf("[%v, %v]", i.Lower, i.Upper)
}

// Fault is a claim of a result that is refuted, or cannot be decided.
type Fault struct {
	Verdict Verdict
	State   int    // that it is about; −1 for none
	Claim   string // the claim, with its number: "lower bound 2.5"
	Proven  string // what is proved of the model: "the optimum lies in [2.25, 2.4]"

	// Lower and Upper enclose the number that the claim is about, as far as that
	// is proved: what the policy achieves from the state for a claim about the
	// policy, otherwise the optimum of the state; −Inf and +Inf for no number.
	Lower, Upper float64
}

// String returns one line, such as "state 3: lower bound 2.5 is refuted: the
// optimum lies in [2.25, 2.4]".
func (f Fault) String() string {
	text := f.Claim + " is " + f.Verdict.String() + ": " + f.Proven
	if f.State >= 0 {
		return fmt.Sprintf("state %d: %s", f.State, text)
	}
	return text
}

// MaxFaults is how many faults of each verdict a finding lists.
const MaxFaults = 100

// Finding is what is proved of one kind of claim.
type Finding struct {
	Verdict Verdict // the worst of all claims

	// Refuted and Undecided count the claims that are.
	Refuted, Undecided int

	// NotJudged counts the states in which nothing is asked of a policy, as the
	// optimum there is −Inf, an infimum that no policy need achieve.
	NotJudged int

	// Faults lists the refuted claims, then the undecided ones: of each, the
	// first MaxFaults by state.
	Faults []Fault
}

// add adds a claim about a state, −1 for none, with its verdict. p is what is proved
// of the number that the claim is about; proven names that number, or says what else
// speaks against the claim.
func (f *Finding) add(v Verdict, state int, p proof, proven, format string, claim ...any) {
	at, count := len(f.Faults), &f.Undecided
	switch f.Verdict = worst(f.Verdict, v); v {
	case Holds:
		return
	case Refuted:
		at, count = min(f.Refuted, MaxFaults), &f.Refuted
	}
	if *count++; *count > MaxFaults {
		return
	}
	i := p.interval()
	if proven == optimum || proven == own {
		proven += map[bool]string{true: " lies in ", false: " is "}[i.Lower < i.Upper] + i.String()
	}
	f.Faults = slices.Insert(f.Faults, at, Fault{v, state, fmt.Sprintf(format, claim...), proven, i.Lower, i.Upper})
}

// Report is what is proved of a result. A result claims nothing about what it
// leaves out.
type Report struct {
	// Bounds: the optimum of every state lies between its bounds.
	Bounds Finding

	// Values: the value of every state lies between its bounds, or where there
	// are none it is within the tolerance of the optimum (see Status; 1e-6 where
	// it is not known); exact values are the optimum; and the initial state is
	// one of the model's.
	Values Finding

	// Policy: every action is one that its state has, and from every state the
	// policy achieves the bound that is worse: the upper one where costs are
	// minimised, the lower one where rewards are maximised. Where there are no
	// bounds, what it achieves is within the tolerance of the optimum, as for
	// Values. Where costs can be made −Inf it is not judged: an infimum need not
	// be achieved.
	Policy Finding

	// Status: where it is "converged", upper − lower ≤ ε·scale in every state, or
	// lower = upper, for the tolerance ε (1e-9 where it is not known). The scale
	// is what absolute costs come to under the policy by the same criterion.
	Status Finding

	// Classification: the model is in the class that is claimed, and periodic
	// or not, as claimed.
	Classification Finding

	// Optimum is what the optimum of each state lies in, and Achieved what the
	// policy achieves from there (for a finite horizon: with the best steps
	// after the first). Achieved is nil if there is no valid policy.
	Optimum, Achieved []Interval

	// Reason says why something is undecided, where it is known.
	Reason error
}

// Verdict returns the worst verdict: Holds only where every claim is proved.
func (r *Report) Verdict() Verdict {
	return worst(r.Bounds.Verdict, r.Values.Verdict, r.Policy.Verdict, r.Status.Verdict, r.Classification.Verdict)
}
