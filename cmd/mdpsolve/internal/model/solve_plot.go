package model

// Pictures of answers: --plot with --show. Policies, values and distributions are drawn over the
// variables of states and, for a finite horizon, over its steps.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/floats"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

// The values of --show.
const (
	showFlag         = "show"
	axesFlag         = "axes"
	showBounds       = "bounds"
	showPolicy       = "policy"
	showValue        = "value"
	showDistribution = "distribution"
)

// plotText is for the help of solve.
const plotText = `--plot draws how the bounds converge (for policy iteration, values of policies; for a finite
horizon, the value by the number of steps to go) or, with --show, the best actions, the
values, or where the policy is: its share of time in the long run, the time before the end of
a total, or the probability of each state after each step of a finite horizon. With
--constraint it draws the policy alone. The axes are the variables of states, which their
names list, as in (3,1); the steps of a finite horizon count as one, and those in a row with
the same best actions share a panel. --axes queue,robots names those for x and y, a third one
has a panel for each value, and phase=2 shows states with that value alone. States that agree
in all variables shown are drawn together: in a map by their mean value, in lines by the least
and the greatest.`

var (
	shows      = []string{showBounds, showPolicy, showValue, showDistribution}
	showsOfOne = []string{showValue, showPolicy, showDistribution} // of a given policy
)

// viewFlags are the flags that say what a picture shows: some of a list, by default the first.
func viewFlags(of []string) []cli.Flag {
	return ui.Group(ui.OutputGroup,
		ui.ValueFlag(showFlag, "draw `WHAT`: "+showsText(of), of[0]),
		ui.ValueFlag(axesFlag, "the variables `X,Y,PANELS` of the picture, and others as NAME=VALUE", ""),
	)
}

// showsText says which of a list --show takes: bounds stand alone.
func showsText(of []string) string {
	if !slices.Contains(of, showBounds) {
		return "one or several of " + wording.Alternatives(of)
	}
	return "bounds, or one or several of " + wording.Alternatives(of[1:])
}

// panelsToExpect returns the number of panels of a picture, 0 if it depends on the model.
func panelsToExpect(a *ui.Arguments, r *request) int {
	switch {
	case a.CLI.IsSet(methodsFlag):
		return runPanels(1 + strings.Count(a.CLI.String(methodsFlag), ","))
	case r.isTradeOff:
		return 1
	case a.CLI.String(showFlag) == showBounds && r.sums == "" && r.question.Criterion == question.Finite:
		return 1
	case a.CLI.String(showFlag) == showBounds && r.sums == "":
		return runPanels(1)
	}
	return 0
}

// savePicture draws the bounds, or a view.
func (s *solution) savePicture(a *ui.Arguments, picture *figure.File, v *view) error {
	if picture == nil {
		return nil
	}
	if v != nil {
		return v.save(a, s)
	}
	if s.compared != nil {
		return picture.Save(func() []figure.Panel { return s.compared.panels(a, s) })
	}
	panels, err := s.convergencePanels(a)
	if err == nil {
		return picture.Save(func() []figure.Panel { return panels })
	}
	a.Warn("--plot: %s has no bounds on its way, and policy iteration by the textbook is not possible (%s): the picture shows the values", s.result.Method, plainError(err))
	picture.Anew()
	v = &view{picture: picture, shows: []string{showValue}, steps: 1, states: s.given.NumStates(), choices: namedActions(s.given)}
	v.lay(a, s)
	return v.save(a, s)
}

// view is what a picture shows of an answer. It is nil if the picture shows the bounds, or if there is
// no picture.
type view struct {
	shows    []string
	picture  *figure.File
	layout   *figure.Layout
	step     *figure.Variable // nil if there is one step
	states   int
	steps    int  // 1 unless the horizon is finite
	borrowed bool // the values of steps are found for the picture alone
	choices  *named
	names    []string // of the actions that are shown
}

