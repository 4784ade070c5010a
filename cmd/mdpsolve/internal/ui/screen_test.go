package ui

// Text on terminals.

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/mdp"
)

func TestWrapping(t *testing.T) {
	var out bytes.Buffer
	s := &Screen{out: &out, Width: 20, Colour: true}
	s.Wrapped("  name  ", "a line that is "+s.Styled(Bold, "much")+" too long and unbreakable-as-can-be")
	assert.Equal(t, strings.Join([]string{
		"  name  a line that",
		"        is \x1b[1mmuch\x1b[0m too",
		"        long and",
		"        unbreakable-as-can-be",
		"",
	}, "\n"), out.String())
}

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, "solving")
	p.begin = time.Now().Add(-time.Minute)
	assert.NoError(t, p.Record(mdp.Progress{Iteration: 7, Lower: 0.25, Upper: 0.5}))
	p.Done()
	assert.Empty(t, out.String(), "nothing is shown on what is no terminal")

	p.out = &out
	assert.NoError(t, p.Record(mdp.Progress{Iteration: 7, Lower: 0.25, Upper: 0.5}))
	assert.NoError(t, p.Record(mdp.Progress{Iteration: 8, Lower: 0.3, Upper: 0.4}), "too early to show")
	p.Done()
	assert.Equal(t, clearLine+"solving: iteration 7, between 0.25 and 0.5, 60 s (Ctrl-C: the best so far)"+clearLine, out.String())
}
