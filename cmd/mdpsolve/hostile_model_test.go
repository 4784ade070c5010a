package main

// Random models that are hard on floating-point numbers, as the texts of files.

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// hostileModel is a model whose numbers are texts, as a file has them.
type hostileModel struct {
	kind   string // "mdp", "dtmc" or "ctmc"
	drn    bool   // the format is DRN, not JSON
	goal   []int
	states []hostileState
}

type hostileState struct {
	reward  string
	actions []hostileAction
}

type hostileAction struct {
	reward   string
	moves    []hostileMove
	distance string // "" for none
}

// hostileMove is a transition; its value is a probability or a rate, or the least one where
// there is a greatest.
type hostileMove struct {
	state         int
	value, reward string
	high          string // "" where the value is known
}

// hostileQuestion is what is asked, in the words of the flags.
type hostileQuestion struct {
	criterion, sense, discount, horizon, tolerance string
	uncertainty                                    string // "" without intervals
}

// flags returns the flags of the question.
func (q hostileQuestion) flags() string {
	text := "--criterion " + q.criterion + " --" + q.sense + " --tolerance " + q.tolerance
	switch q.criterion {
	case criterionDiscounted:
		text += " --discount " + q.discount
	case criterionTotal:
		text += " --target goal"
	case criterionFinite:
		text += " --horizon " + q.horizon
	}
	if q.uncertainty != "" {
		text += " --uncertainty " + q.uncertainty
	}
	return text
}

// hostileDraw draws a model and a question.
type hostileDraw struct {
	*rand.Rand
	model         *hostileModel
	probabilities int // style of probabilities, or of rates
	rewards       int // style of rewards
	decade        int // of rewards of one size
}

// Styles of probabilities.
const (
	probTenths    = iota
	probDyadic    // exact in float64
	probFractions // of small whole numbers
	probRare      // all but one are tiny
	probWild      // down to 1e-300
	probOffSum    // decimals that do not sum to 1
	probFloats    // 17 digits
	probStyles
)

// Styles of rewards.
const (
	rewardSmall = iota
	rewardSigned
	rewardSparse
	rewardScaled // of one size, 1e-150 … 1e150
	rewardMixed  // each of its own size, over 300 decades
	rewardMild   // over 12 decades
	rewardTies
	rewardNearTies
	rewardOpposite // x and −x
	rewardNone
	rewardStyles
)

// hostile draws the model and the question of a seed.
func hostile(seed uint64) (*hostileModel, hostileQuestion) {
	d := &hostileDraw{Rand: rand.New(rand.NewPCG(seed, 10)), model: &hostileModel{kind: "mdp"}}
	d.probabilities, d.rewards, d.decade = d.IntN(probStyles), d.IntN(rewardStyles), d.IntN(301)-150
	if k := d.IntN(6); k < 2 {
		d.model.kind = []string{"dtmc", "ctmc"}[k]
	}
	q := d.question()
	n := 1 + d.IntN(4)
	if d.IntN(3) == 0 {
		n = 1 + d.IntN(12)
	}
	d.draw(n)
	d.model.goal = []int{n - 1}
	if d.IntN(4) == 0 {
		d.model.goal[0] = d.IntN(n)
	}
	if d.IntN(8) == 0 && d.model.goal[0] > 0 {
		d.model.goal = []int{0, d.model.goal[0]}
	}
	d.model.drn = d.IntN(4) == 0
	if !d.model.drn && d.IntN(5) == 0 {
		d.rewardMoves()
	}
	if unknown := (&hostileDraw{Rand: rand.New(rand.NewPCG(seed, 13)), model: d.model}); unknown.IntN(5) > 1 {
		unknown.intervals(&q)
	}
	if d.IntN(8) == 0 {
		d.model.cancel(q)
	}
	if q.criterion == criterionFinite && d.IntN(4) == 0 && n <= 3 && d.model.hasShortNumbers() && q.uncertainty == "" { // or fractions get very long
		q.horizon = "1000"
		if q.uncertainty != "" { // ends are rounded to 53 digits, which add up
			q.horizon = "100"
		}
	}
	return d.model, q
}

// hasShortNumbers says that no number has many digits, so that many steps do not
// make very many.
func (m *hostileModel) hasShortNumbers() bool {
	for _, state := range m.states {
		for _, action := range state.actions {
			for _, move := range action.moves {
				if len(move.value) > 6 || strings.Contains(move.value, "e") {
					return false
				}
			}
		}
	}
	return true
}

