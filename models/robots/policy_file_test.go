package robots_test

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

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// writers are the forms of policy files.
var writers = map[string]func(*robots.Policy, *bytes.Buffer) error{
	"JSON": func(p *robots.Policy, b *bytes.Buffer) error { return p.WriteJSON(b) },
	"CSV":  func(p *robots.Policy, b *bytes.Buffer) error { return p.WriteCSV(b) },
}

func TestPoliciesSurviveFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for form, write := range writers {
		for range 30 {
			p := robots.Parameters{
				Robots: 1 + random.IntN(6), Buffer: 2 + random.IntN(5), ArrivalRate: math.Exp(random.NormFloat64()),
				ServiceRate: math.Exp(9 * random.NormFloat64()), StarvationWeight: 1.0 / 3,
			}
			policy, err := plainPolicy(p, func(moment) bool { return random.IntN(2) == 0 })
			require.NoError(t, err)
			var file bytes.Buffer
			require.NoError(t, write(policy, &file))
			again, err := robots.ReadPolicy(&file, "policy")
			require.NoError(t, err, form)
			assert.Equal(t, policy, again)
		}
	}
}

// TestPolicyFileForm fixes the form, as files are kept.
func TestPolicyFileForm(t *testing.T) {
	policy, err := plainPolicy(robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s moment) bool { return s.Queue < 2 })
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
    [1, 1, 0],
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
departure,1,2,0
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
	policy, err := plainPolicy(robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s moment) bool { return s.Queue < 2 })
	require.NoError(t, err)
	for _, test := range []struct{ form, old, replacement, want string }{
		{"JSON", `"robots-policy"`, `"x"`, `p:2:13: found "x"; expected robots-policy or robots-fleet-policy`},
		{"JSON", `"version": 1`, `"version": 2`, `p:3:14: found 2; expected version 1`},
		{"JSON", `"robots": 2`, `"robots": 2.5`, `p: robots: found number 2.5; expected a whole number`},
		{"JSON", `"robots": 2`, `"robots": "2"`, `p: robots: found string; expected a whole number`},
		{"JSON", `"robots": 2`, `"robots": 0`, `p:4:13: found robots 0; expected at least 1`},
		{"JSON", `"lambda": 0.5`, `"lambda": -1`, `p:6:13: found lambda -1; expected a positive finite number`},
		{"JSON", `"mu"`, `"nu"`, `p: member "nu" is not known`},
		{"JSON", `"buffer": 2`, `"buffer": 2147483647`, `p:9:16: found 2 lists; expected 2147483647 lists`},
		{"JSON", `[1, 1, 0]`, `[1, 2, 1]`, `p:10:9: found 2 at {Queue:1 Phase:0 Active:[1]}; expected one of 1 classes or none (classes count from 1, and 0 is none)`},
		{"JSON", `[1, 1, 0]`, `[1, "1", 1]`, `p: departure: found string; expected a whole number`},
		{"JSON", `[1, 1, 0]`, `[1, 1]`, `p:10:5: found a list of 2; expected 3 decisions`},
		{"JSON", `[1, 1, 0]`, `[1, 1, 1, 1]`, `p:10:5: found a list of 4; expected 3 decisions`},
		{"JSON", `[1, 1, 0],`, ``, `p:9:16: found 1 lists; expected 2 lists`},
		{"JSON", "\n}\n", "\n}\n7", `p:19:1: found "7"; expected the end of the file`},
		{"JSON", "\n}\n", ``, `p:17:4: found the end of the file; expected`},
		{"JSON", "\n}\n", ", \"more\": 1}", `p: member "more" is not known`},
		{"JSON", `"mu": 1`, `"mu": !`, `p:7:9: found "!"; expected a value`},
		{"CSV", `robots-policy`, `x`, `p:1:10: found "x"; expected robots-policy`},
		{"CSV", `version=1`, `version=7`, `p:2:11: found "7"; expected 1`},
		{"CSV", `# buffer=2`, `# buffer=two`, `p:4:10: found "two"; expected a whole number`},
		{"CSV", `# gamma=1.4`, `# gamma=0`, `p:7:9: found gamma 0; expected a positive finite number`},
		{"CSV", `# mu=1`, `# nu=1`, `p:6:1: found "# nu=1"; expected "# mu=" with a value`},
		{"CSV", `# robots=2`, `# robots=2147483647`, `p:12:1: found "departure,2,0,0"; expected the state departure,1,3, with`},
		{"CSV", `event,`, ``, `p:8:1: found "queue,active,action"; expected the names of the columns`},
		{"CSV", `departure,1,1,1`, `departure,1,1,x`, `p:10:15: found "x"; expected the state departure,1,1, with an action 0 or 1`},
		{"CSV", `departure,1,1,1`, `departure,1,2,1`, `p:10:1: found "departure,1,2,1"; expected the state departure,1,1, with an action`},
		{"CSV", "arrival,2,2,0\n", ``, `p:20:1: found the end of the file; expected the state arrival,2,2, with an action`},
		{"CSV", "arrival,2,2,0\n", "arrival,2,2,0\nmo\"re", `p:21:3: bare " in non-quoted-field`},
		{"CSV", `arrival,2,1,0`, `arr"ival,2,1,0`, `p:19:4: bare " in non-quoted-field`},
		{"CSV", "arrival,2,2,0\n", "arrival,2,2,0\nmore", `p:21:1: found "more"; expected the end of the file`},
	} {
		var file bytes.Buffer
		require.NoError(t, writers[test.form](policy, &file))
		require.Contains(t, file.String(), test.old)
		_, err := robots.ReadPolicy(strings.NewReader(strings.Replace(file.String(), test.old, test.replacement, 1)), "p")
		require.Error(t, err, "%s → %s", test.old, test.replacement)
		assert.True(t, strings.HasPrefix(err.Error(), test.want), "%s → %s: %v", test.old, test.replacement, err)
	}
	_, err = robots.ReadPolicy(strings.NewReader(""), "p")
	assert.ErrorContains(t, err, `p:1:1: found the end of the file; expected`)
	_, err = robots.ReadPolicy(iotest.ErrReader(errors.New("no disk")), "p")
	assert.EqualError(t, err, "p cannot be read: no disk")
}

// FuzzReadPolicy: whatever is read is a policy that can be written and read
// again, or an error.
func FuzzReadPolicy(f *testing.F) {
	policy, err := plainPolicy(robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s moment) bool { return s.Queue < 2 })
	require.NoError(f, err)
	for _, write := range writers {
		var file bytes.Buffer
		require.NoError(f, write(policy, &file))
		f.Add(file.Bytes())
		f.Add(file.Bytes()[:file.Len()/2])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		policy, err := robots.ReadPolicy(bytes.NewReader(text), "policy")
		if err != nil {
			return
		}
		var file bytes.Buffer
		require.NoError(t, policy.WriteJSON(&file))
		again, err := robots.ReadPolicy(&file, "policy")
		require.NoError(t, err)
		require.Equal(t, policy, again)
	})
}