// readView reads --show, some of a list, and --axes.
func readView(a *ui.Arguments, r *request, of []string) *view {
	for _, flag := range []string{showFlag, axesFlag} {
		a.OnlyWith(flag, "plot FILE", a.CLI.IsSet("plot"))
	}
	v := &view{picture: r.picture, shows: strings.Split(a.CLI.String(showFlag), ",")}
	allowed := showsText(of)
	if r.sums != "" && !r.isTradeOff && !a.CLI.IsSet(showFlag) {
		v.shows = []string{showPolicy} // the search has no bounds to draw
	}
	for i, show := range v.shows {
		if !slices.Contains(of, show) || slices.Contains(v.shows[:i], show) || len(v.shows) > 1 && show == showBounds {
			a.Fault(showFlag, "%q is not valid: use %s", a.CLI.String(showFlag), allowed)
		}
	}
	a.OnlyWith(axesFlag, "show "+wording.Alternatives(shows[1:]), !v.has(showBounds))
	if r.picture == nil || v.has(showBounds) {
		return nil
	}
	return v
}

func (v *view) has(show string) bool { return slices.Contains(v.shows, show) }

// prepare lays out the states of a question, before it is solved, and asks for what the picture
// needs of the answer.
func (v *view) prepare(a *ui.Arguments, s *solution) {
	if v != nil {
		v.read(a, s)
		for _, show := range v.shows {
			v.ready(a, s, show)
		}
		v.lay(a, s)
	}
}

// mostPoints is the greatest number of states, or of states and steps, that a picture shows.
const mostPoints = 20_000_000

// read finds how many states and steps there are.
func (v *view) read(a *ui.Arguments, s *solution) {
	m := s.given
	if v.states, v.steps = m.NumStates(), 1; s.Given.HasSteps() && s.of == nil {
		v.steps = max(1, s.Given.Steps())
	}
	if v.has(showValue) && m.IsUncertain() {
		v.steps = 1 // only the values of the first step are known
	}
	if v.states > mostPoints/v.steps {
		a.Fault(showFlag, "%s in %s are too many to draw: use up to %d together", wording.Count(v.states, "state"), wording.Count(v.steps, "step"), mostPoints)
	}
	v.choices = namedActions(m)
}

// ready refuses what cannot be shown, and asks for what is needed to show it.
func (v *view) ready(a *ui.Arguments, s *solution, show string) {
	m, hasChoices := s.given, v.choices.decided > 0
	switch {
	case show == showPolicy && !hasChoices:
		a.Fault(showFlag, "the model has no choices, and so no policy to draw: use value or distribution")
	case s.Constraints != nil && show != showPolicy:
		a.Fault(showFlag, "%s is not valid with --%s, whose answer is about the initial state alone: use policy", show, constraintFlag)
	case s.of != nil && s.of.isByStep():
		a.Fault("plot", "not valid with a policy that depends on the step: use solve")
	case s.of != nil && show == showPolicy && s.of.Policy.NumRandomized() > 0:
		a.Fault(showFlag, "the policy leaves decisions to chance: use value or distribution")
	case s.of != nil && show == showDistribution && s.HasSteps():
		a.Fault(showFlag, "distribution is not valid for the finite horizon of a given policy: use value or policy")
	case show == showDistribution && s.Criterion == question.Timed:
		a.Fault(showFlag, "distribution is not valid with a time in a CTMC: use value")
	case show == showDistribution && s.HasSteps() && m.IsUncertain():
		a.Fault(showFlag, "distribution is not valid for a finite horizon of a model with intervals: use policy or value")
	}
	if v.steps == 1 || s.Constraints != nil {
		return
	}
	s.allSteps = s.allSteps || hasChoices
	if show == showValue && !s.stepValues {
		if err := s.Model.FitsSteps(v.steps); err != nil {
			a.Fault("horizon", "%s", plainError(err))
		}
		s.stepValues, v.borrowed = true, true
	}
}

