package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Stochastic shortest paths.

func shortestPaths() []*Problem {
	return []*Problem{
		spiderMoves(), spiderWaits(), parking(), grid(), idleLoop(), pit(), endless(),
	}
}

// spiderAndFly: the spider goes towards the fly, which moves by 1 to either side
// with probability p each, at the same time; at distance 1 it may also wait.
func spiderAndFly(p *big.Rat) declaration[int, int] {
	still := sub(one, mul(whole(2), p))
	const move, wait = 0, 1
	return absorbed(declaration[int, int]{
		start: []int{6},
		actions: func(distance int) []int {
			if distance == 1 {
				return []int{move, wait}
			}
			return []int{move}
		},
		cost: func(int, int) *big.Rat { return one },
		next: func(distance, a int) []branch[int] {
			switch {
			case distance > 1:
				return []branch[int]{{to: distance, weight: p}, {to: distance - 1, weight: still}, {to: distance - 2, weight: p}}
			case a == move:
				return []branch[int]{{to: 1, weight: mul(whole(2), p)}, {to: 0, weight: still}}
			default:
				return []branch[int]{{to: 2, weight: p}, {to: 1, weight: still}, {to: 0, weight: p}}
			}
		},
	}, func(distance int) bool { return distance == 0 })
}

const spiderSource = "the spider and the fly: D.P. Bertsekas, Dynamic Programming and Optimal Control I, Athena Scientific"

// spiderTime returns the time from a distance, given that from 1.
func spiderTime(p, fromOne *big.Rat, distance int) *big.Rat {
	times := []*big.Rat{zero, fromOne}
	for n := 2; n <= distance; n++ {
		ahead := add(one, mul(sub(one, mul(whole(2), p)), times[n-1]), mul(p, times[n-2]))
		times = append(times, quo(ahead, sub(one, p)))
	}
	return times[distance]
}

func spiderMoves() *Problem {
	p := ratio(1, 4)
	return known(Problem{
		Name:   "spider-moves",
		Source: spiderSource,
		Answer: "J(1) = 1/(1−2p) for p ≤ 1/3: move; p = 1/4",
	}, totalOf(mdp.Minimize), spiderAndFly(p), func(distance int) *big.Rat { return spiderTime(p, whole(2), distance) })
}

func spiderWaits() *Problem {
	p := ratio(2, 5)
	return known(Problem{
		Name:   "spider-waits",
		Source: spiderSource,
		Answer: "J(1) = 1/p for p ≥ 1/3: wait; p = 2/5",
	}, totalOf(mdp.Minimize), spiderAndFly(p), func(distance int) *big.Rat { return spiderTime(p, ratio(5, 2), distance) })
}

// place is a parking place, so many places from the theatre, and whether it is
// free.
type place struct {
	distance int
	free     bool
}

func parking() *Problem {
	const places, garage = 12, 20
	free := ratio(1, 4)
	parked := place{distance: -1}
	const drive, park = 0, 1
	d := declaration[place, int]{
		start: []place{{places, false}},
		actions: func(s place) []int {
			if s.free {
				return []int{drive, park}
			}
			return []int{drive}
		},
		cost: func(s place, a int) *big.Rat {
			switch {
			case a == park:
				return whole(s.distance)
			case s.distance == 0:
				return whole(garage)
			default:
				return zero
			}
		},
		next: func(s place, a int) []branch[place] {
			switch {
			case a == park || s.distance == 0:
				return surely(parked)
			case s.distance == 1:
				return surely(place{0, false})
			default:
				return []branch[place]{{to: place{s.distance - 1, true}, weight: free}, {to: place{s.distance - 1, false}, weight: sub(one, free)}}
			}
		},
	}
	// F(k) is the cost before it is seen whether place k is free.
	ahead := []*big.Rat{whole(garage)}
	for k := 1; k <= places; k++ {
		best := least(0, 1, func(i int) *big.Rat { return []*big.Rat{whole(k), ahead[k-1]}[i] })
		ahead = append(ahead, add(mul(free, best), mul(sub(one, free), ahead[k-1])))
	}
	return known(Problem{
		Name:   "parking",
		Source: "J. MacQueen and R.G. Miller, Optimal persistence policies, Operations Research 8 (1960), 362-380; also Bertsekas, Dynamic Programming and Optimal Control I",
		Answer: "F(k) = p·min(k, F(k−1)) + (1−p)·F(k−1), F(0) = 20, with p = 1/4",
	}, totalOf(mdp.Minimize), absorbed(d, func(s place) bool { return s == parked }), func(s place) *big.Rat {
		switch {
		case s == parked:
			return zero
		case s.distance == 0:
			return ahead[0]
		case s.free && whole(s.distance).Cmp(ahead[s.distance-1]) < 0:
			return whole(s.distance)
		default:
			return ahead[s.distance-1]
		}
	})
}

// idleLoop: to stay costs nothing, but does not lead to the target.
func idleLoop() *Problem {
	d := tabled(
		0,
		[]alternative{{"1 0 0", "0"}, {"0 1 0", "0"}, {"0 0 1", "5"}},
		[]alternative{{"1 0 0", "0"}, {"0 1/2 1/2", "2"}},
		[]alternative{{"0 0 1", "0"}},
	)
	return known(Problem{
		Name: "idle-loop",
		Source: "after D.P. Bertsekas and J.N. Tsitsiklis, An analysis of stochastic shortest path problems, " +
			"Mathematics of Operations Research 16 (1991), 580-595, who show that cycles without cost make the optimality equation ambiguous",
		Answer: "go to state 1 and on from there: 2 a step for two steps in the mean",

		Classification: mdp.Multichain,
	}, totalOf(mdp.Minimize), absorbed(d, func(s int) bool { return s == 2 }), func(s int) *big.Rat { return numbers("4 4 0")[s] })
}

// pit may swallow who goes by.
func pit() *Problem {
	d := tabled(
		0,
		[]alternative{{"0 3/4 1/8 1/8", "1"}, {"0 0 0 1", "9"}},
		[]alternative{{"0 0 1/2 1/2", "1"}},
		[]alternative{{"0 0 1 0", "1"}},
		[]alternative{{"0 0 0 1", "0"}},
	)
	return known(Problem{
		Name:   "pit",
		Source: "derived here",
		Answer: "from states 1 and 2 the target is not reached for sure; from 0 it is for 9",

		Classification: mdp.Multichain,
	}, totalOf(mdp.Minimize), absorbed(d, func(s int) bool { return s == 3 }), func(s int) *big.Rat {
		return []*big.Rat{whole(9), nil, nil, zero}[s]
	})
}

// endless: rewards that may never end.
func endless() *Problem {
	d := tabled(
		0,
		[]alternative{{"1/2 1/2 0 0", "1"}, {"0 0 1 0", "2"}},
		[]alternative{{"1 0 0 0", "0"}},
		[]alternative{{"0 0 3/4 1/4", "1"}, {"0 0 0 1", "3"}},
		[]alternative{{"0 0 0 1", "0"}},
	)
	return known(Problem{
		Name:   "endless",
		Source: "derived here",
		Answer: "from states 0 and 1 the target need not be reached; from 2 it takes 4 steps of 1 in the mean",

		Classification: mdp.Multichain,
	}, totalOf(mdp.Maximize), absorbed(d, func(s int) bool { return s == 3 }), func(s int) *big.Rat {
		return []*big.Rat{nil, nil, whole(4), zero}[s]
	})
}
