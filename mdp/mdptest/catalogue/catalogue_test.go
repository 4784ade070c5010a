package catalogue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/mdp"
)

func TestCatalogueIsComplete(t *testing.T) {
	names := map[string]bool{}
	for _, p := range catalogue() {
		assert.False(t, names[p.Name], "two problems named %s", p.Name)
		names[p.Name] = true
		assert.NotEmpty(t, p.process.source, p.Name)
		for _, q := range p.process.questions {
			assert.NotEmpty(t, q.because, p.Name)
		}
		assert.Len(t, p.Optimum, p.NumStates(), p.Name)
		assert.Equal(t, strings.ToLower(p.Name), p.Name)
	}
	assert.GreaterOrEqual(t, len(names), 30)
}

func TestStructureOfTheProblems(t *testing.T) {
	for _, p := range catalogue() {
		found := mdp.Analyze(p.table(t, 1))
		assert.Equal(t, p.Classification, found.Classification, p.Name)
		assert.Equal(t, p.Period, found.Period, p.Name)
	}
}