// lay lays out the states and steps.
func (v *view) lay(a *ui.Arguments, s *solution) {
	variables := variablesOf(s.given)
	if v.steps > 1 {
		v.step = figure.NewCount("step", 1, v.steps, func(i int) int { return i / v.states })
		v.step.Apart = true
		variables = append([]*figure.Variable{v.step}, variables...)
	}
	var err error
	v.layout, err = figure.NewLayout(v.states*v.steps, variables, a.CLI.String(axesFlag))
	if err != nil {
		a.Fault(axesFlag, "%v", err)
	}
	// In a state with one action there is nothing to decide. Such actions are drawn only where actions have rows,
	// and if these are not too many.
	const mostRows = 24
	if v.layout.IsPlane() || len(v.choices.names) > mostRows {
		v.names = v.choices.names[:v.choices.decided]
	} else {
		v.choices.sort()
		v.names = v.choices.names
	}
	if !v.dependsOnAnswer(s) {
		v.picture.RefuseOne(a, len(v.shows)*v.layout.Count())
		v.picture.Expect(a, slices.Repeat([]int{v.layout.Count()}, len(v.shows))...)
	}
}

// dependsOnAnswer reports whether the answer decides how many panels there are: each policy of a mixture has one,
// and so have successive steps with the same decisions.
func (v *view) dependsOnAnswer(s *solution) bool {
	return s.Constraints != nil || v.has(showPolicy) && v.steps > 1 && v.layout.Count() > 1
}

// variablesOf returns the variables of the states of a model: those that it names, the numbers of
// names such as (3,1), or the state itself. Points beyond the last state are states again.
func variablesOf(m *modelfile.Model) (all []*figure.Variable) {
	n := m.NumStates()
	again := func(v *figure.Variable) *figure.Variable {
		at := v.At
		v.At = func(i int) int { return at(i % n) }
		return v
	}
	names, values := m.Valuations()
	if names == nil && m.StateNames != nil {
		count := len(values(0))
		for s := range n {
			if len(values(s)) != count {
				count = 0
			}
		}
		for i := range count {
			names = append(names, fmt.Sprintf("x%d", i+1))
		}
		if count == 1 {
			names = []string{"state"}
		}
	}
	if names == nil {
		if m.StateNames != nil {
			return append(all, again(figure.NewVariable("state", n, func(s int) string { return m.StateNames[s] })))
		}
		return append(all, figure.NewCount("state", 0, n, func(i int) int { return i % n }))
	}
	for i, name := range names {
		all = append(all, again(figure.NewVariable(name, n, func(s int) string { return values(s)[i] })))
	}
	return all
}

// named has the actions of a model by their names.
type named struct {
	names   []string // those of states with a choice first, in the order of the model
	decided int      // how many these are
	of      []int32  // by choice of the model, the place of its name in names
	model   *modelfile.Model
}

func namedActions(m *modelfile.Model) *named {
	list, known := &named{model: m, of: make([]int32, m.NumChoices())}, map[string]int32{}
	for _, isOnly := range []bool{false, true} {
		for s := range m.NumStates() {
			first, last := m.StateStart[s], m.StateStart[s+1]
			if isOnly != (last-first == 1) {
				continue
			}
			for k := first; k < last; k++ {
				name := m.ActionName(s, int(k))
				at, is := known[name]
				if !is {
					at = int32(len(list.names))
					known[name], list.names = at, append(list.names, name)
				}
				list.of[k] = at
			}
		}
		if !isOnly {
			list.decided = len(list.names)
		}
	}
	return list
}

// sort puts the names in the order of the model, those of states without a choice among them.
func (n *named) sort() {
	sorted, known := []string(nil), map[int32]int32{}
	for k, at := range n.of {
		if _, is := known[at]; !is {
			known[at], sorted = int32(len(sorted)), append(sorted, n.names[at])
		}
		n.of[k] = known[at]
	}
	n.names = sorted
}

// action returns the place of an action of a state among the names that are shown.
func (v *view) action(s int, action int32) int {
	if at := int(v.choices.of[v.choices.model.StateStart[s]+action]); at < len(v.names) {
		return at
	}
	return figure.OneAction
}

