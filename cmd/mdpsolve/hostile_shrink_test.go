package main

// Smaller models that show the same fault.

import (
	"cmp"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// shrink makes the model of an example smaller while it shows the fault, for some
// seconds.
func (h *hostileTally) shrink(e *hostileExample) {
	end := time.Now().Add(5 * time.Second)
	for smaller := true; smaller; {
		smaller = false
		for try := range shrunk(e.model, e.question) {
			if time.Now().After(end) {
				return
			}
			if fault, shows := h.shows(e, try); shows {
				e.model, e.question, e.fault = try.model, try.question, fault
				smaller = true
				break
			}
		}
	}
}

// shows says whether a trial has the fault of an example.
func (h *hostileTally) shows(e *hostileExample, try hostileTrial) (hostileFault, bool) {
	random := rand.New(rand.NewPCG(e.seed, 12))
	for range 3 { // bounds are moved at random
		r := hostileSolve(filepath.Join(h.folder, "shrunk"), try.model, try.question, e.fault.method, random)
		for _, fault := range r.faults {
			if fault.kind == e.fault.kind {
				return fault, true
			}
		}
		if e.fault.kind != faultAccepted && e.fault.method != methodPolicyGiven {
			break
		}
	}
	return hostileFault{}, false
}

type hostileTrial struct {
	model    *hostileModel
	question hostileQuestion
}

// shrunk returns simpler trials, the simplest first.
func shrunk(m *hostileModel, q hostileQuestion) func(yield func(hostileTrial) bool) {
	return func(yield func(hostileTrial) bool) {
		changed := func(change func(*hostileModel)) bool {
			c := m.clone()
			change(c)
			return c.text() == m.text() || yield(hostileTrial{c, q})
		}
		if m.drn && !changed(func(c *hostileModel) { c.drn = false }) {
			return
		}
		for s := len(m.states) - 1; s >= 0 && len(m.states) > 1; s-- {
			if !changed(func(c *hostileModel) { c.drop(s) }) {
				return
			}
		}
		for s, state := range m.states {
			for a, action := range state.actions {
				if len(state.actions) > 1 && !changed(func(c *hostileModel) {
					c.states[s].actions = slices.Delete(c.states[s].actions, a, a+1)
				}) {
					return
				}
				for i := range action.moves {
					if len(action.moves) > 1 && !changed(func(c *hostileModel) { c.states[s].actions[a].dropMove(i, m.kind) }) {
						return
					}
					for _, value := range []string{"0", "1"} {
						if action.moves[i].reward != "0" && !changed(func(c *hostileModel) { c.states[s].actions[a].moves[i].reward = value }) {
							return
						}
					}
				}
				for _, value := range []string{"0", "1"} {
					if action.reward != "0" && !changed(func(c *hostileModel) { c.states[s].actions[a].reward = value }) {
						return
					}
				}
				if !changed(func(c *hostileModel) { c.states[s].actions[a].fix() }) {
					return
				}
				if len(action.moves) == 2 && m.kind != "ctmc" && !changed(func(c *hostileModel) {
					c.states[s].actions[a].moves[0].value, c.states[s].actions[a].moves[1].value = "0.5", "0.5"
				}) {
					return
				}
			}
			for _, value := range []string{"0", "1"} {
				if state.reward != "0" && !changed(func(c *hostileModel) { c.states[s].reward = value }) {
					return
				}
			}
		}
		if !changed(func(c *hostileModel) { c.shorten() }) {
			return
		}
		simpler := q
		simpler.tolerance, simpler.horizon = "1e-9", "1"
		if simpler != q {
			yield(hostileTrial{m, simpler})
		}
	}
}

func (m *hostileModel) clone() *hostileModel {
	c := *m
	c.goal = slices.Clone(m.goal)
	c.states = slices.Clone(m.states)
	for s := range c.states {
		c.states[s].actions = slices.Clone(c.states[s].actions)
		for a := range c.states[s].actions {
			c.states[s].actions[a].moves = slices.Clone(c.states[s].actions[a].moves)
		}
	}
	return &c
}

// drop removes a state; what led there leads back to where it came from.
func (m *hostileModel) drop(gone int) {
	goal := slices.DeleteFunc(slices.Clone(m.goal), func(s int) bool { return s == gone })
	if len(goal) == 0 {
		return
	}
	m.goal = goal
	shifted := func(s int) int {
		if s > gone {
			s--
		}
		return s
	}
	for i := range m.goal {
		m.goal[i] = shifted(m.goal[i])
	}
	for s := range m.states {
		for a := range m.states[s].actions {
			action := &m.states[s].actions[a]
			for i := 0; i < len(action.moves); i++ {
				if action.moves[i].state != gone {
					continue
				}
				if at := slices.IndexFunc(action.moves, func(t hostileMove) bool { return t.state == s }); at >= 0 && at != i {
					action.moves[at].absorb(action.moves[i])
					action.moves = slices.Delete(action.moves, i, i+1)
				} else {
					action.moves[i].state = s
				}
				break
			}
			for i := range action.moves {
				action.moves[i].state = shifted(action.moves[i].state)
			}
			slices.SortFunc(action.moves, func(a, b hostileMove) int { return a.state - b.state })
		}
	}
	m.states = slices.Delete(m.states, gone, gone+1)
}

// shorten rounds numbers with many digits.
func (m *hostileModel) shorten() {
	rounded := func(x *string, format byte, digits int) {
		if len(*x) > 20 {
			number, _ := fraction(*x).Float64()
			*x = strconv.FormatFloat(number, format, digits, 64)
		}
	}
	for s := range m.states {
		rounded(&m.states[s].reward, 'g', 6)
		for _, action := range m.states[s].actions {
			for i := range action.moves {
				if fraction(action.moves[i].value).Cmp(big.NewRat(1, 1000)) > 0 {
					rounded(&action.moves[i].value, 'f', 12)
				}
			}
		}
	}
}

// dropMove removes a transition, of which another takes the probability.
func (a *hostileAction) dropMove(i int, kind string) {
	gone := a.moves[i]
	a.moves = slices.Delete(a.moves, i, i+1)
	if kind != "ctmc" {
		a.moves[0].absorb(gone)
	}
}

// absorb takes the value of a transition that goes.
func (t *hostileMove) absorb(gone hostileMove) {
	if t.high != "" || gone.high != "" {
		t.high = plus(cmp.Or(t.high, t.value), cmp.Or(gone.high, gone.value))
	}
	t.value = plus(t.value, gone.value)
}

// fix makes probabilities known: those of equal transitions, where there are intervals.
func (a *hostileAction) fix() {
	a.distance = ""
	for i, move := range a.moves {
		if move.high != "" {
			a.moves[i].high, a.moves[i].value = "", big.NewRat(1, int64(len(a.moves))).RatString()
		}
	}
}

func plus(x, y string) string {
	if sum := new(big.Rat).Add(fraction(x), fraction(y)); sum.Cmp(one) != 0 {
		return sum.RatString()
	}
	return "1"
}
