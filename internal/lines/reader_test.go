package lines_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/lines"
)

func ExampleReader() {
	l := lines.NewReader(strings.NewReader("# costs\n0: 1/2\n1 3\n2: 4\n"), "costs.txt", "#")
	for l.Next() {
		s := l.State(3)
		l.Expect(':')
		if cost := l.Word(); l.Err() == nil {
			fmt.Printf("%d costs %s\n", s, cost)
		}
		l.End()
	}
	fmt.Println(l.Err())
	// Output:
	// 0 costs 1/2
	// costs.txt:3:3: found "3"; expected ":"
}

// The first fault stays, and ends the text.
func TestFirstFaultStays(t *testing.T) {
	l := lines.NewReader(strings.NewReader("a b\nc\n"), "f", "#")
	require.True(t, l.Next())
	assert.Equal(t, byte('a'), l.Peek())
	l.Unexpected("nothing")
	l.Fail("more", "less")
	l.Skip(7)
	assert.False(t, l.SkipSpace())
	assert.Empty(t, l.Rest())
	assert.Empty(t, l.Word())
	assert.Zero(t, l.State(5))
	assert.False(t, l.Next())
	assert.EqualError(t, l.Err(), `f:1:1: found "a"; expected nothing`)
}

func TestLinesThatCannotBeRead(t *testing.T) {
	broken := errors.New("broken")
	l := lines.NewReader(io.MultiReader(strings.NewReader("1\nhalf a li"), iotest.ErrReader(broken)), "f", "#")
	require.True(t, l.Next())
	assert.False(t, l.Next(), "a part of a line is no line")
	require.ErrorIs(t, l.Err(), broken)
	l = lines.NewReader(strings.NewReader("1\n"+strings.Repeat("x", 1<<24+1)), "f", "#")
	require.True(t, l.Next())
	assert.False(t, l.Next())
	require.EqualError(t, l.Err(), "f:2:1: found a line of more than 16777216 bytes; expected a shorter one")
	l = lines.NewReader(strings.NewReader("1\r\n\r\n2"), "f", "#")
	for _, want := range []string{"1", "2"} {
		require.True(t, l.Next())
		assert.Equal(t, want, string(l.Word()))
	}
	assert.False(t, l.Next())
	l.Unexpected("3")
	assert.EqualError(t, l.Err(), "f:4:1: found the end of the file; expected 3")
}
