package property

// The value of a property in each state: expressions over variables, labels, and answers to the
// questions of the operators inside of them. Sets of states are found here, and nowhere else.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// Ask answers a question: it returns bounds on its value in each state, and the values themselves
// if they are known as fractions; nil elements are infinite.
type Ask func(q *Question) (lower, upper []float64, exact []*big.Rat, err error)

// Values are the values of a property.
type Values struct {
	Lower, Upper []float64  // by state
	Exact        []*big.Rat // by state, nil for infinite values; nil if they are not all known

	// IsTruth says that the values are 1 where the property holds, and 0 where it does not. Between
	// the bounds 0 and 1 it is undecided.
	IsTruth bool

	// IsOpen says that bounds did not decide a threshold or a comparison in some state.
	IsOpen bool

	// IsRange says that the bounds are those of a range of values of several states.
	IsRange bool

	// Questions are the operators that were asked, as they were written.
	Questions []string
}

// Evaluate finds the values of a property, compound or not. Errors are a [*modelfile.SyntaxError], a
// [*UndecidedError] and those of ask.
//
// A set of states that depends on a threshold is known if the bounds of ask decide that threshold.
// Where they do not, the values of P and S lie between those for the states which are surely in the
// set, and for those which may be. An interval of time [l,u] is two questions: about the time from l
// on, and about the time until then, which ends with the values of the first.
func (p *Property) Evaluate(m *modelfile.Model, ask Ask) (*Values, error) {
	e := p.evaluation(m)
	e.ask = ask
	isTruth, err := e.check(p.root)
	if err != nil {
		return nil, err
	}
	e.prepare(p.root)
	v := &Values{IsTruth: isTruth, IsRange: p.root.filter != nil && p.root.filter.kind == "range", Questions: e.asked}
	isKnown := true
	defer func() { v.IsOpen = e.isOpen }()
	for s := range m.NumStates() {
		x := e.at(p.root, s)
		v.Lower, v.Upper = append(v.Lower, x.low), append(v.Upper, x.high)
		exact := x.rational()
		isKnown = isKnown && (exact != nil || math.IsInf(x.low, 0) && x.low == x.high)
		v.Exact = append(v.Exact, exact)
	}
	if !isKnown {
		v.Exact = nil
	}
	return v, e.err
}

// UndecidedError says that bounds do not decide which states are in a set.
type UndecidedError struct {
	States []int32 // some of those states
	Reason string
}

// Error returns the reason.
func (e *UndecidedError) Error() string { return e.Reason }

// evaluation is a property that is evaluated on a model; on none if it is to be a constant.
type evaluation struct {
	file        string
	uncertainty string
	m           *modelfile.Model
	ask         Ask
	names       []string           // of the variables
	columns     map[string][]value // the variables that are used, by name
	labels      map[string][]bool
	known       map[*node][]value // the values of operators and filters; one stands for all states
	asked       []string
	isOpen      bool // a comparison is undecided
	err         error
}

func (p *Property) evaluation(m *modelfile.Model) *evaluation {
	return &evaluation{file: p.file, uncertainty: p.Uncertainty, m: m, columns: map[string][]value{}, labels: map[string][]bool{}, known: map[*node][]value{}}
}

func (e *evaluation) fail(at token, found, expected string) {
	if e.err == nil {
		e.err = fault(e.file, at, found, expected)
	}
}

