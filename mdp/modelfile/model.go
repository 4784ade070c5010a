// This file holds what a model is.

package modelfile

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// Kind is the kind of process that a file describes.
type Kind int

// The kinds of process. The zero value is none of them.
const (
	// DTMC is a discrete-time Markov chain: one choice in each state, values
	// are probabilities.
	DTMC Kind = iota + 1
	// CTMC is a continuous-time Markov chain: one choice in each state, values
	// are rates.
	CTMC
	// MDP is a Markov decision process in discrete time: one choice or more in
	// each state, values are probabilities.
	MDP
	// CTMDP is a Markov decision process in continuous time: one choice or more in
	// each state, values are rates.
	CTMDP
	// SMDP is a semi-Markov decision process of which only the mean sojourn times of the
	// choices are known. Values are rates: the probability p of a transition over the mean
	// sojourn time τ of its choice. The CTMDP of these rates has the same long-run averages
	// and totals (P.J. Schweitzer, Iterative solution of the functional equations of
	// undiscounted Markov renewal programming, Journal of Mathematical Analysis and
	// Applications 34 (1971), 495-501). What else depends on the sojourn times is not known.
	SMDP
)

// kindNames are the names of the kinds, as DRN files write them.
var kindNames = map[Kind]string{DTMC: "DTMC", CTMC: "CTMC", MDP: "MDP", CTMDP: "CTMDP", SMDP: "SMDP"}

// IsContinuous reports whether models of the kind are in continuous time, and their values rates.
func (k Kind) IsContinuous() bool { return k == CTMC || k == CTMDP || k == SMDP }

// HasChoices reports whether a state of a model of the kind may have several choices.
func (k Kind) HasChoices() bool { return k == MDP || k == CTMDP || k == SMDP }

// String returns the name of the kind in capital letters, such as "DTMC", and "no kind" for
// any other value.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return "no kind"
}

