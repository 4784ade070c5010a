package mdp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

var errKilled = errors.New("killed")

// A solve that is killed after some rounds, and again after some more, returns
// in the end what one returns that is left alone, to the bit.
func TestCheckpointGoesOnToTheSameBits(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 0))
	for _, test := range []struct {
		criterion mdp.Criterion
		methods   []mdp.Method
	}{
		{mdp.LongRunAverage{}, []mdp.Method{mdp.RelativeValueIteration{}, mdp.PolicyIteration{}}},
		{mdp.Discounted{Discount: 0.99}, []mdp.Method{mdp.ValueIteration{}, mdp.ValueIteration{GaussSeidel: true}, mdp.ModifiedPolicyIteration{Sweeps: 2}, mdp.PolicyIteration{}}},
		{mdp.TotalCost{Target: []int32{0}}, []mdp.Method{nil}},
		{mdp.FiniteHorizon{Steps: 30}, []mdp.Method{nil}},
	} {
		for _, method := range test.methods {
			for i := range 5 {
				t.Run(fmt.Sprintf("%v %v %d", test.criterion, method, i), func(t *testing.T) {
					table := randomTable(t, random, structure(i), plain)
					settings := mdp.Settings{Method: method}
					want, err := mdp.Solve(context.Background(), table, test.criterion, settings)
					require.NoError(t, err)

					settings.Checkpoint = mdp.Checkpoint{Path: filepath.Join(t.TempDir(), "checkpoint")}
					if i < 2 || *long { // value iteration takes thousands of rounds on periodic models
						settings.Checkpoint.Interval = 1
					}
					resumed := 0
					for {
						rounds := 0
						settings.Record = func(mdp.Progress) error {
							if rounds++; rounds > 3+resumed {
								return errKilled
							}
							return nil
						}
						got, err := mdp.Solve(context.Background(), table, test.criterion, settings)
						if errors.Is(err, errKilled) && resumed < 100 {
							resumed++
							continue
						}
						require.NoError(t, err)
						got.Elapsed, want.Elapsed = 0, 0
						assert.Equal(t, want, got, "after %d restarts", resumed)
						break
					}
					_, err = os.Stat(settings.Checkpoint.Path)
					require.ErrorIs(t, err, os.ErrNotExist, "a checkpoint is left of a solve that has converged")
				})
			}
		}
	}
}

// A checkpoint of something else is refused, and so is a damaged one.
func TestCheckpointOfAnotherSolve(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 0))
	one, other := randomTable(t, random, unichain, plain), randomTable(t, random, unichain, plain)
	path := filepath.Join(t.TempDir(), "checkpoint")
	settings := mdp.Settings{
		Method: mdp.ValueIteration{}, MaxRounds: 2,
		Checkpoint: mdp.Checkpoint{Path: path},
	}
	criterion := mdp.Discounted{Discount: 0.9}
	_, err := mdp.Solve(context.Background(), one, criterion, settings)
	require.ErrorIs(t, err, mdp.ErrIterationLimit)
	good, err := os.ReadFile(path)
	require.NoError(t, err)

	refused := func(model mdp.Model, criterion mdp.Criterion, settings mdp.Settings) {
		t.Helper()
		result, err := mdp.Solve(context.Background(), model, criterion, settings)
		require.ErrorIs(t, err, mdp.ErrCheckpoint)
		assert.Nil(t, result)
	}
	refused(other, criterion, settings)
	refused(one, mdp.Discounted{Discount: 0.8}, settings)
	modified := settings
	modified.Method = mdp.ModifiedPolicyIteration{}
	refused(one, criterion, modified)

	settings.MaxRounds = 0
	for length := range good {
		require.NoError(t, os.WriteFile(path, good[:length], 0o600))
		refused(one, criterion, settings)
		damaged := bytes.Clone(good)
		damaged[length] ^= 1 << (length % 8)
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		refused(one, criterion, settings)
	}
	settings.Checkpoint.Path = t.TempDir() // a folder
	refused(one, criterion, settings)
}

// A checkpoint is written when the interval has passed, and at the end: 0 stands for
// half a minute.
func TestCheckpointInterval(t *testing.T) {
	const rounds = 20
	for interval, want := range map[time.Duration]int{0: 0, time.Hour: 0, 1: rounds - 1} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		written := 0
		settings := mdp.Settings{
			Method: mdp.ValueIteration{}, MaxRounds: rounds, Checkpoint: mdp.Checkpoint{Path: path, Interval: interval},
			Record: func(mdp.Progress) error { // what there is was written after the round before
				if os.Remove(path) == nil {
					written++
				}
				return nil
			},
		}
		_, err := mdp.Solve(context.Background(), slowModel(t), mdp.Discounted{Discount: 0.999}, settings)
		require.ErrorIs(t, err, mdp.ErrIterationLimit)
		assert.Equal(t, want, written, "interval %v", interval)
		assert.FileExists(t, path, "interval %v", interval)
	}
}
