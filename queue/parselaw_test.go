package queue_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/queue"
)

// ParseLaw returns the law that the constructor makes.
func TestParseLawKinds(t *testing.T) {
	for text, want := range map[string]queue.Law{
		"exponential":                    must(queue.NewExponential(2)),
		"deterministic":                  must(queue.NewDeterministic(2)),
		"constant":                       must(queue.NewDeterministic(2)),
		"erlang:3":                       must(queue.NewErlang(3, 2)),
		"gamma:1/3":                      must(queue.NewGamma(1.0/3, 2)),
		"hyperexponential:1@2":           must(queue.NewHyperexponential([]float64{1}, []float64{2}, 2)),
		"hyperexponential:1/3@2,2/3@0.5": must(queue.NewHyperexponential([]float64{1.0 / 3, 2.0 / 3}, []float64{2, 0.5}, 2)),
		"sample:times":                   must(queue.NewSample("times", []float64{1, 2.5, 1.5, 0, 4, 2.5}, 2)),
		"ph:coxian": must(queue.NewPhaseType("coxian", []float64{1, 0, 0},
			[][]float64{{-3, 2, 0}, {0, -2, 0.5}, {0, 0, -7}}, 2)),
		"uniform:1,3": must(queue.NewUniform(1, 3)),
	} {
		got, err := queue.ParseLaw(text, 2, files)
		require.NoError(t, err, text)
		assert.Equal(t, want, got)
		assert.Equal(t, text == "exponential" || text == "hyperexponential:1@2", queue.IsExponential(got), text)
	}
	uniform, err := queue.ParseLaw("uniform:1/2,3/2", 4, nil)
	require.NoError(t, err)
	assert.InEpsilon(t, 16.0/12, uniform.Variance(), 1e-15) // from 2 to 6
	assert.Equal(t, "uniform:0.5,1.5", uniform.String())
}