func (d *hostileDraw) question() hostileQuestion {
	q := hostileQuestion{
		criterion: criteria[d.IntN(len(criteria))],
		sense:     []string{"minimize", "maximize"}[d.IntN(2)],
		tolerance: []string{"1e-6", "1e-9", "1e-9", "1e-12"}[d.IntN(4)],
		discount: []string{
			"0.1", "0.5", "0.9", "0.99", "2/3", "1/3", "0.999", "0.999999", "0.999999999", "0.9999999999", "0.999999999999",
			"1099511627775/1099511627776", "999999999999/1000000000000",
		}[d.IntN(13)],
		horizon: strconv.Itoa(1 + d.IntN(30)),
	}
	if d.IntN(30) == 0 {
		q.discount, q.horizon = "0", "0"
	}
	if d.model.kind == "ctmc" {
		q.criterion = []string{criterionAverage, criterionTotal}[d.IntN(2)]
	}
	return q
}

// draw draws n states by one of the structures.
func (d *hostileDraw) draw(n int) {
	structure := []func(n, s int) []int{
		d.anywhere, d.anywhere, d.backToFirst, d.inBlocks, d.around, d.onward, d.onward, d.almostInBlocks,
		d.periodic, d.trapped, d.star, d.line, d.line, d.leaking,
	}[d.IntN(14)]
	idle := d.IntN(6) == 0 // cycles that cost nothing
	for s := range n {
		state := hostileState{reward: "0"}
		if d.IntN(3) == 0 {
			state.reward = d.reward()
		}
		actions := 1
		if d.model.kind == "mdp" {
			actions += d.IntN(4)
		}
		for range actions {
			action := hostileAction{reward: d.reward()}
			if d.model.kind == "ctmc" && d.IntN(2) == 0 {
				action.reward, state.reward = "0", d.reward()
			}
			if idle && d.IntN(2) == 0 {
				action.reward, state.reward = "0", "0"
			}
			action.moves = d.row(s, structure(n, s))
			state.actions = append(state.actions, action)
		}
		if k := len(state.actions); k > 1 && d.IntN(4) == 0 { // equal actions
			state.actions[k-1] = hostileAction{reward: state.actions[0].reward, moves: slices.Clone(state.actions[0].moves)}
		}
		d.model.states = append(d.model.states, state)
	}
}

// Structures: the states that an action of state s leads to, that first which
// is the most likely where probabilities are rare.

func (d *hostileDraw) anywhere(n, _ int) []int { return d.Perm(n)[:1+d.IntN(min(n, 4))] }

func (d *hostileDraw) backToFirst(n, s int) []int { return append(without(d.anywhere(n, s), 0), 0) }

func (d *hostileDraw) inBlocks(n, s int) []int {
	blocks := 1 + n/3
	if s == n-1 {
		return d.anywhere(n, s)
	}
	return d.only(n, s, func(j int) bool { return j%blocks == s%blocks })
}

func (d *hostileDraw) around(n, s int) []int {
	next := (s + 1) % n
	return append([]int{next}, without(d.anywhere(n, s), next)...)
}

func (d *hostileDraw) onward(n, s int) []int {
	return d.only(n, s, func(j int) bool { return j >= s })
}

func (d *hostileDraw) almostInBlocks(n, s int) []int {
	next := (s/3*3 + 3) % n
	return append(without(d.only(n, s, func(j int) bool { return j/3 == s/3 }), next), next)
}

func (d *hostileDraw) periodic(n, s int) []int {
	if n < 4 {
		return []int{(s + 1) % n}
	}
	return d.only(n, (s+1)%n, func(j int) bool { return j%2 != s%2 })
}

func (d *hostileDraw) trapped(n, s int) []int {
	switch {
	case s >= n-2:
		return []int{s}
	case d.IntN(3) == 0:
		return []int{n - 1 - d.IntN(2)}
	}
	return d.anywhere(n, s)
}

func (d *hostileDraw) star(n, s int) []int {
	if s > 0 {
		return [][]int{{0}, {0, s}, {s, 0}}[d.IntN(3)]
	}
	return d.Perm(n)
}

func (d *hostileDraw) line(n, s int) []int {
	moves := []int{max(s-1, 0)}
	if s+1 < n {
		moves = append(moves, s+1)
	}
	if d.IntN(3) == 0 {
		moves = append([]int{s}, without(moves, s)...)
	}
	if d.IntN(2) == 0 {
		slices.Reverse(moves)
	}
	return moves
}

func (d *hostileDraw) leaking(n, s int) []int {
	if s+1 < n {
		return []int{s, s + 1}[:1+d.IntN(2)]
	}
	return []int{s}
}