// ParseKind returns the kind of that name, in capital or small letters.
func ParseKind(name string) (Kind, error) {
	for kind, known := range kindNames {
		if strings.EqualFold(name, known) {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("modelfile: kind %s is not valid: use dtmc, ctmc, mdp, ctmdp or smdp", wording.Quote(name))
}

// Numbers is a list of numbers. An empty list of rewards stands for zeros.
type Numbers struct {
	// Float holds the numbers, each the float64 nearest to what the file says.
	Float []float64

	// Exact holds the same numbers exactly where [Options.Exact] asked for
	// them, and is nil otherwise. Equal numbers may share one *big.Rat: none
	// may be changed.
	Exact []*big.Rat
}

// Len returns the number of numbers.
func (n *Numbers) Len() int { return len(n.Float) }

// Model is a model as files hold it. Readers return one that [Model.Validate]
// finds valid, and writers take no other.
//
// A choice is an action of a state: state s has the choices StateStart[s] …
// StateStart[s+1]−1, and choice k has the transitions RowStart[k] …
// RowStart[k+1]−1, which lead to Columns with Values. All indices are from 0.
type Model struct {
	Kind Kind

	StateStart []int32 // length n+1, from 0, increasing
	RowStart   []int32 // length m+1, from 0; equal neighbours (no transition) in a CTMC or CTMDP only
	Columns    []int32 // the states that transitions lead to, each at most once in a choice
	Values     Numbers // by transition: probabilities, or rates in continuous time; positive

	// High holds the upper ends of intervals in a model whose values are only known to lie
	// in them, and is empty in others. Values then holds the lower ends, from 0 up; where
	// both are equal the value is known.
	High Numbers

	// Distance is by choice the L1 distance from its values within which the probabilities lie, see
	// mdp.TableBuilder.AddDistance; an empty list consists of zeros. A choice with a distance
	// has no wider intervals, and may have transitions of value 0. High is not empty if there is a distance.
	Distance Numbers

	// ZeroWidth says that the file has intervals, all of width 0, so that High is empty.
	ZeroWidth bool

	// Initial lists the initial states, increasing, at least one.
	Initial []int32

	// Labels holds the states, increasing, at which each label holds. The
	// initial states are not among them ("init" is no label's name).
	Labels map[string][]int32

	// Rewards are the reward models, each of another name.
	Rewards []RewardModel

	// Unread names the reward models of the file that Rewards lacks, because they have
	// rewards which are only known to lie in intervals.
	Unread []string

	// ActionNames holds the names of the actions, by choice; "" for an action
	// without one. It is nil where none has a name. An action whose name is
	// its own number among those of its state has none.
	ActionNames []string

	// Variables and StateNames hold what a PRISM .sta file says: the list of
	// variables, such as "(x,y)", and by state their values, such as "(0,1)".
	// StateNames is nil where nothing is known.
	Variables  string
	StateNames []string

	packed *packedValues // the same values as StateNames, from a UMB file

	binary bool       // the file has every number as float64; only known with [Options].KeepFloats
	rows   *mdp.Table // has the transitions above, and no costs; nil if none was made
}

// RewardModel is one of the reward models (cost models) of a [Model].
//
// In a DTMC or an MDP, a step that makes choice k in state s and leads to
// transition e earns State[s] + Action[k] + Transition[e]. In continuous time State is a
// reward per unit of time, while Action and Transition are earned with each
// jump, also with one that leads back to the same state.
type RewardModel struct {
	Name       string
	State      Numbers // by state
	Action     Numbers // by choice
	Transition Numbers // by transition
}

// rewardList picks one of the lists of a reward model.
type rewardList func(*RewardModel) *Numbers

func stateRewards(r *RewardModel) *Numbers      { return &r.State }
func actionRewards(r *RewardModel) *Numbers     { return &r.Action }
func transitionRewards(r *RewardModel) *Numbers { return &r.Transition }

// NumStates returns the number of states.
func (m *Model) NumStates() int { return max(len(m.StateStart)-1, 0) }

// NumActions returns the number of actions of state s.
func (m *Model) NumActions(s int) int { return int(m.StateStart[s+1] - m.StateStart[s]) }

// NumChoices returns the number of choices of all states together.
func (m *Model) NumChoices() int { return max(len(m.RowStart)-1, 0) }

// NumTransitions returns the number of transitions.
func (m *Model) NumTransitions() int { return len(m.Columns) }

// choices lists the choices of the model, each with its state.
func (m *Model) choices() iter.Seq2[int, int] {
	return func(use func(s, k int) bool) {
		for s := range m.NumStates() {
			for k := int(m.StateStart[s]); k < int(m.StateStart[s+1]); k++ {
				if !use(s, k) {
					return
				}
			}
		}
	}
}

// row returns the transitions of choice k: lo … hi−1.
func (m *Model) row(k int) (lo, hi int) { return int(m.RowStart[k]), int(m.RowStart[k+1]) }

// number returns the number that choice k has among those of state s.
func (m *Model) number(s, k int) int { return k - int(m.StateStart[s]) }

// IsExact reports whether the model keeps its numbers exactly too.
func (m *Model) IsExact() bool { return m.Values.Exact != nil }

// HasAllDigits reports whether the model has the numbers of its file with all their digits: as
// fractions, or because the file has float64.
func (m *Model) HasAllDigits() bool { return m.IsExact() || m.binary }

// IsUncertain reports whether values are intervals.
func (m *Model) IsUncertain() bool { return m.High.Len() > 0 }

// ActionName returns the name of choice k, which belongs to state s, or its
// number among the choices of s where it has no name.
func (m *Model) ActionName(s, k int) string {
	if m.hasActionName(k) {
		return m.ActionNames[k]
	}
	return strconv.Itoa(m.number(s, k))
}

// StateName returns the number of a state and its name, if it has one, cut to the length of a
// message.
func (m *Model) StateName(s int) string {
	if m.StateNames == nil {
		return strconv.Itoa(s)
	}
	return strconv.Itoa(s) + " " + wording.Short(m.StateNames[s])
}

func (m *Model) hasActionName(k int) bool {
	return len(m.ActionNames) > 0 && m.ActionNames[k] != ""
}

// initialLabel is the name by which files mark the initial states.
const initialLabel = "init"

// Labelled returns the states, increasing, at which a label holds; "init" is
// the initial states. An unknown label is an error that lists the known ones.
func (m *Model) Labelled(label string) ([]int32, error) {
	if label == initialLabel {
		return m.Initial, nil
	}
	if states, ok := m.Labels[label]; ok {
		return states, nil
	}
	return nil, fmt.Errorf("modelfile: label %s is not valid: use one of %s", wording.Quote(label), wording.List(append(m.labelNames(), initialLabel)))
}

// labelNames returns the names of the labels in order.
func (m *Model) labelNames() []string {
	return slices.Sorted(maps.Keys(m.Labels))
}

// Reward returns the reward model of a name. The empty name stands for the only
// reward model of the model. An unknown name, and the empty one where there is
// not exactly one reward model, are errors that list the names.
func (m *Model) Reward(name string) (*RewardModel, error) {
	for _, unread := range m.Unread {
		if name == "" || name == unread {
			return nil, fmt.Errorf("modelfile: reward model %s is not valid, as its rewards are intervals: use numbers", wording.Quote(unread))
		}
	}
	if name == "" && len(m.Rewards) == 1 {
		return &m.Rewards[0], nil
	}
	var names []string
	for i := range m.Rewards {
		if name != "" && m.Rewards[i].Name == name {
			return &m.Rewards[i], nil
		}
		names = append(names, m.Rewards[i].Name)
	}
	switch {
	case len(names) == 0 && name == "":
		return nil, fmt.Errorf("modelfile: the model has no reward model")
	case len(names) == 0:
		return nil, fmt.Errorf("modelfile: reward model %s: the model has none", wording.Quote(name))
	case name == "":
		return nil, fmt.Errorf("modelfile: no reward model is named, and the model has several: use one of %s", wording.List(names))
	}
	return nil, fmt.Errorf("modelfile: reward model %s is not valid: use one of %s", wording.Quote(name), wording.List(names))
}