// check says whether the values of an expression are truth values, and finds the variables and labels
// in it.
func (e *evaluation) check(n *node) (isTruth bool, err error) {
	switch n.operator {
	case "number":
		return false, nil
	case "truth":
		return true, nil
	case "name":
		return e.variable(n.at)
	case "label":
		return true, e.label(n.at)
	case "multi":
		return false, fault(e.file, n.at, "several objectives", "a property with one value: solve answers several objectives by themselves")
	}
	kinds := make([]bool, len(n.operands))
	for i, operand := range n.operands {
		if kinds[i], err = e.check(operand); err != nil {
			return false, err
		}
	}
	want := func(i int, truth bool) error {
		if i >= len(kinds) || kinds[i] == truth {
			return nil
		}
		at := n.operands[i].at
		if truth {
			return fault(e.file, at, at.String()+", which is a number", "what is true or false, for "+n.at.String())
		}
		return fault(e.file, at, at.String()+", which is true or false", "a number, for "+n.at.String())
	}
	switch n.operator {
	case "query":
		for _, set := range n.query.sets() {
			if set == nil {
				continue
			}
			if is, err := e.check(set); err != nil {
				return false, err
			} else if !is {
				return false, fault(e.file, set.at, set.at.String()+", which is a number", "what is true or false in a state")
			}
		}
		return n.query.relation != "", nil
	case "filter":
		if err = want(1, true); err == nil && !slices.Contains([]string{"first", "state", "print", "printall"}, n.filter.kind) {
			err = want(0, filters[n.filter.kind])
		}
		switch n.filter.kind {
		case "first", "state", "print", "printall":
			return kinds[0], err
		}
		return slices.Contains([]string{"forall", "exists", "argmin", "argmax"}, n.filter.kind), err
	case "?":
		if err = want(0, true); err == nil {
			err = want(2, kinds[1])
		}
		return kinds[1], err
	case "=", "!=":
		return true, want(1, kinds[0])
	}
	isTruth = slices.Contains([]string{"not", "&", "|", "=>", "<=>"}, n.operator)
	for i := range kinds {
		if err := want(i, isTruth); err != nil {
			return false, err
		}
	}
	return isTruth || slices.Contains(levels[6], n.operator), nil
}

// label finds the states of a label.
func (e *evaluation) label(at token) error {
	if e.m == nil {
		return fault(e.file, at, at.String(), "a number")
	}
	if e.labels[at.text] != nil {
		return nil
	}
	holds, m := make([]bool, e.m.NumStates()), e.m
	e.labels[at.text] = holds
	if _, labelled := m.Labels[at.text]; at.text == "deadlock" && !labelled {
		for s := range holds {
			holds[s] = m.Kind.IsContinuous() && m.RowStart[m.StateStart[s]] == m.RowStart[m.StateStart[s+1]]
		}
		return nil
	}
	states, err := m.Labelled(at.text)
	if err != nil {
		found, expected, _ := strings.Cut(strings.TrimPrefix(err.Error(), "modelfile: "), ": ")
		return fault(e.file, at, strings.TrimSuffix(found, " is not valid")+", which is not in the model", strings.TrimPrefix(expected, "use "))
	}
	for _, s := range states {
		holds[s] = true
	}
	return nil
}

// variable reads the values of a variable.
func (e *evaluation) variable(at token) (isTruth bool, err error) {
	if e.m == nil {
		return false, fault(e.file, at, "the constant "+at.String()+" without a value", `a number, or a line "const int `+at.String()+` = 5;"`)
	}
	if e.names == nil {
		e.names, _ = e.m.Valuations()
	}
	names := e.names
	i := slices.Index(names, at.text)
	switch {
	case names == nil:
		return false, fault(e.file, at, at.String()+" and the states of the model have no variables", "a label in quotation marks, or a model with the values of variables")
	case i < 0:
		return false, fault(e.file, at, at.String()+", which is no variable of the model and has no value as a constant", "one of "+wording.List(names))
	}
	isTruth = slices.Contains([]string{"true", "false"}, e.m.Valuation(0, i))
	if e.columns[at.text] != nil {
		return isTruth, nil
	}
	column := make([]value, e.m.NumStates())
	if values := e.m.WholeValues(i); values != nil {
		for s, x := range values {
			column[s] = value{low: x, high: x}
		}
		e.columns[at.text] = column
		return isTruth, nil
	}
	for s := range column {
		text := e.m.Valuation(s, i)
		if whole, err := strconv.Atoi(text); err == nil && !isTruth && whole == int(float64(whole)) {
			column[s] = value{low: float64(whole), high: float64(whole)}
			continue
		}
		x := constantOf(text)
		if x == nil || isTruth != (x.operator == "truth") {
			return false, fault(e.file, at, fmt.Sprintf("variable %s, which has the value %s in state %d", at.String(), wording.Quote(text), s), "numbers, or true and false")
		}
		column[s] = e.at(x, s)
	}
	e.columns[at.text] = column
	return isTruth, nil
}

