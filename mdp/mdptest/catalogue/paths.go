package catalogue

import (
	"math/big"
)

// feller is the source of many games.
const feller = "W. Feller, An Introduction to Probability Theory and Its Applications I, Wiley 1968, "

// games are games of chance.
func games() []process {
	// walk is a gambler who wins 1 with probability p, otherwise loses 1, and stops at 0
	// and at 10. step is the cost of a step, win that of reaching 10.
	walk := func(p, step, win *big.Rat) func(s int) []choice {
		return func(s int) []choice {
			won := branch{to: s + 1, weight: p}
			if s == 9 {
				won.cost = win
			}
			return only(step, won, branch{to: s - 1, weight: sub(one, p)})
		}
	}
	const fortune = 16
	p := ratio(2, 5)
	// gamble is a gambler who stakes at most what he has, and ends at 0 or at a fortune.
	gamble := func(s int, reward *big.Rat) []choice {
		var choices []choice
		for stake := 1; stake <= min(s, fortune-s); stake++ {
			won := branch{to: s + stake, weight: p}
			if s+stake == fortune {
				won.cost = reward
			}
			choices = append(choices, choose(nil, won, branch{to: s - stake, weight: sub(one, p)}))
		}
		return choices
	}
	// boldly is the probability of reaching the fortune by always staking as much as one
	// has or needs.
	var boldly func(s int) *big.Rat
	boldly = func(s int) *big.Rat {
		switch {
		case s == 0:
			return zero
		case s == fortune:
			return one
		case 2*s <= fortune:
			return mul(p, boldly(2*s))
		default:
			return add(p, mul(sub(one, p), boldly(2*s-fortune)))
		}
	}
	const bold = "L.E. Dubins and L.J. Savage, How to Gamble If You Must, McGraw-Hill 1965: bold play in an unfair game"
	return []process{{
		name: "ruin", start: []int{5}, target: is(0, 10), class: "multichain",
		source:  feller + "chapter XIV: the gambler's ruin",
		choices: walk(ratio(1, 3), zero, one),
		questions: []question{{
			objective: totalOf(least), because: "(1 − (q/p)^s)/(1 − (q/p)^10) to win, with p = 1/3; 0 where it has been won before",
			value: func(s int) *big.Rat {
				if s == 10 {
					return zero
				}
				return ratio(1<<s-1, 1<<10-1)
			},
		}},
	}, {
		name: "bold-play", start: []int{fortune / 2}, target: is(0, fortune), class: "multichain",
		source:  bold,
		choices: func(s int) []choice { return gamble(s, one) },
		questions: []question{{
			objective: totalOf(greatest), because: "Q(x) = p·Q(2x) up to x = 1/2, p + (1−p)·Q(2x−1) from there on, with p = 2/5",
			value: func(s int) *big.Rat {
				if s == fortune {
					return zero // it has been won before
				}
				return boldly(s)
			},
		}},
	}, {
		// The gambler earns 1 in each step after he has won.
		name: "bold-play-for-ever", start: []int{fortune / 2}, class: "multichain",
		source: bold,
		choices: func(s int) []choice {
			if s == 0 || s == fortune {
				return only(whole(s/fortune), surely(s))
			}
			return gamble(s, nil)
		},
		questions: []question{{objective: averageOf(greatest), value: boldly, because: "the gain is the probability to win"}},
	}, {
		name: "coupons", start: []int{0}, target: is(6),
		source: feller + "chapter IX: waiting for all faces of a die",
		choices: func(have int) []choice {
			return only(one, branch{to: have, weight: ratio(have, 6)}, branch{to: have + 1, weight: ratio(6-have, 6)})
		},
		questions: []question{{
			objective: totalOf(least), because: "6·(1 + 1/2 + … + 1/6) = 14.7 throws",
			value: func(have int) *big.Rat { return sumOver(1, 6-have, func(k int) *big.Rat { return ratio(6, k) }) },
		}},
	}}
}

// paths are stochastic shortest paths.
func paths() []process {
	// The spider goes towards the fly, which moves by 1 to either side with probability p
	// each, at the same time; at distance 1 it may also wait. fromOne is the expected time
	// from distance 1.
	spider := func(name string, p, fromOne *big.Rat, because string) process {
		still := sub(one, mul(whole(2), p))
		var time func(distance int) *big.Rat
		time = func(distance int) *big.Rat {
			if distance < 2 {
				return mul(whole(distance), fromOne)
			}
			return quo(add(one, mul(still, time(distance-1)), mul(p, time(distance-2))), sub(one, p))
		}
		return process{
			name: name, start: []int{6}, target: is(0),
			source: "the spider and the fly: D.P. Bertsekas, Dynamic Programming and Optimal Control I, Athena Scientific",
			choices: func(distance int) []choice {
				approach := choose(one, branch{to: distance, weight: p}, branch{to: distance - 1, weight: still}, branch{to: distance - 2, weight: p})
				if distance > 1 {
					return []choice{approach}
				}
				wait := choose(one, branch{to: 2, weight: p}, branch{to: 1, weight: still}, branch{to: 0, weight: p})
				return []choice{choose(one, branch{to: 1, weight: mul(whole(2), p)}, branch{to: 0, weight: still}), wait}
			},
			questions: []question{{objective: totalOf(least), value: time, because: because}},
		}
	}
	return []process{
		spider("spider-moves", ratio(1, 4), whole(2), "J(1) = 1/(1−2p) for p ≤ 1/3: move; p = 1/4"),
		spider("spider-waits", ratio(2, 5), ratio(5, 2), "J(1) = 1/p for p ≥ 1/3: wait; p = 2/5"),
		grid(),
	}
}

