package model

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/answer"
)

// criteriaOf asks the engine which criteria a method is for.
func criteriaOf(t *testing.T, m mdp.Method) (names []string) {
	t.Helper()
	var b mdp.TableBuilder
	for s := range 2 {
		b.AddState()
		b.AddAction(float64(s))
		b.AddTransition(1-s, 1)
	}
	table, err := b.Build()
	require.NoError(t, err)
	for _, criterion := range []struct {
		name  string
		asked mdp.Criterion
	}{
		{"average", mdp.LongRunAverage{}}, {"discounted", mdp.Discounted{Discount: 0.5}}, {"total", mdp.TotalCost{Target: []int32{1}}}, {"finite", mdp.FiniteHorizon{Steps: 1}},
	} {
		if _, err := mdp.Solve(context.Background(), table, criterion.asked, mdp.Settings{Method: m}); !errors.Is(err, mdp.ErrUnsupported) {
			names = append(names, criterion.name)
		}
	}
	return names
}

// The methods of the engine are the values of --method, and the help of solve and
// docs/methods.md say of each which criteria it is for.
func TestMethodsOfTheEngineAreThoseOfTheCommand(t *testing.T) {
	guide, err := os.ReadFile("../../../../docs/methods.md")
	require.NoError(t, err)
	help := SolveCommand().Description
	count := 0
	for m := mdp.Method(1); m.String() != ""; m++ {
		count++
		name := answer.MethodName(m.String())
		require.Contains(t, methodNames(), name)
		criteria := strings.Join(criteriaOf(t, m), ", ")
		assert.Regexp(t, `(?m)^  `+name+` .*\(`+criteria+`\)$`, help)
		assert.Regexp(t, "(?m)^\\| `"+name+"` \\| "+criteria+" \\|", string(guide))
	}
	assert.Len(t, answer.Methods, count)
}