// save draws the picture.
func (v *view) save(a *ui.Arguments, s *solution) error {
	if v == nil {
		return nil
	}
	var panels []figure.Panel
	var sizes []int
	for _, show := range v.shows {
		more, err := v.panels(a, s, show)
		if err != nil {
			return err
		}
		panels, sizes = append(panels, more...), append(sizes, len(more))
	}
	if v.borrowed {
		s.result.StepValues = nil
	}
	if v.dependsOnAnswer(s) {
		v.picture.Expect(a, sizes...)
	}
	return v.picture.Save(func() []figure.Panel { return panels })
}

// panels draws one of what is shown.
func (v *view) panels(a *ui.Arguments, s *solution, show string) ([]figure.Panel, error) {
	title := s.title()
	of := title // a property keeps its letters
	if s.Parsed == nil {
		of = strings.ToLower(title[:1]) + title[1:]
	}
	head := figure.Head{Title: title, Given: given(a)}
	switch {
	case s.Constraints != nil:
		head.Title = "Policy within limits: " + of
		return v.mixture(head, s), nil
	case show == showPolicy && s.result.Policy == nil:
		return nil, ui.UsageErrorf("--%s: there is no policy of the model's actions: use value", showFlag)
	case show == showPolicy:
		if head.Title = "Best action: " + of; s.of != nil {
			head.Title = "Action: " + of
		}
		policies := s.result.Policies
		same := func(step int) bool { return step < len(policies) && slices.Equal(policies[step-1], policies[step]) }
		return v.policy(v.layout.Merged(v.step, same), head, s), nil
	case show == showValue:
		return v.values(head, s), nil
	}
	return v.distribution(a.CLI.Context, head, s)
}

// policy draws the best actions.
func (v *view) policy(layout *figure.Layout, head figure.Head, s *solution) []figure.Panel {
	policies := s.result.Policies
	if len(policies) < v.steps {
		policies = [][]int32{s.result.Policy}
	}
	return layout.Actions(head, v.names, func(i int) int {
		state, step := i%v.states, i/v.states
		if step >= len(policies) {
			return figure.NoAction
		}
		if s.Stated != nil {
			if _, isOpen := slices.BinarySearch(s.Stated.Decided, int32(state)); isOpen {
				return figure.OneAction
			}
		}
		return v.action(state, policies[step][state])
	})
}

// values draws values with their bounds.
func (v *view) values(head figure.Head, s *solution) []figure.Panel {
	r := s.result
	value, lower, upper := []certificate.Floats{r.Values}, []certificate.Floats{r.Lower}, []certificate.Floats{r.Upper}
	if r.StepValues != nil {
		value, lower, upper = r.StepValues.Values, r.StepValues.Lower, r.StepValues.Upper
	}
	ofSteps := func(list []certificate.Floats) func(i int) float64 {
		return func(i int) float64 { return list[min(i/v.states, len(list)-1)][i%v.states] }
	}
	what, isConstant := "value", !slices.ContainsFunc(r.Values, func(x float64) bool { return x != r.Values[0] })
	if s.HasGain() && s.Stated == nil && isConstant && r.Relative != nil && v.states > 1 {
		head.Title = "Relative value of each state: " + strings.ToLower(head.Title[:1]) + head.Title[1:] + ", " + ui.ShortText(r.Value, 6)
		return v.layout.Values(head, "relative value", at(r.Relative), at(r.Relative), at(r.Relative))
	}
	if s.Stated != nil && s.Stated.IsProbability() {
		what = "probability"
	} else if s.Given.Reward != "" {
		what = s.Given.Reward + s.unit()
	}
	if v.steps > 1 {
		what += " to the end"
	}
	return v.layout.Values(head, what, ofSteps(lower), ofSteps(value), ofSteps(upper))
}

