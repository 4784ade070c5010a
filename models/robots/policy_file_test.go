package robots

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writers are the forms of policy files.
var writers = map[string]func(*Policy, *bytes.Buffer) error{
	"JSON": func(p *Policy, b *bytes.Buffer) error { return p.WriteJSON(b) },
	"CSV":  func(p *Policy, b *bytes.Buffer) error { return p.WriteCSV(b) },
}

func TestPoliciesSurviveFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for form, write := range writers {
		for range 30 {
			p := Parameters{
				Robots: 1 + random.IntN(6), Buffer: 2 + random.IntN(5), ArrivalRate: math.Exp(random.NormFloat64()),
				ServiceRate: math.Exp(9 * random.NormFloat64()), StarvationWeight: 1.0 / 3,
			}
			policy, err := NewPolicy(p, func(State) bool { return random.IntN(2) == 0 })
			require.NoError(t, err)
			var file bytes.Buffer
			require.NoError(t, write(policy, &file))
			again, err := ReadPolicy(&file, "policy")
			require.NoError(t, err, form)
			assert.Equal(t, policy, again)
		}
	}
}

// TestPolicyFileForm fixes the form, as files are kept.
func TestPolicyFileForm(t *testing.T) {
	policy, err := NewPolicy(Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s State) bool { return s.Queue < 2 })
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, policy.WriteJSON(&file))
	//nolint:testifylint // the text itself is fixed, and not only what it means
	assert.Equal(t, `{
  "format": "robots-policy",
  "version": 1,
  "robots": 2,
  "buffer": 2,
  "lambda": 0.5,
  "mu": 1,
  "gamma": 1.4,
  "departure": [
    [1, 1, 1],
    [0, 0, 0]
  ],
  "arrival": [
    [1, 1],
    [1, 1],
    [0, 0]
  ]
}
`, file.String())
	file.Reset()
	require.NoError(t, policy.WriteCSV(&file))
	assert.Equal(t, `# format=robots-policy
# version=1
# robots=2
# buffer=2
# lambda=0.5
# mu=1
# gamma=1.4
event,queue,active,action
departure,1,0,1
departure,1,1,1
departure,1,2,1
departure,2,0,0
departure,2,1,0
departure,2,2,0
arrival,0,1,1
arrival,0,2,1
arrival,1,1,1
arrival,1,2,1
arrival,2,1,0
arrival,2,2,0
`, file.String())
}

