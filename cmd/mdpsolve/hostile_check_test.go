package main

// What solve and check say of a hostile model, held against what is true.

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Kinds of faults.
const (
	faultFailure   = "solve failed (exit 1)"
	faultUnclear   = "more than one line on standard error, or no answer"
	faultInterval  = "interval without the optimum"
	faultValue     = "value outside its interval"
	faultExact     = "exact value is wrong"
	faultPolicy    = "policy does not achieve its bound"
	faultConverged = "converged over too wide an interval"
	faultStatus    = "exit status and status differ"
	faultRefuted   = "check refutes what solve says"
	faultUndecided = "check does not confirm what has converged"
	faultAccepted  = "check accepts a bound past the optimum"
	faultHanging   = "default method comes to the time limit"
	faultSlow      = "default method is slower than 50 ms and 5 times the best other"
	faultCheckSlow = "check takes longer than five seconds"
	faultOracle    = "the oracle is wrong"

	// Allowed, if seldom.
	limitReached = "precision-limit of the default method"
)

// slowCheck is what no check may take.
const slowCheck = 5 * time.Second

// hostileFault is something that is not as it must be.
type hostileFault struct {
	kind, method string
	got          string // with what is true
	policy       string // the file of the policy that was given
}

// hostileRun is one solve of a hostile model, or one evaluation of a policy.
type hostileRun struct {
	path     string // of the model
	policy   string // path of the policy that is evaluated; "" for a solve
	given    string // what stands there
	question hostileQuestion
	truth    *hostileTruth
	method   string
	limit    time.Duration

	exit    int
	stderr  string
	result  *certificate.Result // nil for none
	elapsed time.Duration
	faults  []hostileFault
	notes   []string // what is no fault, but to be counted
}

func (r *hostileRun) fault(kind, format string, args ...any) {
	r.faults = append(r.faults, hostileFault{kind, r.method, fmt.Sprintf(format, args...), r.given})
}

// line returns the command line of the solve.
func (r *hostileRun) line() string {
	if r.policy != "" {
		return fmt.Sprintf("evaluate %s --policy %s %s", r.path, r.policy, r.question.flags())
	}
	return fmt.Sprintf("solve %s %s --method %s", r.path, r.question.flags(), r.method)
}

func (r *hostileRun) resultPath() string {
	return strings.TrimSuffix(r.path, filepath.Ext(r.path)) + ".result.json"
}

// checkLine returns the command line of a check.
func (r *hostileRun) checkLine(result string) string {
	line := fmt.Sprintf("check %s %s -o json", r.path, result)
	if r.policy != "" {
		line += " --policy " + r.policy
	}
	return line
}

// solve runs the command.
func (r *hostileRun) solve() {
	begin := time.Now()
	r.exit, _, r.stderr = executeContext(context.Background(), fmt.Sprintf("%s --time-limit %v --workers 1 --out %s", r.line(), r.limit.Seconds(), r.resultPath()))
	r.elapsed = time.Since(begin)
}

// judge solves, and compares every claim with the truth.
func (r *hostileRun) judge(pick func(int) int) {
	_ = os.Remove(r.resultPath())
	r.solve()
	switch {
	case r.exit == ui.ExitUsage && strings.Count(r.stderr, "\n") == 1:
		return
	case r.exit == ui.ExitFailure:
		r.fault(faultFailure, "%.300s", r.stderr)
		return
	}
	var err error
	if r.result, err = certificate.ReadFile(r.resultPath()); err != nil {
		r.fault(faultUnclear, "exit %d: %.300s (%v)", r.exit, r.stderr, err)
		return
	}
	converged := r.result.Status == "converged"
	if converged != (r.exit == ui.ExitSolved) || !converged && r.exit != ui.ExitLimit {
		r.fault(faultStatus, "%s, exit %d", r.result.Status, r.exit)
	}
	r.judgeIntervals()
	r.judgePolicy()
	r.judgeStatus(converged)
	r.judgeCheck(converged)
	r.judgeMoved(pick)
}

