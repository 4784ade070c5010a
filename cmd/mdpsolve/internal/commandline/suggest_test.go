package commandline

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	flags := []string{"lambda", "mu", "gamma", "buffer", "robots", "tolerance", "max-iterations", "time-limit", "help"}
	for word, want := range map[string][]string{
		"lamda":      {"lambda"},
		"lamdba":     {"lambda"}, // a swap
		"gama":       {"gamma"},
		"nu":         {"mu"},
		"tol":        {"tolerance"},
		"time":       {"time-limit"},
		"iterations": {"max-iterations"},
		"hlep":       {"help"},
		"robot":      {"robots"},
		"delta":      nil,
		"x":          nil,
		"":           nil,
		"policy-out": nil,
	} {
		assert.Equal(t, want, nearest(word, flags), word)
	}
	assert.Equal(t, []string{"solve", "slave"}, nearest("slove", []string{"static", "solve", "slave"}))
}

// TestDistance compares with the definition, by all ways to go on from the ends of the words.
func TestDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() []rune {
		letters := make([]rune, random.IntN(6))
		for i := range letters {
			letters[i] = []rune("abγ")[random.IntN(3)]
		}
		return letters
	}
	for range 2000 {
		a, b := word(), word()
		require.Equal(t, defined(a, b), distance(string(a), string(b)), "%q %q", string(a), string(b))
	}
}

func defined(a, b []rune) int {
	i, j := len(a), len(b)
	if i == 0 || j == 0 {
		return i + j
	}
	change := 1
	if a[i-1] == b[j-1] {
		change = 0
	}
	least := min(defined(a[:i-1], b)+1, defined(a, b[:j-1])+1, defined(a[:i-1], b[:j-1])+change)
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		least = min(least, defined(a[:i-2], b[:j-2])+1)
	}
	return least
}