// TestPolicyFileFaults spoils a good file in one place at a time.
func TestPolicyFileFaults(t *testing.T) {
	policy, err := NewPolicy(Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s State) bool { return s.Queue < 2 })
	require.NoError(t, err)
	for _, test := range []struct{ form, old, replacement, want string }{
		{"JSON", `"robots-policy"`, `"x"`, `p:2:13: format is "x"; allowed is robots-policy`},
		{"JSON", `"version": 1`, `"version": 2`, `p:3:14: version is 2; allowed is 1`},
		{"JSON", `"robots": 2`, `"robots": 2.5`, `p:4:13: robots is 2.5; a whole number is allowed`},
		{"JSON", `"robots": 2`, `"robots": "2"`, `p:4:13: robots is "2"; a whole number is allowed`},
		{"JSON", `"robots": 2`, `"robots": 0`, `p:4:13: robots is 0; allowed is at least 1`},
		{"JSON", `"lambda": 0.5`, `"lambda": -1`, `p:6:13: lambda is -1; allowed is a positive finite number`},
		{"JSON", `"mu"`, `"nu"`, `p:7:3: "nu" found; the key "mu" is allowed`},
		{"JSON", `"buffer": 2`, `"buffer": 2147483647`, `p:8:12: a policy for 2 robots and a buffer of 2147483647 does not fit in the `},
		{"JSON", `[1, 1, 1]`, `[0, 1, 1]`, `p:10:6: 0 found where the last page leaves and no robot is active; 1 is allowed`},
		{"JSON", `[1, 1, 1]`, `[1, 2, 1]`, `p:10:9: 2 found for a departure at queue length 1 with 1 active robots; 0 or 1 is allowed`},
		{"JSON", `[1, 1, 1]`, `[1, "1", 1]`, `p:10:9: "1" found for a departure`},
		{"JSON", `[1, 1, 1]`, `[1, 1]`, `p:10:10: ] found for a departure`},
		{"JSON", `[1, 1, 1]`, `[1, 1, 1, 1]`, `p:10:15: 1 found; the end of the list for queue length 1 is allowed`},
		{"JSON", `[1, 1, 1],`, ``, `p:11:6: 0 found where the last page leaves`},
		{"JSON", "\n}\n", "\n}\n7", `p:19:1: text found after the policy`},
		{"JSON", "\n}\n", ``, `p:17:4: the file ends in the middle of the policy`},
		{"JSON", "\n}\n", ", \"more\": 1}", `p:17:6: "more" found; the end of the object is allowed`},
		{"JSON", `"mu": 1`, `"mu": !`, `p:7:9: invalid character '!'`},
		{"CSV", `robots-policy`, `x`, `p:1:10: format is "x"; allowed is robots-policy`},
		{"CSV", `version=1`, `version=7`, `p:2:11: version is "7"; allowed is 1`},
		{"CSV", `# buffer=2`, `# buffer=two`, `p:4:10: buffer is "two"; a whole number is allowed`},
		{"CSV", `# gamma=1.4`, `# gamma=0`, `p:7:9: gamma is 0; allowed is a positive finite number`},
		{"CSV", `# mu=1`, `# nu=1`, `p:6:1: "# nu=1" found; "# mu=" with a value is allowed`},
		{"CSV", `# robots=2`, `# robots=2147483647`, `p:7:1: a policy for 2147483647 robots`},
		{"CSV", `event,`, ``, `p:8:1: "queue,active,action" found; the names of the columns`},
		{"CSV", `departure,1,0,1`, `departure,1,0,0`, `p:9:15: 0 found where the last page leaves`},
		{"CSV", `departure,1,1,1`, `departure,1,1,x`, `p:10:15: action "x" found; 0 or 1 is allowed`},
		{"CSV", `departure,1,1,1`, `departure,1,2,1`, `p:10:1: "departure,1,2,1" found; the state departure,1,1 with an action is allowed`},
		{"CSV", "arrival,2,2,0\n", ``, `p:20:1: the file ends before the state arrival,2,2`},
		{"CSV", "arrival,2,2,0\n", "arrival,2,2,0\nmore", `p:21:1: "more" found after the last state`},
	} {
		var file bytes.Buffer
		require.NoError(t, writers[test.form](policy, &file))
		require.Contains(t, file.String(), test.old)
		_, err := ReadPolicy(strings.NewReader(strings.Replace(file.String(), test.old, test.replacement, 1)), "p")
		var fault *FileError
		require.ErrorAs(t, err, &fault, "%s → %s", test.old, test.replacement)
		assert.True(t, strings.HasPrefix(err.Error(), test.want), "%s → %s: %v", test.old, test.replacement, err)
	}
	_, err = ReadPolicy(strings.NewReader(""), "p")
	assert.ErrorContains(t, err, `p:1:1: "" found`)
	_, err = ReadPolicy(iotest.ErrReader(errors.New("no disk")), "p")
	assert.EqualError(t, err, "p cannot be read: no disk")
}

// FuzzReadPolicy: whatever is read is a policy that can be written and read
// again, or an error.
func FuzzReadPolicy(f *testing.F) {
	policy, err := NewPolicy(Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s State) bool { return s.Queue < 2 })
	require.NoError(f, err)
	for _, write := range writers {
		var file bytes.Buffer
		require.NoError(f, write(policy, &file))
		f.Add(file.Bytes())
		f.Add(file.Bytes()[:file.Len()/2])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		policy, err := ReadPolicy(bytes.NewReader(text), "policy")
		if err != nil {
			return
		}
		var file bytes.Buffer
		require.NoError(t, policy.WriteJSON(&file))
		again, err := ReadPolicy(&file, "policy")
		require.NoError(t, err)
		require.Equal(t, policy, again)
	})
}