// grid is a world of squares 10·x + y: a step goes in the chosen direction with
// probability 0.8 and to each side with 0.1; at a wall it stays. Costs are negative
// rewards.
func grid() process {
	steps := []int{1, 10, -1, -10} // up, right, down, left
	move := func(s, direction int) branch {
		b := branch{to: s + steps[direction%4]}
		if x, y := b.to/10, b.to%10; x < 1 || x > 4 || y < 1 || y > 3 || b.to == 22 {
			b.to = s
		}
		switch b.to {
		case 43:
			b.cost = whole(-1)
		case 42:
			b.cost = one
		}
		return b
	}
	return process{
		name: "grid", start: []int{11}, target: is(42, 43), class: "multichain",
		source: "S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, Prentice Hall, the 4×3 world, whose utilities are " +
			"0.812 0.868 0.918 1, 0.762 0.660 −1, 0.705 0.655 0.611 0.388",
		choices: func(s int) []choice {
			var choices []choice
			for direction := range steps {
				c := choose(number("0.04"), move(s, direction), move(s, direction+1), move(s, direction+3))
				for i, p := range numbers("0.8 0.1 0.1") {
					c.next[i].weight = p
				}
				choices = append(choices, c)
			}
			return choices
		},
		questions: []question{{
			objective: totalOf(least), because: "the printed policy: round by the left, evaluated exactly",
			policy: func(s int) int {
				switch s {
				case 13, 23, 33:
					return 1
				case 21, 31, 41:
					return 3
				default:
					return 0
				}
			},
		}},
	}
}

// stopping holds problems of optimal stopping, and of choosing between projects.
func stopping() []process {
	const candidates, over = 10, -1
	// Rejecting m candidates and choosing the next one that is best so far
	// succeeds with probability (m/n)·Σ_{k=m}^{n−1} 1/k.
	passing := func(m int) *big.Rat {
		return mul(ratio(m, candidates), sumOver(m, candidates-1, func(k int) *big.Rat { return ratio(1, k) }))
	}
	return []process{{
		// State 2k + 1 has seen k candidates, the last of which is the best of them; in
		// state 2k it is not.
		name: "secretary", start: []int{0},
		source: "J.P. Gilbert and F. Mosteller, Recognizing the maximum of a sequence, Journal of the American Statistical Association 61 (1966), 35-73: of 10, pass 3; 0.399",
		choices: func(s int) []choice {
			k := s / 2
			pass := choose(nil, surely(over))
			if s != over && k < candidates {
				pass.next = []branch{{to: 2*(k+1) + 1, weight: ratio(1, k+1)}, {to: 2 * (k + 1), weight: ratio(k, k+1)}}
			}
			if s == over || s%2 == 0 {
				return []choice{pass}
			}
			return []choice{pass, choose(ratio(k, candidates), surely(over))}
		},
		questions: []question{{
			objective: finiteOf(candidates+1, greatest), because: "(3/10)·(1/3 + 1/4 + … + 1/9)",
			value: func(s int) *big.Rat {
				k, best := s/2, zero
				if s == over {
					return zero
				}
				for m := max(k, 1); m < candidates; m++ {
					best = larger(best, passing(m))
				}
				if s%2 == 1 {
					return larger(best, ratio(k, candidates))
				}
				return best
			},
		}},
	}, {
		// A die may be thrown up to three times; the last throw is what counts.
		name: "die", start: []int{0}, class: "weakly-communicating",
		source: "folklore: throw a die up to three times and be paid the last throw",
		choices: func(shown int) []choice {
			throw := choose(nil)
			for face := 1; face <= 6; face++ {
				throw.next = append(throw.next, branch{to: face, weight: ratio(1, 6)})
			}
			if shown == 0 {
				return []choice{throw}
			}
			return []choice{throw, choose(nil, surely(shown))}
		},
		questions: []question{{
			objective: objective{kind: finite, sense: greatest, steps: 3, terminals: numbers("0 1 2 3 4 5 6")},
			because:   "7/2 for one throw, 17/4 for two, 14/3 for three; who has a 5 or a 6 already keeps it",
			value:     func(shown int) *big.Rat { return larger(ratio(14, 3), whole(shown)) },
		}},
	}, {
		// Two projects pay 4, 0, 1, 1, … and 3, 3, 0, 0, … for each step that is worked
		// on them; the digits of the state are the steps.
		name: "projects", start: []int{0}, class: "multichain",
		source: "after J.C. Gittins and D.M. Jones, A dynamic allocation index for the sequential design of experiments, " +
			"in Progress in Statistics, North-Holland 1974",
		choices: func(s int) []choice {
			i, j := s/10, s%10
			return []choice{
				choose(numbers("4 0 1")[i], surely(10*min(i+1, 2)+j)),
				choose(numbers("3 3 0")[j], surely(10*i+min(j+1, 2))),
			}
		},
		questions: []question{{
			objective: discountedBy(ratio(1, 2), greatest),
			because:   "discount 1/2: work on the project of the greater index, 4, 1/2, 1 and 3, 3, 0: 51/8 from the start",
			policy: func(s int) int {
				if numbers("4 1/2 1")[s/10].Cmp(numbers("3 3 0")[s%10]) >= 0 {
					return 0
				}
				return 1
			},
		}},
	}}
}
