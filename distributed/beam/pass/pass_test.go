package pass

// Passes on the embedded runner, and on runners that go wrong.

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
)

func TestMain(m *testing.M) {
	flag.Parse()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	beam.Init()
	os.Exit(m.Run())
}

var (
	scale = New("scale", func(_ context.Context, factor float64, x float64) (float64, error) { return factor * x, nil })

	tries   atomic.Int64
	refuse3 = New("refuse3", func(_ context.Context, _ struct{}, i int) (int, error) {
		tries.Add(1)
		if i%3 == 0 {
			return 0, &FinalError{Status: 2, Text: "pages.csv:7: bad"}
		}
		return i, nil
	})
	break3 = New("break3", func(_ context.Context, _ struct{}, i int) (int, error) {
		if i == 3 {
			return 0, errors.New("s3://pages/3.csv: access denied")
		}
		return i, nil
	})
)

// scratch returns where replies go, and a check that none is left.
func scratch(t *testing.T) store.File {
	t.Helper()
	folder := t.TempDir()
	file, err := store.Parse(filepath.Join(folder, "out"))
	require.NoError(t, err)
	t.Cleanup(func() {
		left, err := os.ReadDir(folder)
		assert.NoError(t, err)
		assert.Empty(t, left)
	})
	return file
}

func TestRepliesComeInOrder(t *testing.T) {
	elements, want := make([]float64, 100), make([]float64, 100)
	for i := range elements {
		elements[i] = 1 / float64(i+3)
		want[i] = 0.1 * elements[i] // every bit is kept
	}
	for range 2 { // also when it is repeated
		replies, err := scale.Run(t.Context(), scratch(t), 0.1, elements)
		require.NoError(t, err)
		assert.Equal(t, want, replies)
	}
	replies, err := scale.Run(t.Context(), scratch(t), 1, nil)
	require.NoError(t, err)
	assert.Empty(t, replies)
}

func TestFaultsAreNotTriedAgain(t *testing.T) {
	tries.Store(0)
	_, err := refuse3.Run(t.Context(), scratch(t), struct{}{}, []int{1, 2, 3, 4})
	assert.Equal(t, &FinalError{Status: 2, Text: "pages.csv:7: bad"}, err)
	assert.EqualValues(t, 4, tries.Load())
}

func TestFailuresSayWhatFailed(t *testing.T) {
	_, err := break3.Run(t.Context(), scratch(t), struct{}{}, []int{1, 2, 3, 4})
	assert.EqualError(t, err, "s3://pages/3.csv: access denied")
}

// runOn has pipelines run by execute for the length of a test.
func runOn(t *testing.T, execute func(context.Context, *beam.Pipeline) error) {
	t.Helper()
	name := rand.Text()
	beam.RegisterRunner(name, func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
		return nil, execute(ctx, p)
	})
	before := *runners.Runner
	*runners.Runner = name
	t.Cleanup(func() { *runners.Runner = before })
}

// Beam reports success for a pipeline that was cancelled.
func TestPipelineWithoutReplies(t *testing.T) {
	runOn(t, func(context.Context, *beam.Pipeline) error { return nil })
	_, err := scale.Run(t.Context(), scratch(t), 1, []float64{1, 2})
	assert.ErrorContains(t, err, "without an answer for part 1 of 2")
}

func TestRunnerThatFails(t *testing.T) {
	runOn(t, func(context.Context, *beam.Pipeline) error {
		return errors.New("connecting to job service\nfailed to dial\n\tcaused by:\ncontext deadline exceeded")
	})
	file := scratch(t)
	_, err := scale.Run(t.Context(), file, 1, []float64{1})
	assert.ErrorContains(t, err, "the pipeline for "+string(file)+"replies-")
	assert.ErrorContains(t, err, " failed: connecting to job service failed to dial context deadline exceeded")
}

func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runOn(t, func(context.Context, *beam.Pipeline) error { cancel(); return ctx.Err() })
	_, err := scale.Run(ctx, scratch(t), 1, []float64{1})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestNamesAreUnique(t *testing.T) {
	assert.PanicsWithValue(t, "pass: two functions are named scale", func() {
		New("scale", func(context.Context, int, int) (int, error) { return 0, nil })
	})
}
