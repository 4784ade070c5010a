package robots_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/robots"
)

// randomFleetPolicy decides at random.
func randomFleetPolicy(t *testing.T, f robots.Parameters, random *rand.Rand) *robots.Policy {
	t.Helper()
	policy, err := robots.NewPolicy(f, func(s robots.State) robots.Decisions {
		d := robots.Decisions{Activate: robots.NoClass, Reactivate: robots.ClassSet(random.UintN(256))}
		for _, c := range random.Perm(len(f.Classes)) {
			if s.Active[c] < f.Classes[c].Robots {
				d.Activate = c
			}
		}
		return d
	})
	require.NoError(t, err)
	return policy
}

// What is read decides and costs the same.
func TestFleetPoliciesSurviveFiles(t *testing.T) {
	random := random(t)
	for name, f := range testFleets(t) {
		policy := randomFleetPolicy(t, f, random)
		var file bytes.Buffer
		require.NoError(t, policy.WriteJSON(&file))
		text := file.String()
		again, err := robots.ReadPolicy(&file, "policy")
		require.NoError(t, err, name)
		assert.True(t, policy.SameDecisions(again), name)
		want, got := policy.Parameters(), again.Parameters()
		if want.IsPlain() { // which has no list in files
			want.Robots, want.ArrivalRate, want.Classes = want.Classes[0].Robots, want.Classes[0].ArrivalRate, nil
		}
		want.Service, got.Service = nil, nil
		assert.Equal(t, want, got, name)
		costs, err := robots.Measure(context.Background(), policy)
		require.NoError(t, err)
		same, err := robots.Measure(context.Background(), again)
		require.NoError(t, err)
		assert.InEpsilon(t, costs.Gain, same.Gain, 1e-12, name) // rates of phases are scaled again

		require.NoError(t, again.WriteJSON(&file))
		third, err := robots.ReadPolicy(strings.NewReader(file.String()), "policy")
		require.NoError(t, err)
		assert.True(t, again.SameDecisions(third))
		for cut := range len(text) - 1 {
			_, err := robots.ReadPolicy(strings.NewReader(text[:cut]), "policy")
			require.Error(t, err, "%s cut at byte %d", name, cut)
		}
	}
}

// fleetFile is a policy for two robots of a class and one of another, whose form is
// fixed, as files are kept.
const fleetFile = `{
  "format": "robots-fleet-policy",
  "version": 1,
  "robots": [2, 1],
  "lambda": [0.5, 0.25],
  "buffer": 2,
  "mu": 1,
  "gamma": 1.4,
  "holding_cost": 0.125,
  "robot_cost": 0,
  "activation_cost": 3,
  "service": "erlang:2",
  "mean": 1,
  "start": [1, 0],
  "generator": [
    [-2, 2],
    [0, -2]
  ],
  "activate": [
    [0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0],
    [2, 2, 2, 1, 1, 0],
    [0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0]
  ],
  "reactivate": [
    [1, 1, 2, 3, 3],
    [0, 1, 1, 2, 3, 3],
    [0, 1, 1, 2, 3, 3],
    [0, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 0, 0]
  ]
}
`

func TestFleetPolicyFileForm(t *testing.T) {
	fleet := robots.Parameters{
		Classes: []robots.Class{{2, 0.5}, {1, 0.25}}, Buffer: 2, ServiceRate: 1, StarvationWeight: 1.4,
		HoldingCost: 0.125, ActivationCost: 3, Service: mustLaw(t, "erlang:2", 1),
	}
	policy, err := robots.NewPolicy(fleet, func(s robots.State) robots.Decisions {
		d := robots.Decisions{Activate: robots.NoClass}
		if s.Queue < 2 {
			d.Reactivate = 0b11
			for c := range s.Active {
				if s.Active[c] < fleet.Classes[c].Robots {
					d.Activate = c
				}
			}
		}
		return d
	})
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, policy.WriteJSON(&file))
	assert.Equal(t, fleetFile, file.String()) //nolint:testifylint // the text itself is fixed, and not only what it means
}