// TestParseLawErrors checks that errors are one line with what was found, what is allowed
// and, in files, the place.
func TestParseLawErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `"" is not valid: use exponential, deterministic`,
		"unheard-of":                  `"unheard-of" is not valid: use exponential, deterministic (or constant), erlang:k`,
		"exponential:2":               `"exponential:2" is not valid: use exponential`,
		"erlang":                      `"erlang" is not valid: use exponential`,
		"Exponential":                 `"Exponential" is not valid: use exponential`,
		"erlang:0":                    `"erlang:0" is not valid: use erlang:k with a whole number k from 1`,
		"erlang:2.5":                  `"erlang:2.5" is not valid: use erlang:k`,
		"erlang:-1":                   `"erlang:-1" is not valid: use erlang:k`,
		"erlang:99999999999":          `"erlang:99999999999" is not valid: use erlang:k`,
		"gamma:":                      `gamma: shape "" is not valid: use a number such as`,
		"gamma:-1":                    `gamma: shape "-1" is not valid: use a number above 0`,
		"gamma:NaN":                   `gamma: shape "NaN" is not valid:`,
		"constant:1":                  `"constant:1" is not valid: use exponential`,
		"uniform":                     `"uniform" is not valid: use exponential`,
		"uniform:":                    `"uniform:" is not valid: use uniform:a,b with numbers 0 ≤ a < b`,
		"uniform:1":                   `"uniform:1" is not valid: use uniform:a,b`,
		"uniform:2,1":                 `"uniform:2,1" is not valid: use uniform:a,b`,
		"uniform:1,1":                 `"uniform:1,1" is not valid: use uniform:a,b`,
		"uniform:-1,1":                `"uniform:-1,1" is not valid: use uniform:a,b`,
		"uniform:1,2,3":               `"uniform:1,2,3" is not valid: use uniform:a,b`,
		"uniform:0,NaN":               `"uniform:0,NaN" is not valid: use uniform:a,b`,
		"uniform:0,1e-320":            `uniform:0,1e-320 cannot be scaled to a mean of 1`,
		"hyperexponential:":           `hyperexponential: branch 1 is "": use weight@mean`,
		"hyperexponential:1@1,2":      `branch 2 is "2": use weight@mean`,
		"hyperexponential:1@1,0@2":    `weight of branch 2: "0" is not valid: use a number above 0`,
		"hyperexponential:1@x":        `mean of branch 1: "x" is not valid:`,
		"hyperexponential:1@1e-400":   `mean of branch 1: "1e-400"`,
		"hypererlang:":                `hypererlang: branch 1 is "": use weight@phases@mean`,
		"hypererlang:1@2@1,1@2":       `branch 2 is "1@2": use weight@phases@mean`,
		"hypererlang:0@2@1":           `weight of branch 1: "0" is not valid: use a number above 0`,
		"hypererlang:1@0@1":           `phases of branch 1: "0" is not valid: use a whole number of 1 or more`,
		"hypererlang:1@2@0":           `mean of branch 1: "0" is not valid`,
		"hypererlang:1@1000@1,1@99@1": `more than 1024 phases are not valid: use fewer`,
		"hyperexponential:1@1@1":      `mean of branch 1: "1@1" is not valid:`,
		"sample:":                     `no file name: use`,
		"sample:absent":               `absent cannot be read: no such file`,
		"sample:word":                 `word:2:4: found "x4"; expected a number such as`,
		"sample:minus":                `minus:2:3: found time -3; expected a number of 0 or more`,
		"sample:nothing":              `nothing: a sample of 0 times`,
		"sample:zeros":                `zeros: a sample of 2 times has none above 0`,
		"ph:nothing":                  `nothing: no numbers: use a line`,
		"ph:word":                     `word:2:4: found "x4"; expected`,
		"ph:ragged":                   `ragged:3:1: row 2 has 1 rates: use 2`,
		"ph:long":                     `long:3:6: row 2 has 3 rates: use 2`,
		"ph:few":                      `few:2:1: 1 rows of rates are not valid: use 2, one for each start probability`,
		"ph:many":                     `many:3:1: 2 rows of rates are not valid: use 1, one for each start probability`,
		"ph:sum":                      `sum:1:1: 2 start probabilities with sum 0.9 are not valid: use one or more with sum 1`,
		"ph:sign":                     `sign:2:4: row 1, column 2: rate -1 is not valid: off the diagonal`,
		"ph:rowsum":                   `rowsum:2:1: row 1, column 1: rate -1 is not valid: on the diagonal, use a number below 0 and at most -1.5`,
		"ph:endless":                  `endless:2:1: row 1: no path from phase 1 to the end`,
		"sample:a\nb":                 `"sample:a\nb" is not valid: use a law without control characters`,
		"ph:tiny":                     `tiny: the rates cannot be scaled to a mean of 1`,
		"ph:start":                    `start:1:5: start probability 2 is -0.5`,
		strings.Repeat("x", 30) + ":": `:" is not valid: use exponential`,
	} {
		law, err := queue.ParseLaw(text, 1, files)
		require.Error(t, err, text)
		assert.Nil(t, law, text)
		assert.Contains(t, err.Error(), want, text)
		assert.NotContains(t, err.Error(), "\n")
	}
	_, err := queue.ParseLaw("exponential", 0, nil)
	assert.ErrorContains(t, err, "mean 0 is not valid")
	_, err = queue.ParseLaw("sample:times", 1, nil)
	assert.ErrorContains(t, err, `file "times" is not valid here: use a law without a file`)
	_, err = queue.ParseLaw("sample:x", 1, func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("1\n" + strings.Repeat("9", 1<<25))), nil
	})
	assert.ErrorContains(t, err, "x:2:1: ")
}

// FuzzParseLaw checks that ParseLaw does not panic, that errors are one line, and that laws
// parse back and are valid.
func FuzzParseLaw(f *testing.F) {
	for _, text := range lawTexts {
		f.Add(text, "1 2 3")
	}
	f.Add("ph:file", "1 0\n-1 1\n0 -1")
	f.Add("sample:file", "1,2 # x\n17/15")
	f.Add("hyperexponential:1e300@1e-300,1e-300@1e300", "")
	f.Add("gamma:1e-320", "")
	f.Add("uniform:1,1.0000000000000002", "")
	f.Add("uniform:0,1e308", "")
	f.Add("ph:\n", "0")
	f.Fuzz(func(t *testing.T, text, content string) {
		open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
		law, err := queue.ParseLaw(text, 0.5, open)
		if err != nil {
			assert.Nil(t, law)
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		again, err := queue.ParseLaw(law.String(), 0.5, open)
		require.NoError(t, err)
		assert.Equal(t, law, again)
		assert.Equal(t, 0.5, law.Mean())
		transform := law.Laplace(2)
		assert.True(t, transform >= 0 && transform <= 1+1e-14, transform)
	})
}
