package number_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/number"
)

func ExampleParseList() {
	fmt.Println(number.ParseList("1/4,0.5:0.9:0.1", 100))
	_, err := number.ParseList("5:50:10", 100)
	fmt.Println(err)
	// Output:
	// [0.25 0.5 0.6 0.7 0.8 0.9] <nil>
	// "5:50:10" is not valid: use a step that leads from 5 to 50, or a last number such as 45 or 55
}

func TestParseListValues(t *testing.T) {
	for text, want := range map[string][]float64{
		"1":               {1},
		"1,2/3":           {1, 2.0 / 3},
		"2:2:1":           {2},
		"3:1:-1":          {3, 2, 1},
		"-1:1:1/2":        {-1, -0.5, 0, 0.5, 1},
		"1/3:1:1/3":       {1.0 / 3, 2.0 / 3, 1},
		"7,1:2:0.5,0:0:1": {7, 1, 1.5, 2, 0},
		"1e-3:3e-3:1e-3":  {0.001, 0.002, 0.003},
	} {
		got, err := number.ParseList(text, 5)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// TestRangesDoNotDrift compares each value of a long range with the number as people
// write it; sums of floating-point steps would have drifted.
func TestRangesDoNotDrift(t *testing.T) {
	got, err := number.ParseList("0.1:1000:0.1", 10_000)
	require.NoError(t, err)
	require.Len(t, got, 10_000)
	sum, drifted := 0.0, 0
	for i, x := range got {
		want, err := number.Parse(fmt.Sprintf("%d.%d", (i+1)/10, (i+1)%10))
		require.NoError(t, err)
		require.Equal(t, want, x)
		if sum += 0.1; sum != want {
			drifted++
		}
	}
	assert.Greater(t, drifted, 9000)
}

func TestParseListRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "1.5, 1e-3 or 17/15",
		"1,":                                "1.5, 1e-3 or 17/15",
		"1,x":                               `"x"`,
		"1:2":                               "A:B:STEP",
		"1:2:3:4":                           "A:B:STEP",
		"1:2:":                              "1.5, 1e-3 or 17/15",
		"1:x:1":                             `"x"`,
		"1:2:0":                             "other than 0",
		"1:2:-1":                            "other sign",
		"2:1:1/2":                           "other sign",
		"1:2:0.3":                           "1.9 or 2.2",
		"1:10:1":                            "at most 5 numbers",
		"1:6:1":                             "at most 5 numbers",
		"1,1:5:1":                           "at most 4 numbers",
		"1,2,3,4,5,6":                       "at most 5 numbers",
		"0:1e300:1e-300":                    "at most 5 numbers",
		"0:1:1e400":                         "1.798e+308",
		"0:1:0." + strings.Repeat("3", 300): "at most 200 characters",
	} {
		_, err := number.ParseList(text, 5)
		require.Error(t, err, text)
		assert.ErrorContains(t, err, want, text)
		assert.ErrorAs(t, err, new(*number.Error), text)
		assert.NotContains(t, err.Error(), "\n")
	}
}

// FuzzParseList compares ranges with their definition: from the first to the last value
// given, in order and evenly spaced.
func FuzzParseList(f *testing.F) {
	for _, seed := range []string{"1:2:1/3", "0.1:0.7:0.2", "-1e-9:1e-9:1e-9", "5,4:1:-1", "1:2:0.3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := number.ParseList(text, 1000)
		if err != nil || strings.Count(text, ":") != 2 || strings.Contains(text, ",") {
			return
		}
		ends := strings.Split(text, ":")
		_, first, err := number.ParseExact(ends[0])
		require.NoError(t, err)
		assert.Equal(t, first, got[0])
		_, last, err := number.ParseExact(ends[1])
		require.NoError(t, err)
		assert.Equal(t, last, got[len(got)-1])
		step, _, err := number.ParseExact(ends[2])
		require.NoError(t, err)
		exact, _, err := number.ParseExact(ends[0])
		require.NoError(t, err)
		for _, x := range got {
			want, _ := exact.Float64()
			require.Equal(t, want, x)
			exact = new(big.Rat).Add(exact, step)
		}
	})
}
