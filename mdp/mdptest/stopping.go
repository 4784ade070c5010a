package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// When to stop, and what to go on with.

func stopping() []*Problem { return []*Problem{secretary(), die(), projects()} }

// candidate is the last one of those seen, and whether it is the best of them.
type candidate struct {
	seen int
	best bool
}

func secretary() *Problem {
	const candidates = 10
	const pass, choose = 0, 1
	over := candidate{seen: -1}
	d := declaration[candidate, int]{
		start: []candidate{{}},
		actions: func(s candidate) []int {
			if s.best {
				return []int{pass, choose}
			}
			return []int{pass}
		},
		cost: func(s candidate, a int) *big.Rat {
			if a == choose {
				return ratio(s.seen, candidates)
			}
			return zero
		},
		next: func(s candidate, a int) []branch[candidate] {
			if a == choose || s == over || s.seen == candidates {
				return surely(over)
			}
			next := s.seen + 1
			return []branch[candidate]{
				{to: candidate{next, true}, weight: ratio(1, next)},
				{to: candidate{next, false}, weight: ratio(next-1, next)},
			}
		},
	}
	// The rule to pass m candidates and to choose the next that is best so far
	// succeeds with probability (m/n)·Σ_{k=m}^{n−1} 1/k.
	passing := func(m int) *big.Rat {
		return mul(ratio(m, candidates), sumOver(m, candidates-1, func(k int) *big.Rat { return ratio(1, k) }))
	}
	ahead := func(seen int) *big.Rat {
		if seen < 0 || seen == candidates {
			return zero
		}
		return greatest(max(seen, 1), candidates-1, passing)
	}
	return known(Problem{
		Name:   "secretary",
		Source: "J.P. Gilbert and F. Mosteller, Recognizing the maximum of a sequence, Journal of the American Statistical Association 61 (1966), 35-73: of 10, pass 3; 0.399",
		Answer: "(3/10)·(1/3 + 1/4 + … + 1/9)",
	}, finiteOf(candidates+1, mdp.Maximize), d, func(s candidate) *big.Rat {
		value := ahead(s.seen)
		if now := ratio(s.seen, candidates); s.best && now.Cmp(value) > 0 {
			return now
		}
		return value
	})
}

// die may be thrown up to three times; the last throw is what counts.
func die() *Problem {
	const throw, keep = 0, 1
	d := declaration[int, int]{
		start: []int{0},
		actions: func(shown int) []int {
			if shown == 0 {
				return []int{throw}
			}
			return []int{throw, keep}
		},
		next: func(shown, a int) []branch[int] {
			if a == keep {
				return surely(shown)
			}
			var branches []branch[int]
			for face := 1; face <= 6; face++ {
				branches = append(branches, branch[int]{to: face, weight: ratio(1, 6)})
			}
			return branches
		},
		terminal: whole,
	}
	return known(Problem{
		Name:   "die",
		Source: "folklore: throw a die up to three times and be paid the last throw",
		Answer: "7/2 for one throw, 17/4 for two, 14/3 for three; who has a 5 or a 6 already keeps it",

		Classification: mdp.WeaklyCommunicating,
	}, finiteOf(3, mdp.Maximize), d, func(shown int) *big.Rat {
		return greatest(0, 1, func(i int) *big.Rat { return []*big.Rat{ratio(14, 3), whole(shown)}[i] })
	})
}

// projects pay 4, 0, 1, 1, … and 3, 3, 0, 0, … for each step that is worked on
// them.
func projects() *Problem {
	pays := [][]*big.Rat{numbers("4 0 1"), numbers("3 3 0")}
	index := [][]*big.Rat{numbers("4 1/2 1"), numbers("3 3 0")}
	d := declaration[pair, int]{
		start:   []pair{{}},
		actions: func(pair) []int { return []int{0, 1} },
		cost:    func(s pair, project int) *big.Rat { return pays[project][s[project]] },
		next: func(s pair, project int) []branch[pair] {
			s[project] = min(s[project]+1, 2)
			return surely(s)
		},
	}
	return attained(Problem{
		Name: "projects",
		Source: "after J.C. Gittins and D.M. Jones, A dynamic allocation index for the sequential design of experiments, " +
			"in Progress in Statistics, North-Holland 1974",
		Answer: "discount 1/2: work on the project of the greater index, 4, 1/2, 1 and 3, 3, 0: 51/8 from the start",

		Classification: mdp.Multichain,
	}, discountedBy(ratio(1, 2), mdp.Maximize), d, func(s pair) int {
		if index[0][s[0]].Cmp(index[1][s[1]]) >= 0 {
			return 0
		}
		return 1
	})
}
