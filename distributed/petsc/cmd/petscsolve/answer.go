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

// perform runs a command line. Only the first rank prints.
func perform(ctx context.Context, w *petsc.World, words []string) error {
	q, a, err := readQuestion(words)
	if err := w.Agree(err); err != nil {
		return err
	}
	tolerance, most := a.positive("tolerance", fmt.Sprint(mdp.DefaultTolerance)), a.whole("max-iterations", "1000", 1)
	limit := a.seconds("time-limit")
	if a.fault != nil {
		return a.fault // of all ranks
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if name := a.values["out"]; name != "" { // before a solve that may take hours
		if err := w.Agree(checkFolder(name)); err != nil {
			return err
		}
	}
	begin := time.Now()
	settings := petsc.Settings{Tolerance: tolerance, MaxIterations: most}
	if a.report && w.Rank == 0 {
		settings.Record = func(iteration, krylov int, lower, upper float64) {
			fmt.Fprintf(os.Stderr, "%8.1f s  evaluation %d: %d iterations, bounds %v … %v\n", time.Since(begin).Seconds(), iteration, krylov, lower, upper)
		}
	}
	result, err := petsc.Solve(ctx, w, q.model, q.criterion, settings)
	if result == nil {
		return asUsage(err)
	}
	memory := w.Memory()
	if w.Rank == 0 {
		told := answer{
			q.name(), q.discount, q.sense.String(), 0, result.Lower + (result.Upper-result.Lower)/2, result.Lower, result.Upper,
			result.Status.String(), result.Iterations, result.Krylov, result.Sweeps,
			q.model.NumStates(), w.Ranks, time.Since(begin).Seconds(), memory,
		}
		if failed := json.NewEncoder(os.Stdout).Encode(told); failed != nil {
			return failed
		}
	}
	if name := a.values["out"]; name != "" {
		if failed := result.WriteValues(name); failed != nil {
			return asUsage(failed)
		}
	}
	return err
}

// checkFolder refuses a name under which no file can be created.
func checkFolder(name string) error {
	if folder, err := os.Stat(filepath.Dir(name)); err != nil || !folder.IsDir() {
		return faultf("--out: %s: there is no folder %s: make it, or use another", name, filepath.Dir(name))
	}
	if there, err := os.Stat(name); err == nil && there.IsDir() {
		return faultf("--out: %s is a folder: use the name of a file", name)
	}
	return nil
}

// asUsage turns faults of rows, files and sizes into usage errors.
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

// answer is printed as JSON: the gain, or the value of state 0.
type answer struct {
	Criterion  string  `json:"criterion"`
	Discount   float64 `json:"discount"` // 1 for the average
	Sense      string  `json:"sense"`
	Initial    int     `json:"initial"`
	Value      float64 `json:"value"`
	Lower      float64 `json:"lower"`
	Upper      float64 `json:"upper"`
	Status     string  `json:"status"`
	Iterations int     `json:"iterations"`
	Krylov     int     `json:"krylov_iterations"`
	Sweeps     int     `json:"sweeps"`
	States     int     `json:"states"`
	Ranks      int     `json:"ranks"`
	Seconds    float64 `json:"seconds"`
	Memory     []int64 `json:"memory_bytes"` // the most that each rank has taken
}