// only returns some of the states that are allowed, at least one, which is s
// where none is.
func (d *hostileDraw) only(n, s int, allowed func(int) bool) []int {
	states := slices.DeleteFunc(d.Perm(n), func(j int) bool { return !allowed(j) })
	if len(states) == 0 {
		return []int{s}
	}
	return states[:1+d.IntN(min(len(states), 4))]
}

func without(states []int, state int) []int {
	return slices.DeleteFunc(states, func(j int) bool { return j == state })
}

// row returns transitions to different states.
func (d *hostileDraw) row(s int, states []int) []hostileMove {
	style := d.probabilities
	if d.IntN(4) == 0 {
		style = d.IntN(probStyles)
	}
	var values []string
	if d.model.kind == "ctmc" {
		if len(without(slices.Clone(states), s)) == 0 {
			return nil
		}
		values = d.rates(style, len(states))
	} else {
		values = d.distribution(style, len(states))
	}
	moves := make([]hostileMove, len(states))
	for i, j := range states {
		moves[i] = hostileMove{state: j, value: values[i], reward: "0"}
	}
	slices.SortFunc(moves, func(a, b hostileMove) int { return a.state - b.state })
	return moves
}

func (d *hostileDraw) rates(style, count int) []string {
	values := make([]string, count)
	for i := range values {
		switch decades := map[int]int{probRare: 8, probWild: 60}[style]; {
		case style == probFractions:
			values[i] = fmt.Sprintf("%d/%d", 1+d.IntN(9), 1+d.IntN(9))
		case style == probFloats:
			values[i] = strconv.FormatFloat(10*d.Float64()+1e-3, 'g', -1, 64)
		case decades > 0:
			values[i] = fmt.Sprintf("%de%d", 1+d.IntN(9), d.IntN(2*decades+1)-decades)
		default:
			values[i] = strconv.Itoa(1 + d.IntN(9))
		}
	}
	return values
}

// distribution returns probabilities that sum to 1 up to 1e-9.
func (d *hostileDraw) distribution(style, count int) []string {
	if count == 1 {
		return []string{"1"}
	}
	whole := map[int]int{probTenths: 20, probDyadic: 16}[style]
	if whole == 0 {
		whole = count + d.IntN(90)
	}
	weights := d.parts(whole, count)
	values := make([]string, count)
	for i, w := range weights {
		switch p := float64(w) / float64(whole); style {
		case probTenths, probDyadic:
			values[i] = strconv.FormatFloat(p, 'g', -1, 64)
		case probOffSum:
			values[i] = strconv.FormatFloat(p, 'f', 10, 64)
		case probFloats:
			values[i] = strconv.FormatFloat(p, 'g', 17, 64)
		default:
			values[i] = big.NewRat(int64(w), int64(whole)).String()
		}
	}
	if style == probRare || style == probWild {
		d.rare(style, values)
	}
	return values
}

// rare makes all but the first of some probabilities tiny.
func (d *hostileDraw) rare(style int, values []string) {
	rest := big.NewRat(1, 1)
	for i := 1; i < len(values); i++ {
		exponent := 1 + d.IntN(20)
		if style == probWild {
			exponent = 1 + d.IntN(300)
		}
		values[i] = fmt.Sprintf("%de-%d", 1+d.IntN(3), exponent)
		rest.Sub(rest, fraction(values[i]))
	}
	switch near := new(big.Rat).Sub(one, rest); {
	case near.Cmp(fraction("1e-10")) < 0 && d.IntN(3) > 0:
		values[0] = "1" // the sum is meant to be 1, and is not
	case rest.Sign() > 0:
		values[0] = rest.String()
	default:
		clear(values)
		for i := range values {
			values[i] = big.NewRat(1, int64(len(values))).String()
		}
	}
}

var one = big.NewRat(1, 1)

// parts returns positive whole numbers that sum to whole.
func (d *hostileDraw) parts(whole, count int) []int {
	parts := make([]int, count)
	for i := range parts {
		parts[i] = 1
	}
	for range whole - count {
		parts[d.IntN(count)]++
	}
	return parts
}

