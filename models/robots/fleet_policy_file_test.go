package robots

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// randomFleetPolicy decides at random.
func randomFleetPolicy(t *testing.T, f Fleet, random *rand.Rand) *FleetPolicy {
	t.Helper()
	policy, err := NewFleetPolicy(f, func(s FleetState) Decisions {
		d := Decisions{Activate: NoClass, Reactivate: ClassSet(random.UintN(256))}
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
		again, err := ReadFleetPolicy(&file, "policy")
		require.NoError(t, err, name)
		assert.Equal(t, policy.activate, again.activate, name)
		assert.Equal(t, policy.reactivate, again.reactivate, name)
		assert.Equal(t, policy.layout, again.layout, name)
		want, got := policy.Fleet(), again.Fleet()
		want.Service, got.Service = nil, nil
		assert.Equal(t, want, got, name)
		costs, err := MeasureFleet(context.Background(), policy)
		require.NoError(t, err)
		same, err := MeasureFleet(context.Background(), again)
		require.NoError(t, err)
		assert.InEpsilon(t, costs.Gain, same.Gain, 1e-12, name) // rates of phases are scaled again

		require.NoError(t, again.WriteJSON(&file))
		third, err := ReadFleetPolicy(strings.NewReader(file.String()), "policy")
		require.NoError(t, err)
		assert.Equal(t, again.activate, third.activate)
		for cut := range len(text) - 1 {
			_, err := ReadFleetPolicy(strings.NewReader(text[:cut]), "policy")
			require.Error(t, err, "%s cut at byte %d", name, cut)
		}
	}
}

// Files of the plain process are read as well.
func TestFleetPolicyOfAPlainFile(t *testing.T) {
	solution, err := Solve(context.Background(), figure6, mdp.Settings{})
	require.NoError(t, err)
	want, err := solution.Policy.FleetPolicy()
	require.NoError(t, err)
	for form, write := range writers {
		var file bytes.Buffer
		require.NoError(t, write(solution.Policy, &file))
		got, err := ReadFleetPolicy(&file, "policy")
		require.NoError(t, err, form)
		assert.Equal(t, want, got, form)
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
	fleet := Fleet{
		Classes: []Class{{2, 0.5}, {1, 0.25}}, Buffer: 2, ServiceRate: 1, StarvationWeight: 1.4,
		HoldingCost: 0.125, ActivationCost: 3, Service: mustLaw(t, "erlang:2", 1),
	}
	policy, err := NewFleetPolicy(fleet, func(s FleetState) Decisions {
		d := Decisions{Activate: NoClass}
		if s.Queue < 2 {
			d.Reactivate = d.Reactivate.With(0).With(1)
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
		{`"version": 1`, `"version": 2`, "3:14: version is 2; allowed is 1"},
		{"[2, 1]", "[2]", "5:"},
		{"[2, 1]", "[2.5, 1]", "4:13: robots: 2.5 found; whole numbers are allowed"},
		{"[2, 1]", "[2, \"1\"]", `4:17: robots: "1" found; a number is allowed`},
		{`"mu": 1,`, `"mu\n": 1,`, `7:3: "mu\n" found; the key "mu" is allowed`},
		{`"robots":`, `"crawlers":`, `4:3: "crawlers" found; the key "robots" is allowed`},
		{`"lambda":`, `"rates":`, `5:3: "rates" found; the key "lambda" is allowed`},
		{`"start":`, `"first":`, `14:3: "first" found; the key "start" is allowed`},
		{"[0.5, 0.25]", "[0.5, -1]", "5:13: lambda: -1 found; allowed is a positive finite number"},
		{`"buffer": 2`, `"buffer": 1`, "6:13: buffer: 1 found"},
		{`"buffer": 2`, `"buffer": 2.5`, "6:13: buffer: 2.5 found; a whole number is allowed"},
		{`"buffer": 2`, `"buffer": 2000000`, "does not fit in the"},
		{`"mu": 1,`, `"mu": 1e999,`, "7:9: mu: 1e999 found; a number that float64 holds is allowed"},
		{`"mu": 1,`, `"mu": 2,`, `service: ph:erlang:2 with mean 1 found`},
		{`"activation_cost": 3`, `"activation_cost": -3`, "11:22: activation_cost: -3 found; allowed is a finite number of 0 or more"},
		{`"service": "erlang:2"`, `"service": 5`, "12:14: service is 5; the name of a law is allowed"},
		{"[-2, 2]", "[-2]", "row 1 has 1 rates"},
		{"[2, 2, 2, 1, 1, 0]", "[2, 2, 2, 1, 1]", "22:19: activate: ] found; a number is allowed"},
		{"[2, 2, 2, 1, 1, 0]", "[2, 2, 2, 1, 1, 0, 0]", "the end of the list of row 3 is allowed"},
		{"[2, 2, 2, 1, 1, 0]", "[2, 2, 2, 2, 1, 0]", "22:15: 2 found at {Queue:1 Phase:1 Active:[0 1]}; a class with an idle robot, from 1, or 0 is allowed"},
		{"[2, 2, 2, 1, 1, 0]", "[0, 2, 2, 1, 1, 0]", "22:6: 0 found at {Queue:1 Phase:1 Active:[0 0]}; a class"},
		{"[2, 2, 2, 1, 1, 0]", "[3, 2, 2, 1, 1, 0]", "22:6: 3 found at"},
		{"[2, 2, 2, 1, 1, 0]", "[0.5, 2, 2, 1, 1, 0]", "22:6: no class found"},
		{"    [0, 0, 0, 0, 0],", "    [1, 0, 0, 0, 0],", "where no departure comes next; 0 is allowed"},
		{"    [1, 1, 2, 3, 3],", "    [2, 1, 2, 3, 3],", "27:6: no set of classes found at {Queue:0 Phase:0 Active:[1 0]}"},
		{"    [1, 1, 2, 3, 3],", "    [-1, 1, 2, 3, 3],", "27:6: no set of classes found"},
		{"  ]\n}\n", "  ]\n}\n5", "text found after the policy"},
	} {
		require.Equal(t, 1, min(1, strings.Count(fleetFile, c.old)), c.old)
		_, err := ReadFleetPolicy(strings.NewReader(strings.Replace(fleetFile, c.old, c.new, 1)), "policy.json")
		var fault *FileError
		require.ErrorAs(t, err, &fault, c.want)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := ReadPolicy(strings.NewReader(fleetFile), "policy.json")
	assert.ErrorContains(t, err, "policy.json:2:13: format is \"robots-fleet-policy\"; allowed is robots-policy")
}