// mixture draws the policies of a mixture. A decision that is left to chance is an action of its own,
// whose name has the probabilities.
func (v *view) mixture(head figure.Head, s *solution) (panels []figure.Panel) {
	title := head.Title
	for j, c := range s.result.Mixture {
		if len(s.result.Mixture) > 1 {
			head.Title = fmt.Sprintf("%s; policy %d, followed with probability %s", title, j+1, ui.ShortText(c.Weight, 4))
		}
		var blends []figure.Blend
		known := map[string]int{}
		place := make([]int, v.states*v.steps) // of the action of each point among names
		for i := range place {
			var words []string
			shares := v.shares(c, i)
			for _, one := range shares {
				if one.share == 1 {
					place[i] = one.action
				} else if one.share > 0 {
					words = append(words, v.names[one.action]+" "+ui.ShortText(100*one.share, 3)+"%")
				}
			}
			if words == nil {
				continue
			}
			mixed := strings.Join(words, ", ")
			if _, is := known[mixed]; !is {
				slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.share, a.share) })
				known[mixed] = len(v.names) + len(blends)
				blends = append(blends, figure.Blend{Name: mixed, Of: [2]int{shares[0].action, shares[1].action}})
			}
			place[i] = known[mixed]
		}
		same := func(step int) bool {
			at := step * v.states
			return slices.Equal(place[at-v.states:at], place[at:at+v.states])
		}
		panels = append(panels, v.layout.Merged(v.step, same).Actions(head, v.names, func(i int) int { return place[i] }, blends...)...)
	}
	return panels
}

// share is how often a policy takes an action of a name.
type share struct {
	action int // its place among the names that are shown
	share  float64
}

// shares returns the actions of a state in a step, in the order of the model.
func (v *view) shares(c certificate.Component, point int) (shares []share) {
	m, state, step := v.choices.model, point%v.states, point/v.states
	total := 0.0
	for k := m.StateStart[state]; k < m.StateStart[state+1]; k++ {
		x, action := c.Probabilities[step*m.NumChoices()+int(k)], v.action(state, k-m.StateStart[state])
		at := slices.IndexFunc(shares, func(one share) bool { return one.action == action })
		if at < 0 {
			at = len(shares)
			shares = append(shares, share{action: action})
		}
		shares[at].share += x
		total += x
	}
	for i := range shares {
		shares[i].share /= total
	}
	return shares
}

// distribution draws where the policy is, from the first initial state.
func (v *view) distribution(ctx context.Context, head figure.Head, s *solution) ([]figure.Panel, error) {
	m, r := s.Model, s.result
	if m.IsUncertain() {
		var err error
		if m, err = certificate.Nature(m, r); err != nil {
			return nil, ui.UsageErrorf("--%s: %s", showFlag, plainError(err))
		}
	}
	policy := r.Policy
	if policy == nil || s.of != nil { // m is a chain
		policy = make([]int32, v.states)
	}
	from := " from state " + m.StateName(r.Initial)
	if v.steps > 1 || s.HasSteps() {
		head.Title = "Probability of each state, before each step," + from
		found := v.ahead(m, s)
		return v.overlaid(v.layout.Shares(head, "probability", func(i int) float64 { return found[i/v.states][i%v.states] }, ui.PercentText), head, s), nil
	}
	arrays, err := chainArrays(m, s, policy)
	if err != nil {
		return nil, ui.UsageErrorf("--%s: the distribution is not known: %s", showFlag, plainError(err))
	}
	table, err := mdp.NewTable(arrays)
	if err != nil {
		return nil, err
	}
	where := "in the long run,"
	var shares, passing []float64
	behaviour, err := mdp.LongRun(ctx, table, mdp.Policy{Actions: make([]int32, v.states)})
	switch {
	case errors.Is(err, mdp.ErrTooLarge):
		steps := max(1, mostMoves/len(arrays.Columns))
		shares = meanOf(ctx, arrays, r.Initial, steps)
		passing = scaled(shares, float64(steps)/max(arrays.Rate, 1))
		where = "in the first " + wording.Count(steps, "step") + ","
	case err != nil:
		return nil, ui.UsageErrorf("--%s: the distribution is not known: %s", showFlag, plainError(err))
	default:
		shares, passing = behaviour.From(r.Initial)
	}
	if s.Criterion == question.Total {
		if s.Target != "" && math.IsInf(r.Upper[r.Initial], 0) {
			return nil, ui.UsageErrorf("--%s: the policy may never reach the target, so the time in states is infinite: use value", showFlag)
		}
		for _, end := range s.Ends {
			passing[end] = 0
		}
		what := "expected steps"
		if m.Kind.IsContinuous() {
			what = "expected time"
		}
		if where == "in the long run," {
			where = "before the end,"
		}
		head.Title = "Time in each state " + where + from
		return v.overlaid(v.layout.Shares(head, what, at(passing), shortText), head, s), nil
	}
	head.Title = "Share of time in each state, " + where + from
	return v.overlaid(v.layout.Shares(head, "share of time", at(shares), ui.PercentText), head, s), nil
}