// prepare finds the values of operators and filters in an expression.
func (e *evaluation) prepare(n *node) {
	if n == nil || e.err != nil || e.known[n] != nil {
		return
	}
	for _, operand := range n.operands {
		e.prepare(operand)
	}
	switch {
	case e.err != nil:
	case n.query != nil:
		for _, set := range n.query.sets() {
			e.prepare(set)
		}
		if e.err == nil {
			e.known[n] = e.answer(n.query)
		}
	case n.filter != nil:
		e.known[n] = e.filtered(n)
	}
}

// at returns the value of an expression in a state. Operators and filters are prepared.
func (e *evaluation) at(n *node, s int) value {
	switch n.operator {
	case "number":
		return exactly(n.number)
	case "truth":
		return truth(n.number != nil)
	case "name":
		return e.columns[n.at.text][s]
	case "label":
		return truth(e.labels[n.at.text][s])
	case "query", "filter":
		if list := e.known[n]; len(list) > 0 {
			return list[min(s, len(list)-1)]
		}
		return undecided // after an error
	}
	x := e.at(n.operands[0], s)
	y := value{}
	if len(n.operands) > 1 {
		y = e.at(n.operands[1], s)
	}
	switch n.operator {
	case "not":
		return value{low: 1 - x.high, high: 1 - x.low}
	case "negate":
		return compute("-", value{}, x)
	case "&":
		return extreme(x, y, -1)
	case "|":
		return extreme(x, y, 1)
	case "=>":
		return extreme(value{low: 1 - x.high, high: 1 - x.low}, y, 1)
	case "<=>":
		return compare("=", x, y)
	case "?":
		z := e.at(n.operands[2], s)
		switch x {
		case isTrue:
			return y
		case isFalse:
			return z
		}
		return value{low: min(y.low, z.low), high: max(y.high, z.high)}
	case "min", "max":
		for _, operand := range n.operands[1:] {
			x = compute(n.operator, x, e.at(operand, s))
		}
		return x
	case "floor", "ceil", "round":
		return round(n.operator, x)
	case "mod":
		z, ok := modulo(x, y)
		if !ok {
			e.fail(n.at, n.at.String()+" of numbers that are not whole, or too large", "small whole numbers")
		}
		return z
	case "pow":
		z, ok := power(x, y)
		if !ok {
			e.fail(n.at, n.at.String()+" of a number that may be below 0, or 0 with an exponent below 0", "a number above 0, or a whole exponent")
		}
		return z
	case "+", "-", "*", "/":
		return compute(n.operator, x, y)
	}
	return e.compare(n.operator, x, y)
}

// compare is [compare], and notes what is undecided.
func (e *evaluation) compare(relation string, x, y value) value {
	z := compare(relation, x, y)
	e.isOpen = e.isOpen || z == undecided
	return z
}

// set returns the states that are surely in a set, and those that may be. missing is what a set that
// is not given stands for.
func (e *evaluation) set(n *node, missing bool) (sure, possible []bool) {
	sure = slices.Repeat([]bool{missing}, e.m.NumStates())
	if n == nil {
		return sure, sure
	}
	possible = sure
	for s := range sure {
		x := e.at(n, s)
		if sure[s] = x == isTrue; x != isTrue && x != isFalse && &possible[0] == &sure[0] {
			possible = slices.Clone(sure)
		}
		possible[s] = x != isFalse
	}
	return sure, possible
}

