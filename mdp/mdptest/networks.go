package mdptest

import (
	"math/big"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// Control of queues whose state is a pair of numbers.

func networks() []*Problem {
	return []*Problem{shorterQueue(), twoRates(), twoBatches()}
}

// pair is a pair of numbers of customers.
type pair [2]int

func (s pair) plus(class, n int) pair {
	s[class] += n
	return s
}

// shorterQueue: arrivals at rate 2 choose between two servers of rate 1 with
// room for 3 each; each customer costs 1 per unit of time, and 10 where there is
// no room.
func shorterQueue() *Problem {
	const room = 3
	d := declaration[pair, int]{
		continuous: true,
		start:      []pair{{}},
		actions: func(s pair) []int {
			switch {
			case s[0] == room && s[1] < room:
				return []int{1}
			case s[1] == room:
				return []int{0}
			default:
				return []int{0, 1}
			}
		},
		cost: func(s pair, _ int) *big.Rat { return whole(s[0] + s[1]) },
		next: func(s pair, queue int) []branch[pair] {
			events := []branch[pair]{{to: s, weight: whole(2), cost: whole(10)}}
			if s[queue] < room {
				events[0] = branch[pair]{to: s.plus(queue, 1), weight: whole(2)}
			}
			for server, q := range s {
				if q > 0 {
					events = append(events, branch[pair]{to: s.plus(server, -1), weight: one})
				}
			}
			return events
		},
	}
	return attained(Problem{
		Name:   "shorter-queue",
		Source: "after W. Winston, Optimality of the shortest line discipline, Journal of Applied Probability 14 (1977), 181-189",
		Answer: "join the shorter queue, balance equations solved exactly",
	}, averageOf(mdp.Minimize), d, func(s pair) int {
		if s[0] <= s[1] && s[0] < room || s[0] == room && s[1] == room {
			return 0
		}
		return 1
	})
}

// twoRates: calls of two classes with rewards 4 and 1 and mean lengths 1 and
// 1/2 on 4 circuits, both arriving at rate 2. The action is how many classes
// are admitted.
func twoRates() *Problem {
	const circuits = 4
	reward, end := numbers("4 1"), numbers("1 2")
	d := declaration[pair, int]{
		continuous: true,
		start:      []pair{{}},
		actions: func(s pair) []int {
			if s[0]+s[1] == circuits {
				return []int{0}
			}
			return []int{0, 1, 2}
		},
		next: func(s pair, classes int) []branch[pair] {
			var events []branch[pair]
			for class := range classes {
				events = append(events, branch[pair]{to: s.plus(class, 1), weight: whole(2), cost: reward[class]})
			}
			for class, calls := range s {
				if calls > 0 {
					events = append(events, branch[pair]{to: s.plus(class, -1), weight: mul(whole(calls), end[class])})
				}
			}
			return events
		},
	}
	return attained(Problem{
		Name:   "trunk-reservation-two-rates",
		Source: "derived here",
		Answer: "reserve one circuit for the class that pays 4, balance equations solved exactly",
	}, averageOf(mdp.Maximize), d, func(s pair) int { return min(circuits-s[0]-s[1], 2) })
}

// twoBatches: two batches of jobs, of service rates 3 and 1, that cost 2 and 1
// per unit of time and job until they are done; one server serves one job, or
// none, at a time.
func twoBatches() *Problem {
	rate, cost := numbers("3 1"), numbers("2 1")
	d := declaration[pair, int]{
		continuous: true,
		start:      []pair{{4, 3}},
		actions: func(s pair) []int {
			var busy []int
			for class, jobs := range s {
				if jobs > 0 {
					busy = append(busy, class)
				}
			}
			return busy
		},
		cost: func(s pair, _ int) *big.Rat {
			return add(mul(whole(s[0]), cost[0]), mul(whole(s[1]), cost[1]))
		},
		next: func(s pair, class int) []branch[pair] {
			return []branch[pair]{{to: s.plus(class, -1), weight: rate[class]}}
		},
	}
	return known(Problem{
		Name:   "two-batches",
		Source: "the cμ rule: D.R. Cox and W.L. Smith, Queues, Methuen 1961",
		Answer: "all of the first batch first, as 2·3 > 1·1: 2·n(n+1)/2/3 + m·n/3 + m(m+1)/2 from n and m jobs",
	}, totalOf(mdp.Minimize), absorbed(d, func(s pair) bool { return s == pair{} }), func(s pair) *big.Rat {
		n, m := s[0], s[1]
		return add(ratio(n*(n+1), 3), ratio(n*m, 3), ratio(m*(m+1), 2))
	})
}