func (r *hostileRun) judgeIntervals() {
	for s, optimum := range r.truth.values {
		lower, value, upper := r.result.Lower[s], r.result.Values[s], r.result.Upper[s]
		if !(lower <= value && value <= upper) {
			r.fault(faultValue, "state %d: %v in [%v, %v]", s, value, lower, upper)
		}
		if compareExact(lower, optimum) > 0 || compareExact(upper, optimum) < 0 {
			r.fault(faultInterval, "state %d: [%v, %v], optimum %s", s, lower, upper, short(optimum))
		}
		if r.result.Exact == nil {
			continue
		}
		if x, want := r.result.Exact[s], optimum.Rat(); (x == nil) != (want == nil) || x != nil && x.Cmp(want) != 0 {
			r.fault(faultExact, "state %d: %v, optimum %s", s, x, short(optimum))
		}
	}
}

// judgePolicy wants the policy to achieve the bound that is worse.
func (r *hostileRun) judgePolicy() {
	if r.policy != "" {
		return // it has been given
	}
	achieved, err := r.truth.achieved(r.result.Policy)
	if err != nil {
		r.untold(faultPolicy, err)
		return
	}
	for s, x := range achieved {
		below, above := compareExact(r.result.Lower[s], x) > 0, compareExact(r.result.Upper[s], x) < 0
		if r.truth.values[s].Infinity() < 0 && r.question.sense == "minimize" {
			continue // what is least is an infimum
		}
		if below || above {
			r.fault(faultPolicy, "state %d: [%v, %v], achieved %s, optimum %s", s, r.result.Lower[s], r.result.Upper[s], short(x), short(r.truth.values[s]))
		}
	}
}

// judgeStatus applies the one definition of converged.
func (r *hostileRun) judgeStatus(converged bool) {
	policy := r.result.Policy
	if r.policy != "" {
		policy = make([]int32, len(r.truth.values)) // of the chain
	}
	scale, err := r.truth.scale(policy)
	if err != nil {
		return // of the policy, which has been told
	}
	tolerance := fraction(r.question.tolerance)
	unmet := ""
	for s := range r.result.Values {
		lower, upper := r.result.Lower[s], r.result.Upper[s]
		if lower == upper {
			continue
		}
		if gap := upper - lower; unmet == "" && (math.IsInf(gap, 0) || !isWithin(lower, upper, tolerance, scale[s])) {
			unmet = fmt.Sprintf("state %d: [%v, %v] is %.3g wide, optimum %s, scale %s", s, lower, upper, gap, short(r.truth.values[s]), short(scale[s]))
		}
	}
	switch {
	case converged && unmet != "":
		r.fault(faultConverged, "%s", unmet)
	case r.result.Status != "precision-limit":
	case unmet == "":
		r.notes = append(r.notes, "precision-limit though within the tolerance")
	case r.method == ui.MethodAuto:
		r.fault(limitReached, "%s%s", unmet, r.beyondFloat())
	}
}

// beyondFloat says that an optimum is next to no float64 but 0 or infinity.
func (r *hostileRun) beyondFloat() string {
	for s, optimum := range r.truth.values {
		least, most := optimum.Bounds()
		if optimum.Infinity() == 0 && (math.IsInf(most-least, 1) || least != most && least*most == 0) {
			return fmt.Sprintf("; state %d: optimum %s, beyond float64", s, short(optimum))
		}
	}
	return ""
}

// isWithin says whether bounds are at most tolerance·scale apart. What is added
// up is never less than the sum.
func isWithin(lower, upper float64, tolerance *big.Rat, scale exact.Value) bool {
	least := new(big.Rat)
	if math.Signbit(lower) == math.Signbit(upper) {
		least = rational(min(math.Abs(lower), math.Abs(upper)))
	}
	if x := scale.Rat(); x != nil && x.Cmp(least) > 0 {
		least = x
	}
	width := new(big.Rat).Sub(rational(upper), rational(lower))
	return width.Cmp(least.Mul(least, tolerance)) <= 0
}