// answer returns the values of an operator, or for one with a threshold whether they meet it.
func (e *evaluation) answer(q *query) []value {
	if !slices.Contains(e.asked, q.text) {
		e.asked = append(e.asked, q.text)
	}
	left, mayLeft := e.set(q.left, true)
	right, mayRight := e.set(q.right, false)
	if q.events != nil {
		return e.conditional(q, right, mayRight)
	}
	x := e.solve(q, left, right)
	if slices.Equal(left, mayLeft) && slices.Equal(right, mayRight) || e.err != nil {
		return x
	}
	if q.operator == "R" {
		e.err = e.openSet(right, mayRight)
		return x
	}
	y := e.solve(q, mayLeft, mayRight) // P and S grow with both sets
	for s := range x {
		switch {
		case q.relation == "" && !q.isOpposite:
			x[s] = value{low: x[s].low, high: y[s].high}
		case q.relation == "":
			x[s] = value{low: y[s].low, high: x[s].high}
		case x[s] != y[s]:
			x[s] = undecided
		}
	}
	return x
}

// openSet names states of which it is undecided whether they are in a set.
func (e *evaluation) openSet(sure, possible []bool) error {
	var states []int32
	var names []string
	for s := range sure {
		if sure[s] != possible[s] {
			if states = append(states, int32(s)); len(names) < 3 {
				names = append(names, e.m.StateName(s))
			}
		}
	}
	return &UndecidedError{states, fmt.Sprintf("bounds do not decide a threshold inside of the property in %s: %s", wording.Count(len(states), "state"), strings.Join(names, ", "))}
}

// solve returns the values of an operator, or whether they meet its threshold, for sets of states.
func (e *evaluation) solve(q *query, left, right []bool) []value {
	if !q.isOpposite && !q.bounds.hasLower() {
		asked, err := e.question(q, left, right)
		return e.put(q, asked, err)
	}
	plain, err := e.plain(q)
	if err != nil {
		e.err = err
		return nil
	}
	if q.isOpposite {
		turn := map[string]string{"min": "max", "max": "min"}
		plain.sense, plain.nature = turn[plain.sense], turn[plain.nature]
	}
	x := e.interval(plain, left, right)
	for s := range x {
		if q.isOpposite {
			x[s] = complement(x[s])
		}
	}
	return e.compared(q, x)
}

// plain returns an operator without a threshold and its opposite, which are applied to its values, and
// with the words of its sense.
func (e *evaluation) plain(q *query) (*query, error) {
	sense, _, err := e.senses(q)
	plain := *q
	plain.relation, plain.isOpposite, plain.sense = "", false, sense.String()[:3]
	if q.nature == "" && q.relation != "" && q.sense == "" {
		plain.nature = plain.sense
	}
	if !e.m.IsUncertain() {
		plain.nature = ""
	}
	return &plain, err
}

// compared returns values or, for an operator with a threshold, whether they meet it.
func (e *evaluation) compared(q *query, x []value) []value {
	for s := range x {
		if q.relation != "" {
			x[s] = e.compare(q.relation, x[s], exactly(q.limit))
		}
	}
	return x
}

// complement returns one minus a probability.
func complement(x value) value {
	y := compute("-", isTrue, x)
	y.low, y.high = max(0, y.low), min(1, y.high)
	return y
}

// put asks a question and returns the values, or whether they meet the threshold.
func (e *evaluation) put(q *query, asked *Question, err error) []value {
	n := e.m.NumStates()
	var lower, upper []float64
	var exact []*big.Rat
	if err == nil {
		if asked.IsDecided() {
			lower, upper = make([]float64, n), slices.Repeat([]float64{1}, n)
		} else {
			lower, upper, exact, err = e.ask(asked)
		}
	}
	if err != nil {
		e.err = err
		return nil
	}
	x := make([]value, n)
	for s := range x {
		var known *big.Rat
		if exact != nil {
			known = exact[s]
		}
		switch x[s] = within(lower[s], upper[s], known); {
		case q.relation == "" && asked.isOne != nil && asked.isOne[s]:
			x[s] = isTrue
		case q.relation == "" && asked.isZero != nil && asked.isZero[s]:
			x[s] = isFalse
		case q.relation != "":
			x[s] = map[string]value{"yes": isTrue, "no": isFalse, Undecided: undecided}[asked.Verdict(s, lower[s], upper[s], known)]
			e.isOpen = e.isOpen || x[s] == undecided
		}
	}
	return x
}

