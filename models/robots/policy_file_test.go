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

func TestPoliciesSurviveFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for range 60 {
		p := robots.Parameters{
			Robots: 1 + random.IntN(6), Buffer: 2 + random.IntN(5), ArrivalRate: math.Exp(random.NormFloat64()),
			ServiceRate: math.Exp(9 * random.NormFloat64()), StarvationWeight: 1.0 / 3,
		}
		policy, err := plainPolicy(p, func(moment) bool { return random.IntN(2) == 0 })
		require.NoError(t, err)
		var file bytes.Buffer
		require.NoError(t, policy.WriteJSON(&file))
		again, err := robots.ReadPolicy(&file, "policy")
		require.NoError(t, err)
		assert.Equal(t, policy, again)
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
  "format": "robots-fleet-policy",
  "version": 1,
  "robots": [2],
  "lambda": [0.5],
  "buffer": 2,
  "mu": 1,
  "gamma": 1.4,
  "holding_cost": 0,
  "robot_cost": 0,
  "activation_cost": 0,
  "service": "exponential",
  "activate": [
    [0, 0],
    [1, 1, 0],
    [0, 0, 0]
  ],
  "reactivate": [
    [1, 1],
    [0, 1, 1],
    [0, 0, 0]
  ]
}
`, file.String())
}

// TestPolicyFileFaults spoils a good file in one place at a time.
func TestPolicyFileFaults(t *testing.T) {
	policy, err := plainPolicy(robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s moment) bool { return s.Queue < 2 })
	require.NoError(t, err)
	for _, test := range []struct{ old, replacement, want string }{
		{`"robots-fleet-policy"`, `"robots-policy"`, `p:2:13: found "robots-policy"; expected robots-fleet-policy`},
		{`"version": 1`, `"version": 2`, `p:3:14: found 2; expected version 1`},
		{`[2]`, `[2.5]`, `p: robots: found number 2.5; expected a whole number`},
		{`[2]`, `2`, `p: robots: found number; expected a list`},
		{`[2]`, `[0]`, `p:4:13: found robots 0; expected at least 1`},
		{`[2]`, `[]`, `p:5:13: found 1 rates; expected 0, one for each class`},
		{`[0.5]`, `[-1]`, `p:5:13: found lambda -1; expected a positive finite number`},
		{`"mu"`, `"nu"`, `p: member "nu" is not known`},
		{`"service": "exponential"`, `"service": "x"`, `p:1:1: a law that is not valid`},
		{`"buffer": 2`, `"buffer": 2147483647`, `p:13:15: found 3 lists; expected 2147483648 lists`},
		{`[1, 1, 0]`, `[1, 2, 1]`, `p:15:9: found 2 at {Queue:1 Phase:0 Active:[1]}; expected one of 1 classes or none (classes count from 1, and 0 is none)`},
		{`[1, 1, 0]`, `[1, "1", 1]`, `p: activate: found string; expected a whole number`},
		{`[1, 1, 0]`, `[1, 1]`, `p:15:5: found a list of 2; expected 3 decisions`},
		{`[1, 1, 0]`, `[1, 1, 1, 1]`, `p:15:5: found a list of 4; expected 3 decisions`},
		{`[1, 1, 0],`, ``, `p:13:15: found 2 lists; expected 3 lists`},
		{"\n}\n", "\n}\n7", `p:24:1: found "7"; expected the end of the file`},
		{"\n}\n", ``, `p:22:4: found the end of the file; expected`},
		{"\n}\n", ", \"more\": 1}", `p: member "more" is not known`},
		{`"mu": 1`, `"mu": !`, `p:7:9: found "!"; expected a value`},
	} {
		var file bytes.Buffer
		require.NoError(t, policy.WriteJSON(&file))
		require.Contains(t, file.String(), test.old)
		_, err := robots.ReadPolicy(strings.NewReader(strings.Replace(file.String(), test.old, test.replacement, 1)), "p")
		require.Error(t, err, "%s → %s", test.old, test.replacement)
		assert.True(t, strings.HasPrefix(err.Error(), test.want), "%s → %s: %v", test.old, test.replacement, err)
	}
	_, err = robots.ReadPolicy(strings.NewReader(""), "p")
	assert.ErrorContains(t, err, `p:1:1: found an empty file; expected`)
	_, err = robots.ReadPolicy(iotest.ErrReader(errors.New("no disk")), "p")
	assert.EqualError(t, err, "p: no disk")
}

// FuzzReadPolicy: whatever is read is a policy that can be written and read
// again, or an error.
func FuzzReadPolicy(f *testing.F) {
	policy, err := plainPolicy(robots.Parameters{Robots: 2, Buffer: 2, ArrivalRate: 0.5, ServiceRate: 1, StarvationWeight: 1.4},
		func(s moment) bool { return s.Queue < 2 })
	require.NoError(f, err)
	var file bytes.Buffer
	require.NoError(f, policy.WriteJSON(&file))
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:file.Len()/2])
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