func (d *hostileDraw) reward() string {
	digits := 1 + d.IntN(99999)
	switch d.rewards {
	case rewardSmall:
		return strconv.Itoa(d.IntN(10))
	case rewardSigned:
		return strconv.Itoa(d.IntN(11) - 5)
	case rewardSparse:
		if d.IntN(4) > 0 {
			return "0"
		}
		return []string{"1", "1e6", "1/3"}[d.IntN(3)]
	case rewardScaled:
		return fmt.Sprintf("%d.%de%d", d.IntN(10), digits, d.decade)
	case rewardMixed:
		return fmt.Sprintf("%s%de%d", []string{"", "", "-"}[d.IntN(3)], 1+d.IntN(9), d.IntN(301)-150)
	case rewardMild:
		return fmt.Sprintf("%s%d.%de%d", []string{"", "-"}[d.IntN(2)], d.IntN(10), digits, d.IntN(13)-6)
	case rewardTies:
		return "7/3"
	case rewardNearTies:
		return "1." + strings.Repeat("0", 8+d.decade%8) + strconv.Itoa(d.IntN(3))
	case rewardOpposite:
		return []string{"", "-"}[d.IntN(2)] + "0.1"
	}
	return "0"
}

// rewardMoves gives some transitions rewards.
func (d *hostileDraw) rewardMoves() {
	for _, state := range d.model.states {
		for _, action := range state.actions {
			for i := range action.moves {
				if d.IntN(2) == 0 {
					action.moves[i].reward = d.reward()
				}
			}
		}
	}
}

// cancel takes a number from all rewards, with which the optimum of state 0
// becomes exactly 0; not for totals, and not where that takes many digits.
func (m *hostileModel) cancel(q hostileQuestion) {
	if q.criterion == criterionTotal {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), oracleLimit)
	defer cancel()
	optimum, err := newHostileTruth(ctx, m, q)
	if err != nil {
		return
	}
	shift := optimum.values[0].Rat()
	switch q.criterion {
	case criterionDiscounted:
		shift.Mul(shift, new(big.Rat).Sub(one, fraction(q.discount)))
	case criterionFinite:
		if q.horizon == "0" {
			return
		}
		shift.Quo(shift, fraction(q.horizon))
	}
	if len(shift.String()) > 200 {
		return
	}
	for s := range m.states {
		reward := fraction(m.states[s].reward)
		m.states[s].reward = reward.Sub(reward, shift).RatString()
	}
}

// text returns the file.
func (m *hostileModel) text() string {
	if m.drn {
		return m.drnText()
	}
	var states []string
	for _, state := range m.states {
		var actions []string
		for _, action := range state.actions {
			var moves []string
			for _, move := range action.moves {
				earned := ""
				if move.reward != "0" {
					earned = ", [" + jsonNumber(move.reward) + "]"
				}
				value := jsonNumber(move.value)
				if move.high != "" {
					value = fmt.Sprintf("[%s, %s]", value, jsonNumber(move.high))
				}
				moves = append(moves, fmt.Sprintf("[%d, %s%s]", move.state, value, earned))
			}
			around := ""
			if action.distance != "" {
				around = fmt.Sprintf(`, "distance": %s`, jsonNumber(action.distance))
			}
			actions = append(actions, fmt.Sprintf(`{%s"to": [%s]%s}`, jsonRewards(action.reward), strings.Join(moves, ", "), around))
		}
		states = append(states, fmt.Sprintf(`{%s"actions": [%s]}`, jsonRewards(state.reward), strings.Join(actions, ", ")))
	}
	goal := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(m.goal), "[]")), ", ")
	return fmt.Sprintf("{\"kind\": %q, \"labels\": {\"goal\": [%s]}, \"reward_models\": [\"r\"], \"states\": [\n%s]}\n",
		m.kind, goal, strings.Join(states, ",\n"))
}

func jsonNumber(x string) string {
	if strings.Contains(x, "/") {
		return strconv.Quote(x)
	}
	return x
}

func jsonRewards(x string) string {
	if x == "0" {
		return ""
	}
	return fmt.Sprintf(`"rewards": [%s], `, jsonNumber(x))
}

func (m *hostileModel) drnText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "@type: %s\n@parameters\n\n@reward_models\nr\n@nr_states\n%d\n@model\n", strings.ToUpper(m.kind), len(m.states))
	for s, state := range m.states {
		fmt.Fprintf(&b, "state %d [%s]", s, state.reward)
		if s == 0 {
			b.WriteString(" init")
		}
		if slices.Contains(m.goal, s) {
			b.WriteString(" goal")
		}
		b.WriteString("\n")
		for a, action := range state.actions {
			fmt.Fprintf(&b, "\taction %d [%s]\n", a, action.reward)
			for _, move := range action.moves {
				fmt.Fprintf(&b, "\t\t%d : %s\n", move.state, move.value)
			}
		}
	}
	return b.String()
}
