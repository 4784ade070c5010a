package model

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// The methods of the engine are the values of --method, and docs/methods.md says of each which criteria
// it is for.
func TestMethodsOfTheEngineAreThoseOfTheCommand(t *testing.T) {
	guide, err := os.ReadFile("../../../../docs/methods.md")
	require.NoError(t, err)
	count := 0
	for m := mdp.Method(1); m.String() != ""; m++ {
		count++
		assert.Contains(t, ui.Methods, m)
		row := fmt.Sprintf("\n| %#q | %s | ", mdp.MethodWord(m.String()), strings.Join(m.Criteria(), ", "))
		if !strings.Contains(string(guide), row) {
			t.Errorf("docs/methods.md has no row %s", row)
		}
	}
	assert.Len(t, ui.Methods, count)
}
