package commandline

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	flags := []string{"lambda", "mu", "gamma", "buffer", "robots", "tolerance", "max-iterations", "time-limit", "help"}
	for word, want := range map[string]string{
		"lamda":      "lambda",
		"lamdba":     "lambda", // a swap
		"gama":       "gamma",
		"tol":        "tolerance",
		"time":       "time-limit",
		"iterations": "max-iterations",
		"hlep":       "help",
		"robot":      "robots",
		"delta":      "",
		"x":          "",
		"":           "",
		"policy-out": "",
	} {
		assert.Equal(t, want, nearest(word, flags), word)
	}
	assert.Equal(t, "solve", nearest("slove", []string{"static", "solve", "slave"}))
	assert.Equal(t, "frontier", nearest("fronteir", []string{"refresh", "frontier"}))
	assert.Empty(t, nearest("frobnicate", []string{"refresh", "frontier"}))
}