// mostMoves bounds the work for the distribution of a chain that is too large for an exact one.
const mostMoves = 1_000_000_000

// meanOf returns the share of the first steps that a chain spends in each state.
func meanOf(ctx context.Context, chain mdp.TableArrays, initial, steps int) []float64 {
	sum, only := make([]float64, len(chain.RowStart)-1), make([]int32, len(chain.RowStart)-1)
	for step, now := range forward(chain, func(int) []int32 { return only }, []int32{int32(initial)}, nil) {
		if floats.Add(sum, now); step+1 == steps || ctx.Err() != nil {
			return scaled(sum, 1/float64(step+1))
		}
	}
	return sum
}

func scaled(list []float64, by float64) []float64 {
	return floats.ScaleTo(make([]float64, len(list)), by, list)
}

func shortText(x float64) string { return ui.ShortText(x, 3) }

func at(list []float64) func(i int) float64 { return func(i int) float64 { return list[i] } }

// overlaid adds lines where the action changes to panels over two variables.
func (v *view) overlaid(panels []figure.Panel, head figure.Head, s *solution) []figure.Panel {
	if s.result.Policy == nil || v.choices.decided == 0 {
		return panels
	}
	return figure.Bordered(panels, v.policy(v.layout, head, s), "the best action changes")
}

// chainArrays returns the chain of a policy. It ends in the states of a target, which lead to
// themselves.
func chainArrays(m *modelfile.Model, s *solution, policy []int32) (mdp.TableArrays, error) {
	chain, err := m.Under(mdp.Policy{Actions: policy})
	if err != nil {
		return mdp.TableArrays{}, err
	}
	arrays, err := chain.TableArrays(s.Reward)
	if err != nil || s.Ends == nil {
		return arrays, err
	}
	whole := arrays
	arrays.RowStart, arrays.Columns, arrays.Probabilities = []int32{0}, nil, nil
	for i := range chain.NumStates() {
		if _, isEnd := slices.BinarySearch(s.Ends, int32(i)); isEnd {
			arrays.Columns, arrays.Probabilities = append(arrays.Columns, int32(i)), append(arrays.Probabilities, 1)
		} else {
			from, to := whole.RowStart[i], whole.RowStart[i+1]
			arrays.Columns = append(arrays.Columns, whole.Columns[from:to]...)
			arrays.Probabilities = append(arrays.Probabilities, whole.Probabilities[from:to]...)
		}
		arrays.RowStart = append(arrays.RowStart, int32(len(arrays.Columns)))
	}
	return arrays, nil
}

// ahead returns the probability of each state before each step.
func (v *view) ahead(m *modelfile.Model, s *solution) (all [][]float64) {
	arrays := mdp.TableArrays{StateStart: m.StateStart, RowStart: m.RowStart, Columns: m.Columns, Probabilities: m.Values.Float}
	policies := s.result.Policies
	if policies == nil {
		policies = [][]int32{s.result.Policy}
	}
	if policies[0] == nil { // there is nothing to choose
		policies[0] = make([]int32, v.states)
	}
	policy := func(step int) []int32 { return policies[min(step, len(policies)-1)] }
	for step, now := range forward(arrays, policy, []int32{int32(s.result.Initial)}, nil) {
		if all = append(all, slices.Clone(now)); step+1 == v.steps {
			break
		}
	}
	return all
}
