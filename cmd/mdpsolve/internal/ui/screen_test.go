package ui

// Text on terminals.

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