// judgeCheck wants check to say what solve says.
func (r *hostileRun) judgeCheck(converged bool) {
	var (
		exit           int
		stdout, stderr string
		elapsed        = 2 * slowCheck
	)
	for tries := 0; elapsed > slowCheck && tries < 3; tries++ { // others may be at work
		begin := time.Now()
		exit, stdout, stderr = executeContext(context.Background(), r.checkLine(r.resultPath()))
		elapsed = min(elapsed, time.Since(begin))
	}
	if elapsed > slowCheck {
		r.fault(faultCheckSlow, "%v", elapsed)
	}
	switch {
	case strings.Contains(stdout, `"refuted"`) || strings.Contains(stderr, "refuted"):
		r.fault(faultRefuted, "%s: exit %d: %.400s", r.result.Status, exit, stderr)
	case exit != ui.ExitSolved && exit != ui.ExitLimit:
		r.fault(faultUndecided, "%s: exit %d: %.300s", r.result.Status, exit, stderr)
	case converged && exit != ui.ExitSolved:
		r.fault(faultUndecided, "exit %d: %.300s", exit, stderr)
	case converged && strings.Contains(stdout, `"undecided"`):
		r.fault(faultUndecided, "some claim: %s", undecidedLines(stdout))
	case !converged && exit != ui.ExitSolved:
		r.notes = append(r.notes, "check undecided, "+r.result.Status)
	}
}

func undecidedLines(stdout string) string {
	var found []string
	for line := range strings.Lines(stdout) {
		if strings.Contains(line, "undecided") || strings.Contains(line, "reason") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return fmt.Sprintf("%.300s", strings.Join(found, " "))
}

// judgeMoved moves a bound of a random state past the optimum, by as little as
// float64 can and by a relative 1e-12, and wants check not to accept it.
func (r *hostileRun) judgeMoved(pick func(int) int) {
	s, up := pick(len(r.truth.values)), pick(2) == 0
	optimum := r.truth.values[s]
	least, most := optimum.Bounds()
	var moved []float64
	switch x := optimum.Rat(); {
	case x == nil && (optimum.Infinity() > 0) != up: // a finite bound on the wrong side of an infinite optimum
		moved = []float64{math.Copysign(math.MaxFloat64, float64(optimum.Infinity()))}
	case x == nil:
		return
	case up: // a lower bound above the optimum
		if moved = []float64{most}; least == most {
			moved[0] = math.Nextafter(most, math.Inf(1))
		}
		moved = append(moved, max(moved[0], most+1e-12*math.Abs(most)))
	default:
		if moved = []float64{least}; least == most {
			moved[0] = math.Nextafter(least, math.Inf(-1))
		}
		moved = append(moved, min(moved[0], least-1e-12*math.Abs(least)))
	}
	for _, bound := range moved {
		if math.IsInf(bound, 0) {
			continue
		}
		r.judgeBound(s, up, bound)
	}
}

func (r *hostileRun) judgeBound(s int, up bool, bound float64) {
	spoilt, err := certificate.ReadFile(r.resultPath())
	if err != nil {
		return // it has been read before
	}
	spoilt.Exact = nil
	spoilt.Lower[s], spoilt.Upper[s] = min(spoilt.Lower[s], bound), max(spoilt.Upper[s], bound)
	if up {
		spoilt.Lower[s] = bound
	} else {
		spoilt.Upper[s] = bound
	}
	spoilt.Values[s] = min(max(spoilt.Values[s], spoilt.Lower[s]), spoilt.Upper[s])
	spoilt.Value = spoilt.Values[spoilt.Initial]
	path := r.resultPath() + ".spoilt.json"
	if err := certificate.WriteFile(path, spoilt); err != nil {
		r.fault(faultUnclear, "%v", err)
		return
	}
	exit, stdout, stderr := executeContext(context.Background(), r.checkLine(path))
	if exit == ui.ExitSolved || boundsHold(stdout) {
		r.fault(faultAccepted, "state %d: [%v, %v] for %s: exit %d %.100s", s, spoilt.Lower[s], spoilt.Upper[s], short(r.truth.values[s]), exit, stderr)
	}
}

// boundsHold says that check has found all bounds right.
func boundsHold(stdout string) bool { return strings.Contains(stdout, `"bounds": "holds"`) }

// compareExact returns the sign of x − y.
func compareExact(x float64, y exact.Value) int {
	least, most := y.Bounds() // there is no float64 between them
	switch {
	case least == most && x == least && (y.Infinity() != 0) == math.IsInf(x, 0):
		return 0
	case x <= least:
		return -1
	}
	return 1
}

// short returns an exact number in a few digits, and as a fraction where that is
// short.
func short(x exact.Value) string {
	text := x.String()
	if len(text) < 30 {
		return text
	}
	return new(big.Float).SetRat(x.Rat()).Text('g', 20)
}
