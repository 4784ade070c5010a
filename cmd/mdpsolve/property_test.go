package main

// solve --property, and check of its results.

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// What solve finds of a property, check accepts, whatever the method; what was changed, it does
// not.
func TestCheckFollowsProperties(t *testing.T) {
	modelFolder(t)
	for _, line := range []string{
		`paths.drn --property 'Pmax=? [F "goal"]'`,
		`paths.drn --property 'Pmin>0.5 [!"goal" U "goal"]'`,
		`paths.drn --property 'Pmin=? [G !"goal"]'`,
		`paths.drn --property 'Pmax=? [F<=4 "goal"]'`,
		`paths.drn --property 'Pmax=? [G<=2 !"goal"]'`,
		`paths.drn --property 'Pmin=? [X "goal"]'`,
		`paths.drn --property 'R<=3 [F "goal"]'`,
		`paths.drn --property 'Rmin=? [F ("goal" & !"goal")]'`,
		`paths.drn --property 'Rmin=? [C]'`,
		`paths.drn --property 'Rmax=? [I=3]'`,
		`paths.drn --property 'Rmax=? [C<=3]'`,
		`taxicab.json --property 'R{"profit"}max=? [S]'`,
		`twoservers.tra --property 'S=? ["full"]'`,
		`twoservers.tra --property 'P=? [X "full"]'`,
		`twoservers.tra --property 'R=? [F "full"]'`,
	} {
		model, _, _ := strings.Cut(line, " ")
		for _, method := range []string{"auto", "exact"} {
			status, _, stderr := execute(t, "solve "+line+" --out result.json --method "+method)
			require.Zero(t, status, "%s %s: %s", line, method, stderr)
			mustPrint(t, "check "+model+" result.json")
		}
		r, err := certificate.ReadFile("result.json")
		require.NoError(t, err)
		r.Exact, r.Certificate = nil, nil
		r.Values[0], r.Lower[0], r.Upper[0] = 7.5, 7.25, 7.75
		r.Value, r.Answer = 7.5, ""
		require.NoError(t, certificate.WriteFile("wrong.json", r))
		status, _, stderr := execute(t, "check "+model+" wrong.json")
		assert.Equal(t, ui.ExitLimit, status, "%s: %s", line, stderr)
	}
}

// The other members of a result say the same as its property.
func TestCheckRefusesOtherQuestions(t *testing.T) {
	modelFolder(t)
	mustPrint(t, `solve paths.drn --property 'Pmax>=1/2 [F<=4 "goal"]' --out result.json`)
	text, err := os.ReadFile("result.json")
	require.NoError(t, err)
	for change, want := range map[string]string{
		`"criterion": "finite"|"criterion": "average"`: "are not those of its property",
		`"horizon": 4|"horizon": 5`:                    "are not those of its property",
		`F<=4|F<=5`:                                    "are not those of its property",
		`"sense": "maximize"|"sense": "minimize"`:      "are not those of its property",
		`"answer": "yes"|"answer": "no"`:               "does not follow from its bounds",
		`goal|nowhere`:                                 `found label "nowhere"`,
		`[F<=4|[F<`:                                    "expected a number of steps",
		`Pmax>|Pmax>=0[F true];Pmax>`:                  "about one property",
	} {
		from, to, _ := strings.Cut(change, "|")
		require.Contains(t, string(text), from)
		require.NoError(t, os.WriteFile("changed.json", []byte(strings.ReplaceAll(string(text), from, to)), 0o600))
		status, _, stderr := execute(t, "check paths.drn changed.json")
		assert.Equal(t, ui.ExitUsage, status, change)
		assert.Contains(t, stderr, want, change)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

func TestPropertiesThatAreRefused(t *testing.T) {
	modelFolder(t)
	require.NoError(t, os.WriteFile("two.props", []byte("\"a\": Pmax=? [F \"goal\"];\n\"b\": Rmin=? [C]"), 0o600))
	require.NoError(t, os.WriteFile("long.props", []byte(strings.Repeat(" ", 1<<17)), 0o600))
	for line, want := range map[string]string{
		`--property 'Pmax=? [F "goal"]' --criterion average`:      "--criterion: not valid with --property, which states the whole question: use one of the two",
		`--property 'Pmax=? [F "goal"]' --maximize`:               "--maximize: not valid with --property, which states the whole question: use one of the two",
		`--property 'Pmax=? [F "goal"]' --start-from x.json`:      "--start-from: not valid with --property, which states the whole question: use one of the two",
		`--property 'Pmax=? [F F "goal"]'`:                        "--property:1:11: found F; expected one F, G, X, U or W only: formulas such as G F are not answered",
		`--property ' '`:                                          `--property: " " is not valid: use a property or the name of a file`,
		`--property none.props`:                                   "none.props: no such file",
		`--property two.props:c`:                                  `--property: "two.props" has no property "c": use the name of one`,
		`--property two.props --out x.json`:                       "--out: not valid with several properties: name one, as in --property FILE:NAME",
		`--property long.props`:                                   `long.props: "long.props": no file of at most 65536 bytes: use fewer properties`,
		`--property 'Pmax=? [F "goal"]' --method value-iteration`: "--method: value-iteration is not valid for this question",
	} {
		status, stdout, stderr := execute(t, "solve paths.drn "+line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.Empty(t, stdout)
		assert.True(t, strings.HasPrefix(stderr, "mdpsolve: "+want), "%s: %s", line, stderr)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	mustPrint(t, "solve paths.drn --property two.props:a --out result.json")
	for line, want := range map[string]string{
		`--property 'P=? [F<=5 "full"]' --out x.json`:   "--out: not valid with a time in a CTMC, which has bounds but no certificate: use --output json",
		`--property 'P=? [F<=5 "full"]' --method exact`: "--method: exact is not valid for this question",
		`--property 'P=? [F<=1e20 "full"]'`:             "--property: use a shorter time",
	} {
		status, _, stderr := execute(t, "solve twoservers.tra "+line)
		assert.Equal(t, ui.ExitUsage, status, line)
		assert.True(t, strings.HasPrefix(stderr, "mdpsolve: "+want), "%s: %s", line, stderr)
	}
}
