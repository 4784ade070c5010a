package lines_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/lines"
)

func ExampleNumbers() {
	rows, err := lines.Numbers(strings.NewReader("# times\n1, 2.5 1/3\n\n4\n"), "times.txt")
	for _, row := range rows {
		fmt.Println(row)
	}
	fmt.Println(err)
	_, err = lines.Numbers(strings.NewReader("1\n2 x\n"), "times.txt")
	fmt.Println(err)
	// Output:
	// [{1 {2 1}} {2.5 {2 4}} {0.3333333333333333 {2 8}}]
	// [{4 {4 1}}]
	// <nil>
	// times.txt:2:3: found "x"; expected a number such as 1.5, 1e-3 or 17/15
}

func ExampleNotNegative() {
	rows, err := lines.Numbers(strings.NewReader("1\n2 -3\n"), "times.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lines.NotNegative(rows[:1], "times.txt", "time"))
	_, err = lines.NotNegative(rows, "times.txt", "time")
	fmt.Println(err)
	// Output:
	// [1] <nil>
	// times.txt:2:3: found time -3; expected a number of 0 or more
}

func TestFilesThatCannotBeRead(t *testing.T) {
	_, err := lines.Numbers(strings.NewReader("1\n"+strings.Repeat("1 ", 1<<23+1)), "f")
	require.EqualError(t, err, "f:2:1: found a line of more than 16777216 bytes; expected a shorter one")
	broken := errors.New("broken")
	_, err = lines.Numbers(iotest.ErrReader(broken), "f")
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "f: reading line 1")
}
