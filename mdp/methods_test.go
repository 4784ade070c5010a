package mdp

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// The comment on Method agrees with the list of methods, in the same order.
func TestTheCommentOnMethodIsTheList(t *testing.T) {
	source, err := os.ReadFile("methods.go")
	require.NoError(t, err)
	comment, _, found := strings.Cut(string(source), "type Method int")
	require.True(t, found)
	var want, got []string
	for m := RelativeValueIteration; m <= InexactPolicyIteration; m++ {
		f := methods[m]
		line := fmt.Sprintf("%s: for %s, ", f.name, wording.Alternatives(m.Criteria()))
		if f.needs != "" {
			line += "on " + f.needs + ", "
		}
		want = append(want, line+"chosen "+f.chosen)
	}
	for line := range strings.Lines(comment) {
		if entry, ok := strings.CutPrefix(line, "//   - "); ok {
			got = append(got, strings.TrimSpace(entry))
		} else if more, ok := strings.CutPrefix(line, "//     "); ok {
			got[len(got)-1] += " " + strings.TrimSpace(more)
		}
	}
	assert.Equal(t, want, got)
}

// Numbers that are not methods have no name, and are refused.
func TestUnknownMethods(t *testing.T) {
	for _, m := range []Method{-1, Method(len(methods))} {
		assert.Empty(t, m.String())
		assert.Empty(t, m.Criteria())
		assert.ErrorContains(t, m.check(LongRunAverage{}, nil), "Settings.Method")
	}
	assert.Empty(t, Method(0).String())
	assert.NoError(t, Method(0).check(FiniteHorizon{}, nil))
}

// A method that does not solve a criterion names those that do.
func TestMethodsNameOthers(t *testing.T) {
	for criterion, words := range map[Criterion]string{
		LongRunAverage{}: "criterion average needs relative value iteration, policy iteration, inexact policy iteration",
		Discounted{}:     "criterion discounted needs value iteration, modified policy iteration, policy iteration, inexact policy iteration",
	} {
		m := ValueIteration
		if criterion == (Discounted{}) {
			m = RelativeValueIteration
		}
		err := m.check(criterion, nil)
		require.ErrorIs(t, err, ErrUnsupported)
		assert.ErrorContains(t, err, words)
	}
	assert.ErrorContains(t, ValueIteration.check(TotalCost{}, nil), "criterion total needs policy iteration")
	assert.ErrorContains(t, PolicyIteration.check(FiniteHorizon{}, nil), "only one method: leave Method out")
}
