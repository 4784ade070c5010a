// Package modelfile reads and writes models of Markov decision processes and Markov
// chains. Results about them are in package certificate.
//
// [ReadFile] and [WriteFile] tell the format from the name of a file; a [Model]
// holds what files hold, and [Model.Table] makes the table of it that
// mdp.Solve takes. [Of] makes a model of a problem that a program declares. Reading needs memory
// for the model and one line, and while arrays grow, half as much again.
//
// # What holds for every format
//
// Round trips are exact: a float64 is written as the shortest decimal that
// reads back the same, an exact number as a fraction. Numbers may be written as
// decimals or fractions (0.5, 1e-3, 1/3), and are rounded once, to the nearest
// float64; [Options] asks for the exact ones too. NaN, infinities, and numbers
// that float64 would make 0 or infinite are refused.
//
// The probabilities of a choice sum to 1 up to 1e-9, and are divided by their exact
// sum. Where they are intervals, the lower ends sum to at most 1 and the upper ends to at
// least 1, up to 1e-9. Transitions of value 0 are left out, except in choices with an
// L1 distance. A choice names each next state once.
// Where a file names no initial state, state 0 is the initial one. Sums that are not
// 1, counts that differ from those announced and all other faults are errors of type
// [*SyntaxError], which names file, line and column, state and action.
// [Options].Normalize accepts sums within 1e-6 of 1.
//
// In a DTMC, an MDP or an SMDP, an absorbing state has a transition to itself; in a CTMC or a
// CTMDP it may have none. In PRISM's files, where a state may have no line at all, such a
// state gets a transition to itself, of value 1, as PRISM gives it.
//
// # DRN, the explicit format of Storm
//
// A header and the states in order:
//
//	@type: MDP                         DTMC, CTMC or MDP
//	@value_type: double                or rational, double-interval, rational-interval
//	@parameters                        none are allowed
//
//	@reward_models
//	steps energy                       names
//	@nr_states
//	2
//	@nr_choices                        may be left out
//	3
//	@model
//	state 0 [1, 0] init                state rewards, labels
//		action go [0, 2.5]             name, action rewards
//			0 : 0.25                   next state and probability
//			1 : 0.75
//		action wait [0, 0]
//			0 : 1
//	state 1 [0, 0] goal "all done"
//		action 0 [0, 0]
//			1 : 1
//
// In a CTMC values are rates, and "!3.5" after the number of a state is its exit
// rate, the sum of its rates. It may be left out; if it is there, it has to agree with the
// rates to the digits that it has, or to 6 if it has fewer. Lists of rewards may be left out
// where all are 0. "//" begins a comment. Numbers may be placeholders, which get
// their values by lines "$0 : 1/3" below "@placeholders". The number of an action in
// place of its name stands for no name. With a type of intervals a value
// may be "[0.2, 0.3]", and there are no exit rates; a reward may be "[2, 2]", and a reward
// model with a wider interval is left out (Model.Unread). All else (Markov automata,
// partially observable models, parameters) is refused.
//
// Source: C. Hensel, S. Junges, J.-P. Katoen, T. Quatmann and M. Volk, The
// probabilistic model checker Storm, International Journal on Software Tools for
// Technology Transfer 24 (2022), 589-610, and the format's description in Storm's
// documentation, "The explicit DRN format".
//
// # PRISM's explicit files
//
// model.tra holds the transitions: a line of counts, then one for each
// transition, in the order of states and choices.
//
//	states choices transitions         an MDP
//	state choice next probability [action]
//
//	states transitions                 a DTMC or a CTMC
//	state next value [action]
//
// Above the counts a comment `# Transitions (CTMC)` may name the kind: DTMC, CTMC, MDP, and
// with intervals IDTMC or IMDP. Without it, Options.Kind tells a CTMC from a DTMC. A value may
// be an interval [0.2,0.3]. Each file may be packed by gzip, and end in ".gz". Models of other
// kinds, without probabilities or with observations, and files of PRISM's -exportrows are
// refused.
//
// Beside it may stand model.sta (values of variables), model.lab (labels),
// model.srew (state rewards) and model.trew (transition rewards); where there are
// several reward models, model1.srew, model1.trew, model2.srew and so on. Reward
// models are named by comments `# Reward structure "energy"`, and otherwise
// "reward", "reward1", "reward2" after their files. "#" begins a comment. Action
// rewards are transition rewards that are the same throughout each choice.
//
// Source: M. Kwiatkowska, G. Norman and D. Parker, PRISM 4.0: verification of
// probabilistic real-time systems, CAV 2011, and the PRISM manual, "Explicit
// Model Files".
//
// # JSON
//
// A model is an object with these members, in any order but for "numbers", which stands
// before "states":
//
//	{"format": "mdpsolve-model/1",
//	"kind": "mdp",                     "dtmc", "ctmc", "mdp", "ctmdp" or "smdp"
//	"numbers": "rational",             or "double", which may be left out
//	"initial": [0],
//	"labels": {"goal": [1]},
//	"reward_models": ["steps", "energy"],
//	"state_variables": "(x)",
//	"states": [
//	{"name": "(0)", "rewards": [1, 0], "actions": [
//		{"name": "go", "rewards": [0, "5/2"], "to": [[0, "1/4"], [1, "3/4", [0, 1]]]},
//		{"to": [[0, 1]]}]},
//	{"name": "(1)", "actions": [{"to": [[1, 1]]}]}
//	]}
//
// A transition is [state, value] or [state, value, transition rewards]; a value that is only
// known to lie in an interval is [low, high]. "distance": 0.1 beside "to" says that the
// probabilities of the action are only known to lie within that L1 distance of those given
// (mdp.TableBuilder.AddDistance); other formats have no place for it. Rewards
// are lists with a number for each reward model, or left out if all are 0.
//
// In a CTMC or a CTMDP values are rates. In an SMDP values are probabilities, and an action has
// its mean sojourn time: {"duration": 3, "to": [[0, 1]]}. In these kinds an action may have
// rewards per unit of time: "reward_rates": [2] adds 2 over its exit rate to the rewards of its
// jumps. Of these kinds only a CTMC may have intervals, and none may have a distance.
//
// Fractions are texts. "kind" and "states" are required. "kind" may follow "states", except for
// "smdp" and with "reward_rates"; errors about sums then name the state and the action, but not
// their line.
//
// # UMB, the unified Markov binary format
//
// A tar file, packed by gzip or not, with index.json and then an array in each member, such
// as branch-to-target.bin. PRISM, Storm and Modest write it. It is the fastest format to
// read, takes no more memory than the model, and holds all of a [Model], but for an SMDP and for
// a CTMDP with choices of one state that have different exit rates.
//
// What is read: DTMC, CTMC, MDP and CTMDP; "double" and "rational" probabilities (in discrete time
// also "double-interval" and "rational-interval"), exit rates and rewards (of states, choices and
// branches; also intervals of width 0); atomic propositions of states as labels; names of actions;
// values of the variables of states ("bool", "int", "uint", "double" and "string", in one class)
// as the names of states. Rewards and labels are named by their aliases, or by their identifiers
// where there is no alias. Branches of a choice to the same state are added up. In continuous
// time, rates are probabilities times the exit rate of the state; those of each choice must sum
// to that exit rate.
//
// What is left out: names of branch actions, valuations of choices and branches, other
// groups of annotations, data about model and file. What is refused: Markov automata,
// intervals in continuous time, observations, games, models without probabilities,
// distributions of rewards, two branches to the same state with different rewards, packing by
// xz. Errors name the member and the number in it, from 0.
//
// [ReadBytes] reads a model that a program hands over in memory: the line
//
//	mdpsolve-arrays/1
//
// then the index on a line, a line "NAME SIZE" for each member that follows, an empty line, and the
// members, each at a multiple of 8 bytes after the first one.
//
// In this form a model of discrete time, with all numbers as "double", may have its transitions in
// compressed sparse rows, such as those of a matrix for each action. Then "matrices" in the index
// lists these, each as
//
//	{"rows": 10, "entries": 25, "first": 0, "step": 2, "bytes": 4}
//
// where row r is that of choice first + r·step, and whole numbers have 4 or 8 bytes, the least
// first. In place of choice-to-branches.bin, branch-to-target.bin, branch-to-probability.bin and
// rewards of branches, matrix i has the members
//
//	matrices/i/starts.bin         the first entry of each row, and the number of entries
//	matrices/i/targets.bin        the state that each entry leads to
//	matrices/i/probabilities.bin  the probability of each entry
//	matrices/i/rewards/A.bin      the reward of each entry, for each annotation A for branches
//	matrices/i/choices.bin        if first is -1, the choice of each row, increasing; -1 for a row
//	                              that the model leaves out
//
// A model of one matrix of all choices keeps the probabilities where they are, and targets of 4 bytes,
// if the members begin at a multiple of 8 bytes in memory: spaces after the index see to that.
//
// Source: the specification of UMB, version 1.0, github.com/pmc-tools/umb.
package modelfile