// interval returns the values of φ U ψ with a time of at least some l: first those from time l on,
// and then those of l steps, or of a time l, in which φ holds.
func (e *evaluation) interval(q *query, left, right []bool) []value {
	from, later := q.bounds.lower, *q
	if later.bounds = (bounds{at: q.bounds.at, upperStrict: q.bounds.upperStrict}); q.bounds.upper != nil {
		later.bounds.upper = new(big.Rat).Sub(q.bounds.upper, from)
	}
	isTimed := e.m.Kind.IsContinuous()
	switch {
	case !isTimed && (!from.IsInt() || !from.Num().IsInt64() || from.Num().Int64() >= math.MaxInt32):
		e.fail(q.bounds.at, "a time of "+from.RatString()+" in a model with steps", "a whole number of steps, up to 2147483647")
		return nil
	case e.m.Kind == modelfile.CTMDP || e.m.Kind == modelfile.SMDP:
		e.fail(q.bounds.at, fmt.Sprintf("a time in a model of kind %v, whose best actions would depend on the time that is left", e.m.Kind), "a property without a time")
		return nil
	case !isTimed && q.bounds.lowerStrict:
		if from = new(big.Rat).Add(from, one); later.bounds.upper != nil {
			later.bounds.upper.Sub(later.bounds.upper, one)
		}
	}
	if u := later.bounds.upper; u != nil && (u.Sign() < 0 || u.Sign() == 0 && later.bounds.upperStrict && !isTimed) {
		return make([]value, e.m.NumStates()) // no time is in the interval
	}
	if isTimed { // a moment has probability 0
		later.bounds.upperStrict = false
	}
	x := e.solve(&later, left, right)
	if from.Sign() == 0 {
		return x
	}
	inside := func() {
		for s := range x {
			if !left[s] {
				x[s] = value{}
			}
		}
	}
	none, outside := make([]bool, len(left)), negated(left)
	if isTimed {
		inside()
		return e.stage(q, outside, from, x)
	}
	if slices.Equal(none, outside) {
		return e.stage(q, none, from, x)
	}
	if x = e.stage(q, none, one, x); from.Cmp(one) > 0 { // ψ may hold after the last step, without φ
		inside()
		x = e.stage(q, outside, new(big.Rat).Sub(from, one), x)
	}
	inside()
	return x
}

