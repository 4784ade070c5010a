package main

// The harness: thousands of hostile models, each from a seed, and a table of how
// the methods fare.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

var (
	seedFlag   = flag.Uint64("seed", 1, "seed of the first hostile model")
	trialsFlag = flag.Int("trials", 0, "number of hostile models")
)

const (
	defaultLimit = time.Second            // for the default method
	otherLimit   = 100 * time.Millisecond // for the others
	quick        = 50 * time.Millisecond  // is never too slow
	slowness     = 5                      // times the best other method are too slow
	oracleLimit  = 10 * time.Second       // for the fractions of one trial; numbers of 300 digits can take hours
	mostMoves    = 14                     // transitions of a choice with intervals, which has up to 2^mostMoves vertices
	mostLosers   = 8                      // transitions of a choice with a distance, which has up to mostLosers! vertices
	mostLimits   = 200                    // the default method must converge but once in so many trials
)

func TestHostile(t *testing.T) {
	trials := *trialsFlag
	switch {
	case trials > 0:
	case *atLength:
		trials = 20_000
	default:
		trials = 50
	}
	t.Logf("seeds %d to %d", *seedFlag, *seedFlag+uint64(trials)-1)
	h := &hostileTally{trials: trials, folder: t.TempDir(), statuses: map[string]map[string]int{}, notes: map[string]int{}, examples: map[string]*hostileExample{}}
	seeds := make(chan uint64)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := range seeds {
				h.try(seed)
			}
		})
	}
	for i := range uint64(trials) {
		seeds <- *seedFlag + i
	}
	close(seeds)
	workers.Wait()
	h.report(t)
}

// hostileTally counts what comes of the trials.
type hostileTally struct {
	folder string
	trials int

	sync.Mutex
	statuses map[string]map[string]int // by criterion and method
	notes    map[string]int
	examples map[string]*hostileExample // by kind of fault, criterion and method
	limits   []string                   // of precision, of the default method
	slowest  time.Duration
}

// hostileExample is the smallest model that shows a fault, and how often it came.
type hostileExample struct {
	seed     uint64
	model    *hostileModel
	question hostileQuestion
	fault    hostileFault
	count    int
}

// try does one trial: the default method, one other, and a policy at random.
func (h *hostileTally) try(seed uint64) {
	model, question := hostile(seed)
	random := rand.New(rand.NewPCG(seed, 11))
	others := otherMethods(question)
	for _, method := range []string{ui.MethodAuto, others[random.IntN(len(others))], methodPolicyGiven} {
		h.add(seed, model, hostileSolve(filepath.Join(h.folder, fmt.Sprint(seed)), model, question, method, random))
	}
}

// methodPolicyGiven stands for the evaluation of a policy at random.
const methodPolicyGiven = "evaluate"

// otherMethods returns the methods that may support a question.
func otherMethods(q hostileQuestion) []string {
	if q.uncertainty != "" {
		return map[string][]string{
			criterionAverage:    {ui.MethodValue, ui.MethodPolicy, "inexact-policy-iteration"},
			criterionDiscounted: {ui.MethodPolicy, "inexact-policy-iteration", "value-iteration", "modified-policy-iteration"},
			criterionTotal:      {ui.MethodPolicy},
			criterionFinite:     {ui.MethodAuto},
		}[q.criterion]
	}
	return map[string][]string{
		criterionAverage:    {ui.MethodValue, ui.MethodPolicy, "inexact-policy-iteration", methodExact},
		criterionDiscounted: {ui.MethodPolicy, "inexact-policy-iteration", "value-iteration", "modified-policy-iteration", methodExact},
		criterionTotal:      {ui.MethodPolicy, methodExact},
		criterionFinite:     {methodExact},
	}[q.criterion]
}

// hostileSolve writes a model, solves it and judges the answer.
func hostileSolve(path string, m *hostileModel, q hostileQuestion, method string, random *rand.Rand) *hostileRun {
	path += map[bool]string{false: ".json", true: ".drn"}[m.drn]
	r := &hostileRun{path: path, question: q, method: method, limit: otherLimit}
	if method == ui.MethodAuto {
		r.limit = defaultLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), oracleLimit)
	defer cancel()
	var err error
	if r.truth, err = newHostileTruth(ctx, m, q); err != nil {
		r.untold(faultOracle, err)
		return r
	}
	r.truth.bruteForce(r)
	if method == methodPolicyGiven {
		r.policy = path + ".csv"
		if r.given = r.randomPolicy(random); r.given == "" {
			return r
		}
	}
	for name, text := range map[string]string{path: m.text(), path + ".csv": r.given} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			r.fault(faultUnclear, "%v", err)
			return r
		}
	}
	r.judge(random.IntN)
	if method == ui.MethodAuto {
		r.judgeTime()
	}
	for _, name := range []string{path, path + ".csv", r.resultPath(), r.resultPath() + ".spoilt.json"} {
		_ = os.Remove(name) // some are not there
	}
	return r
}

// randomPolicy returns a policy as a CSV file, and makes what is true of the model
// what is true of the policy; "" where that is not known.
func (r *hostileRun) randomPolicy(random *rand.Rand) string {
	var b strings.Builder
	b.WriteString("state,action,probability\n")
	var weights [][]*big.Rat
	for s, rows := range r.truth.rows {
		own := zeros(len(rows))
		first, second, share := random.IntN(len(rows)), random.IntN(len(rows)), big.NewRat(int64(1+random.IntN(3)), 3)
		if r.truth.vertices != nil { // nature answers to actions
			second = first
		}
		own[first].Set(share)
		own[second].Add(own[second], share.Sub(one, share))
		for a, x := range own {
			if x.Sign() > 0 {
				fmt.Fprintf(&b, "%d,%d,%s\n", s, a, x.RatString())
			}
		}
		weights = append(weights, own)
	}
	var err error
	if r.truth, err = r.truth.under(weights); err != nil {
		r.untold(faultOracle, err)
		return ""
	}
	return b.String()
}

