package main

// solve --property, and check of its results.

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
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
		`paths.drn --property 'E [G !"goal"]'`,
		`paths.drn --property 'A [F "goal"]'`,
		`paths.drn --property 'E [F<=3 "goal"]'`,
		`twoservers.tra --property 'A [F "full"]'`,
		`twoservers.tra --property 'S>0 [true]'`,
	} {
		model, _, _ := strings.Cut(line, " ")
		for _, method := range []string{"auto", "exact"} {
			status, _, stderr := execute(t, "solve "+line+" --out result.json --method "+method)
			require.Zero(t, status, "%s %s: %s", line, method, stderr)
			mustPrint(t, "check "+model+" result.json")
		}
		r, err := certificate.ReadFile("result.json")
		require.NoError(t, err)
		if !strings.Contains(line, "'R") {
			assert.GreaterOrEqual(t, slices.Min(r.Lower), 0.0, line)
			assert.LessOrEqual(t, slices.Max(r.Upper), 1.0, line)
		}
		assert.Equal(t, strings.Contains(line, "'E") || strings.Contains(line, "'A"), r.Policy == nil, line)
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
		`"criterion": "finite"|"criterion": "average"`:  "criterion average has no policies of steps",
		`"horizon": 4|"horizon": 5`:                     "there are 4 policies: use one for each of 5 steps",
		`"horizon": 4|"horizon": 4, "discount": 0.5`:    "are not those of its property",
		`"horizon": 4|"horizon": 4, "terminal": "cost"`: "are not those of its property",
		`F<=4|F<=5`: "are not those of its property",
		`"sense": "maximize"|"sense": "minimize"`: "are not those of its property",
		`"answer": "yes"|"answer": "no"`:          "does not follow from its bounds",
		`goal|nowhere`:                            `found label "nowhere"`,
		`[F<=4|[F<=`:                              "expected",
		`Pmax>|Pmax>=0[F true];Pmax>`:             "about one property",
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
		`--property 'Pmax=? [F "goal"]' --start-from x.json`:      "x.json: no such file",
		`--property 'Pmax=? [F F "goal"]'`:                        "--property:1:11: F: formulas of LTL, with several operators of time, are not answered",
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

// A model above the size up to which fractions are a last resort: a fair gambler ends for
// sure, and may win, however unlikely that is.
func TestGraphDecidesThresholds(t *testing.T) {
	t.Chdir(t.TempDir())
	const top = 2500
	var model strings.Builder
	model.WriteString(`{"kind": "dtmc", "initial": [5], "labels": {"rich": [2500], "poor": [0], "over": [0, 2500]}, "reward_models": ["r"], "states": [`)
	for s := range top + 1 {
		down, up := max(s-1, 0), min(s+1, top)
		switch s {
		case 0, top:
			fmt.Fprintf(&model, `{"actions": [{"to": [[%d, 1]]}]}`, s)
		default:
			fmt.Fprintf(&model, `{"rewards": [1], "actions": [{"to": [[%d, "2/3"], [%d, "1/3"]]}]},`, down, up)
		}
		if s == 0 {
			model.WriteString(",")
		}
	}
	model.WriteString("]}")
	require.NoError(t, os.WriteFile("gambler.json", []byte(model.String()), 0o600))
	for text, want := range map[string]string{
		`P>=1 [F "over"]`: "yes", `P<1 [F "over"]`: "no", `P>0 [F "rich"]`: "yes", `P<=0 [F "rich"]`: "no", `P>0 [G !"over"]`: "no",
		`P<1 [G !"rich"]`: "yes", `P>=1 [!"rich" U "poor"]`: "no", `P<1 [F "poor"]`: "yes", `P>0 [F<3 "over"]`: "no", `P>0 [F<=5 "over"]`: "yes", `S>0 ["rich"]`: "yes", `R<=0 [F "over"]`: "no",
		`E [G !"over"]`: "yes", `A [F "over"]`: "no",
	} {
		var answer struct{ Answer string }
		require.NoError(t, json.Unmarshal([]byte(mustPrint(t, "solve gambler.json -o json --property '"+text+"'")), &answer))
		assert.Equal(t, want, answer.Answer, text)
	}
}

// Refusals for a CTMC say what to ask instead, and that has the value that was asked for:
// rewards at rate 3 until time 2 are 6, and discounted at rate 1/4 they are 12.
func TestAdviceForContinuousTime(t *testing.T) {
	t.Chdir(t.TempDir())
	const states = `{"rewards": [3], "actions": [{"to": [[1, 2]%[1]s]}]}, {"rewards": [3], "actions": [{"to": [[0, 5]%[1]s]}]}`
	for name, text := range map[string]string{
		"plain.json":  `{"kind": "ctmc", "reward_models": ["r"], "states": [` + fmt.Sprintf(states, "") + `]}`,
		"killed.json": `{"kind": "ctmc", "reward_models": ["r"], "labels": {"end": [2]}, "states": [` + fmt.Sprintf(states, `, [2, "1/4"]`) + `, {"actions": [{}]}]}`,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for line, want := range map[string]float64{
		"plain.json --property 'R=? [C<=2]'":         6,
		"killed.json --criterion total --target end": 12,
	} {
		var answer struct{ Value float64 }
		require.NoError(t, json.Unmarshal([]byte(mustPrint(t, "solve "+line+" -o json")), &answer))
		assert.Less(t, math.Abs(answer.Value-want), 1e-7, line)
	}
}