func TestFaultyFleetPolicyFiles(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"version": 1`, `"version": 2`, "3:14: found 2; expected version 1"},
		{"[2, 1]", "[2]", "5:"},
		{"[2, 1]", "[2.5, 1]", `policy.json: robots: found number 2.5; expected a whole number`},
		{"[2, 1]", "[2, \"1\"]", `policy.json: robots: found string; expected a whole number`},
		{`"mu": 1,`, `"mu\n": 1,`, `7:3: member "mu\n" is not known`},
		{`"robots":`, `"crawlers":`, `member "crawlers" is not known`},
		{`"lambda":`, `"rates":`, `member "rates" is not known`},
		{`"start":`, `"first":`, `member "first" is not known`},
		{"[0.5, 0.25]", "[0.5, -1]", "5:13: found lambda -1; expected a positive finite number"},
		{`"buffer": 2`, `"buffer": 1`, "6:13: found buffer 1; expected at least 2"},
		{`"buffer": 2`, `"buffer": 2.5`, `buffer: found number 2.5; expected a whole number`},
		{`"buffer": 2`, `"buffer": 2000000`, "19:15: found 5 lists; expected 4000001 lists"},
		{`"mu": 1,`, `"mu": 1e999,`, `mu: found number 1e999; expected a number`},
		{`"mu": 1,`, `"mu": 2,`, `12:14: found service ph:erlang:2 with mean 1; expected`},
		{`"activation_cost": 3`, `"activation_cost": -3`, "11:22: found activation_cost -3; expected a finite number of 0 or more"},
		{`"service": "erlang:2"`, `"service": 5`, `service: found number; expected a text`},
		{"[-2, 2]", "[-2]", "row 1 has 1 rates"},
		{"[2, 2, 2, 1, 1, 0]", "[2, 2, 2, 1, 1]", "22:5: found a list of 5; expected 6 decisions"},
		{"[2, 2, 2, 1, 1, 0]", "[2, 2, 2, 1, 1, 0, 0]", "22:5: found a list of 7; expected 6 decisions"},
		{"[2, 2, 2, 1, 1, 0]", "[2, 2, 2, 2, 1, 0]", "22:15: found 2 at {Queue:1 Phase:1 Active:[0 1]}; expected a class with an idle robot, or none (classes count from 1, and 0 is none)"},
		{"[2, 2, 2, 1, 1, 0]", "[0, 2, 2, 1, 1, 0]", "22:6: found 0 at {Queue:1 Phase:1 Active:[0 0]}; expected a class"},
		{"[2, 2, 2, 1, 1, 0]", "[3, 2, 2, 1, 1, 0]", "22:6: found 3 at {Queue:1 Phase:1 Active:[0 0]}; expected one of 2 classes or none"},
		{"[2, 2, 2, 1, 1, 0]", "[0.5, 2, 2, 1, 1, 0]", `activate: found number 0.5; expected a whole number`},
		{"    [1, 1, 2, 3, 3],", "    [4, 1, 2, 3, 3],", "27:6: found 4 at {Queue:0 Phase:0 Active:[1 0]}; expected a sum of 2^(i−1) over classes i, at most 3"},
		{"    [1, 1, 2, 3, 3],", "    [-1, 1, 2, 3, 3],", "27:6: found -1 at {Queue:0 Phase:0 Active:[1 0]}; expected a sum of 2^(i−1)"},
		{"  ]\n}\n", "  ]\n}\n5", `34:1: found "5"; expected the end of the file`},
	} {
		require.Equal(t, 1, min(1, strings.Count(fleetFile, c.old)), c.old)
		_, err := robots.ReadPolicy(strings.NewReader(strings.Replace(fleetFile, c.old, c.new, 1)), "policy.json")
		require.Error(t, err)
		assert.ErrorContains(t, err, c.want)
	}
}