// untold takes down why the truth is not known.
func (r *hostileRun) untold(kind string, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		r.notes = append(r.notes, "not judged, the fractions take too long")
		return
	}
	r.fault(kind, "%v", err)
}

// judgeTime compares the time of the default method with the best of the others.
func (r *hostileRun) judgeTime() {
	if r.elapsed <= quick {
		return
	}
	own := r.limit
	if r.elapsed >= own {
		r.fault(faultHanging, "%v", r.elapsed)
	} else if own = r.best(ui.MethodAuto, r.limit); own <= quick {
		return
	}
	for _, method := range otherMethods(r.question) {
		if took := r.best(method, own/slowness); took > 0 {
			r.fault(faultSlow, "%v, %s %v", own, method, took)
			return
		}
	}
}

// best returns the best time of three of a method; 0 where it does not converge
// within a limit.
func (r *hostileRun) best(method string, limit time.Duration) time.Duration {
	other := &hostileRun{path: r.path, question: r.question, method: method, limit: limit}
	var best time.Duration
	for range 3 {
		other.solve()
		if other.exit != ui.ExitSolved || other.elapsed > limit {
			return best
		}
		if best == 0 || other.elapsed < best {
			best = other.elapsed
		}
	}
	return best
}

// add takes down what came of a run.
func (h *hostileTally) add(seed uint64, m *hostileModel, r *hostileRun) {
	h.Lock()
	defer h.Unlock()
	status := map[int]string{ui.ExitFailure: "failed", ui.ExitUsage: "refused"}[r.exit]
	if r.result != nil {
		status = r.result.Status
	}
	row := strings.TrimSpace(r.question.criterion+" "+r.question.uncertainty) + " " + r.method
	if r.method == ui.MethodAuto && r.question.uncertainty != "" {
		h.notes["models with "+m.unknown()]++
	}
	if h.statuses[row] == nil {
		h.statuses[row] = map[string]int{}
	}
	h.statuses[row][status]++
	h.slowest = max(h.slowest, r.elapsed)
	for _, note := range r.notes {
		h.notes[row+": "+note]++
	}
	if r.exit == ui.ExitUsage {
		text := strings.ReplaceAll(r.stderr, r.path, "MODEL")
		h.notes[fmt.Sprintf("%s: refused: %.160s", row, text)]++
	}
	for _, fault := range r.faults {
		key := fault.kind + " | " + row
		if fault.kind == limitReached {
			key += " " + m.kind + " " + r.question.uncertainty
			h.limits = append(h.limits, fmt.Sprintf("seed %d, %s %s: %s", seed, m.kind, r.question.flags(), fault.got))
		}
		e := h.examples[key]
		if e == nil {
			e = &hostileExample{}
			h.examples[key] = e
		}
		e.count++
		if e.model == nil || len(m.text()) < len(e.model.text()) {
			e.seed, e.model, e.question, e.fault = seed, m, r.question, fault
		}
	}
}

// isOfTime says that a fault may come of what else the machine is doing.
func isOfTime(kind string) bool {
	return kind == faultHanging || kind == faultSlow || kind == faultCheckSlow
}

// report prints the table, and the smallest model for each kind of fault.
func (h *hostileTally) report(t *testing.T) {
	t.Helper()
	var words []string
	for _, counts := range h.statuses {
		words = append(words, slices.Collect(maps.Keys(counts))...)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	var b strings.Builder
	fmt.Fprintf(&b, "slowest run %v\n%-45s", h.slowest, "criterion method")
	for _, word := range words {
		fmt.Fprintf(&b, "%17s", word)
	}
	for _, row := range slices.Sorted(maps.Keys(h.statuses)) {
		fmt.Fprintf(&b, "\n%-45s", row)
		for _, word := range words {
			fmt.Fprintf(&b, "%17d", h.statuses[row][word])
		}
	}
	for _, note := range slices.Sorted(maps.Keys(h.notes)) {
		fmt.Fprintf(&b, "\n%6d × %s", h.notes[note], note)
	}
	for _, limit := range h.limits {
		b.WriteString("\nprecision-limit: " + limit)
	}
	t.Log(b.String())
	if len(h.limits)*mostLimits > h.trials {
		t.Errorf("%d times precision-limit of the default method; 1 in %d is allowed", len(h.limits), mostLimits)
	}
	for _, key := range slices.Sorted(maps.Keys(h.examples)) {
		e := h.examples[key]
		if isOfTime(e.fault.kind) {
			if _, again := h.shows(e, hostileTrial{e.model, e.question}); !again {
				t.Logf("%s: seed %d: %s, but not when nothing else ran", key, e.seed, e.fault.got)
				continue
			}
		}
		h.shrink(e)
		tell := t.Errorf
		if e.fault.kind == limitReached {
			tell = t.Logf
		}
		tell("%s: %d times, first to see with -seed %d -trials 1\nmdpsolve solve MODEL %s --method %s\ngot: %s\n%s%s",
			key, e.count, e.seed, e.question.flags(), e.fault.method, e.fault.got, e.model.text(), e.fault.policy)
	}
}