// stage returns the values of some steps, or of a time, that end with the given ones. Some states are
// never left. For a time of nil it is the expected value of the one of those states that is reached;
// the others have the value 0.
func (e *evaluation) stage(q *query, frozen []bool, time *big.Rat, end []value) []value {
	if e.err != nil {
		return nil
	}
	sense, nature, err := e.senses(q)
	if err != nil {
		e.err = err
		return nil
	}
	own := *q
	own.bounds = bounds{at: q.bounds.at, upper: time}
	of := &question{query: &own, file: e.file, from: e.m, sense: sense}
	changed := absorbing(e.m, frozen)
	put := func(numbers modelfile.Numbers) ([]value, *Question) {
		asked, err := of.average(changed, modelfile.RewardModel{Name: Probability, State: numbers}), error(nil)
		if time != nil {
			asked, err = of.bounded(changed, modelfile.RewardModel{Name: Probability}, numbers)
		}
		if err == nil {
			asked.query, asked.Nature = &own, nature
		}
		return e.put(&own, asked, err), asked
	}
	low, high, isKnown := modelfile.Numbers{}, modelfile.Numbers{}, true
	above, below := make([]bool, len(end)), make([]bool, len(end))
	for s, x := range end {
		least, greatest := x.rational(), x.rational()
		if isKnown = isKnown && x.low == x.high; least == nil {
			least, greatest = new(big.Rat).SetFloat64(x.low), new(big.Rat).SetFloat64(x.high)
		}
		low.Float, high.Float = append(low.Float, x.low), append(high.Float, x.high)
		if e.m.IsExact() {
			low.Exact, high.Exact = append(low.Exact, least), append(high.Exact, greatest)
		}
		above[s], below[s] = x != isFalse, x != isTrue
	}
	x, asked := put(low)
	y := x
	if !isKnown && e.err == nil {
		y, _ = put(high)
	}
	if e.err != nil {
		return nil
	}
	isZero, isOne := make([]bool, len(x)), make([]bool, len(x))
	if !e.m.IsUncertain() && time != nil { // else nature decides what can be reached
		isZero, isOne, e.err = asked.certain(sense, make([]bool, asked.Model.NumChoices()), above, below)
	}
	for s := range x {
		switch {
		case isZero[s]:
			x[s] = isFalse
		case isOne[s]:
			x[s] = isTrue
		case x[s].exact == nil || y[s].exact == nil || x[s].exact.Cmp(y[s].exact) != 0:
			x[s] = value{low: max(0, x[s].low), high: min(1, y[s].high)}
		}
	}
	return x
}

// filtered returns the value of a filter, one for all states or, for those that pick or print states,
// one for each.
func (e *evaluation) filtered(n *node) []value {
	states := slices.Repeat([]bool{true}, e.m.NumStates())
	if len(n.operands) > 1 {
		sure, possible := e.set(n.operands[1], true)
		if states = sure; !slices.Equal(sure, possible) {
			e.err = e.openSet(sure, possible)
			return nil
		}
	}
	var list []value
	of := make([]value, len(states))
	for s := range of {
		if of[s] = e.at(n.operands[0], s); states[s] {
			list = append(list, of[s])
		}
	}
	kind := n.filter.kind
	switch {
	case kind == "print" || kind == "printall":
		return of
	case len(list) == 0 && slices.Contains([]string{"min", "max", "avg", "range", "argmin", "argmax", "first", "state"}, kind):
		e.fail(n.at, "a filter of no states", "states of which there are some")
		return nil
	case kind == "state" && len(list) > 1:
		e.fail(n.at, fmt.Sprintf("a filter of %d states", len(list)), "one state, or min or max")
		return nil
	case kind == "first" || kind == "state":
		return list[:1]
	}
	least, greatest, sum := value{low: math.Inf(1), high: math.Inf(1)}, value{low: math.Inf(-1), high: math.Inf(-1)}, value{}
	for _, x := range list {
		least, greatest = extreme(least, x, -1), extreme(greatest, x, 1)
		if kind == "sum" || kind == "avg" || kind == "count" {
			sum = compute("+", sum, x)
		}
	}
	switch kind {
	case "min":
		return []value{least}
	case "max":
		return []value{greatest}
	case "range":
		return []value{{low: least.low, high: greatest.high}}
	case "forall":
		return []value{extreme(isTrue, least, -1)}
	case "exists":
		return []value{extreme(isFalse, greatest, 1)}
	case "avg":
		return []value{compute("/", sum, exactly(big.NewRat(int64(len(list)), 1)))}
	case "argmin", "argmax":
		best := map[string]value{"argmin": least, "argmax": greatest}[kind]
		return argument(of, states, best)
	}
	return []value{sum}
}

// argument picks the states with the best value: surely if it is known, or no other state may have it.
func argument(of []value, states []bool, best value) []value {
	picked, count := make([]value, len(of)), 0
	for s, x := range of {
		if states[s] && x.low <= best.high && best.low <= x.high {
			picked[s] = compare("=", x, best)
			if count++; picked[s] == isFalse {
				count--
			}
		}
	}
	for s := range picked {
		if count == 1 && picked[s] == undecided {
			picked[s] = isTrue
		}
	}
	return picked
}
