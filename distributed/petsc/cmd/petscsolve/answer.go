package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mdpsolve/mdpsolve/distributed/petsc"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// perform does what a command line says. On all ranks but the first it prints nothing.
func perform(ctx context.Context, w *petsc.World, words []string) error {
	a := parse(words)
	if a.fault != nil {
		return a.fault
	}
	q, err := readQuestion(a)
	tolerance, most := a.positive("tolerance", fmt.Sprint(mdp.DefaultTolerance)), a.whole("max-iterations", "1000", 1)
	limit, output := a.seconds("time-limit"), a.choice("output", "text", "text", "json")
	if err == nil {
		err = a.fault
	}
	if err := w.Agree(err); err != nil {
		return err
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if name := a.flags["out"]; name != "" { // before what may take hours
		if err := w.Agree(checkFolder(name)); err != nil {
			return err
		}
	}
	begin := time.Now()
	settings := petsc.Settings{Tolerance: tolerance, MaxIterations: most}
	if a.has("progress") && w.Rank == 0 {
		settings.Record = func(iteration, krylov int, lower, upper float64) {
			fmt.Fprintf(os.Stderr, "%8.1f s  evaluation %d: %d iterations, bounds %v … %v\n", time.Since(begin).Seconds(), iteration, krylov, lower, upper)
		}
	}
	result, err := petsc.Solve(ctx, w, q.model, q.criterion, settings)
	if result == nil {
		return asUsage(err)
	}
	told := answer{question: q, result: result, seconds: time.Since(begin).Seconds(), memory: w.Memory(), ranks: w.Ranks}
	if w.Rank == 0 {
		if failed := told.print(output); failed != nil {
			return failed
		}
	}
	if name := a.flags["out"]; name != "" {
		if failed := result.WriteValues(name); failed != nil {
			return asUsage(failed)
		}
	}
	return err
}

// checkFolder refuses a name that no file can have.
func checkFolder(name string) error {
	if folder, err := os.Stat(filepath.Dir(name)); err != nil || !folder.IsDir() {
		return faultf("--out: %s: there is no folder %s: make it, or use another", name, filepath.Dir(name))
	}
	if there, err := os.Stat(name); err == nil && there.IsDir() {
		return faultf("--out: %s is a folder: use the name of a file", name)
	}
	return nil
}

// asUsage makes faults of the input what they are: of rows, files and sizes.
func asUsage(err error) error {
	var (
		row  *mdp.ModelError
		path *os.PathError
	)
	if errors.As(err, &row) || errors.As(err, &path) || errors.Is(err, mdp.ErrTooLarge) {
		return faultf("%v", err)
	}
	return err
}

// answer is what is printed.
type answer struct {
	question
	result  *petsc.Result
	seconds float64
	memory  []int64
	ranks   int
}

// work is how an answer was found.
type work struct {
	Status     string  `json:"status"`
	Method     string  `json:"method"`
	Iterations int     `json:"iterations"`
	Krylov     int     `json:"krylov_iterations"`
	Sweeps     int     `json:"sweeps"`
	States     int     `json:"states"`
	Ranks      int     `json:"ranks"`
	Seconds    float64 `json:"seconds"`
	Memory     []int64 `json:"memory_bytes"` // the most that each rank has taken
}

// gainAnswer has the keys of mdpsolve robots solve.
type gainAnswer struct {
	Gain  float64 `json:"gain"`
	Lower float64 `json:"gain_lower"`
	Upper float64 `json:"gain_upper"`
	work
}

// valueAnswer is of other models: the gain, or the value of state 0.
type valueAnswer struct {
	Criterion string  `json:"criterion"`
	Sense     string  `json:"sense"`
	Initial   int     `json:"initial"`
	Value     float64 `json:"value"`
	Lower     float64 `json:"lower"`
	Upper     float64 `json:"upper"`
	work
}

func (a *answer) print(output string) error {
	r := a.result
	value := r.Lower + (r.Upper-r.Lower)/2
	how := work{
		r.Status.String(), "inexact policy iteration", r.Iterations, r.Krylov, r.Sweeps,
		a.model.NumStates(), a.ranks, a.seconds, a.memory,
	}
	if output == "json" {
		out := json.NewEncoder(os.Stdout)
		if a.kind == "robots" && a.discount == 1 {
			return out.Encode(gainAnswer{value, r.Lower, r.Upper, how})
		}
		return out.Encode(valueAnswer{fmt.Sprint(a.criterion), a.sense.String(), 0, value, r.Lower, r.Upper, how})
	}
	what := "gain"
	if a.discount < 1 {
		what = "value of state 0"
	}
	most := 0.0
	for _, bytes := range a.memory {
		most = max(most, float64(bytes)/1e6)
	}
	ranks := "1 rank"
	if how.Ranks > 1 {
		ranks = fmt.Sprintf("%d ranks", how.Ranks)
	}
	_, err := fmt.Printf("%s  %v  (from %v to %v)\n%s after %d evaluations with %d iterations, and %d sweeps\n%d states on %s, %.3g s, at most %.0f MB a rank\n",
		what, value, r.Lower, r.Upper, how.Status, how.Iterations, how.Krylov, how.Sweeps, how.States, ranks, how.Seconds, most)
	return err
}
