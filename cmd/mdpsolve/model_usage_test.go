package main

// Bad usage of the verbs on models.

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/mdp/question"
)

func TestModelBadUsage(t *testing.T) {
	modelFolder(t)
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	const header = "@type: MDP\n@reward_models\nr\n@nr_states\n2\n@model\n"
	write("row.drn", header+"state 0\n\taction 0\n\t\t0 : 0.5\nstate 1\n\taction 0\n\t\t1 : 1\n")
	write("word.drn", header+"state 0\n\taction 0\n\t\t1 : x\n")
	write("short.drn", header+"state 0\n\taction 0\n\t\t1 : 1\n")
	write("automaton.drn", "@type: MA\n")
	write("bare.drn", "@type: DTMC\n@nr_states\n1\n@model\nstate 0\n\taction 0\n\t\t0 : 1\n")
	write("huge.drn", "@type: MDP\n@nr_states\n2000000000\n@nr_choices\n2147483646\n@model\n")
	write("huge.tra", "2000000000 2000000000 2147483646\n")
	write("empty.json", "")
	write("near.json", `{"kind": "dtmc", "reward_models": ["r"], "states": [{"actions": [{"rewards": [3], "to": [[0, 0.9999995]]}]}]}`)
	write("packed.drn.gz", "not packed")
	write("nowhere.json", `{"kind": "dtmc", "labels": {"none": []}, "reward_models": ["r"], "states": [{"actions": [{"to": [[0, 1]]}]}]}`)
	mustPrint(t, taxicabAverage+" --out taxicab.result.json")
	write("vast.json", `{"kind": "dtmc", "reward_models": ["r"], "states": [{"actions": [{"rewards": [1e308], "to": [[0, 1]]}]}]}`)
	assert.NoError(t, os.Symlink(os.DevNull, "device.json"))
	write("packed.drn.gz.json.gz", "not packed")
	write("claimless.json", `{"criterion": "average", "sense": "maximize", "status": "converged"}`)
	write("silent.json", `[{"c": [{"index": 3, "prob": 1}], "s": 1}]`)
	write("broken.result.json", `{"criterion": "average", "sense": "best"}`)
	write("good.csv", "state,action\n0,0\n1,0\n2,0\n")
	write("good.csv.json", `[{"c": [{"index": 0}], "s": 0}, {"c": [{"index": 3}], "s": 1}, {"c": [{"index": 5}], "s": 2}]`)
	write("bad.csv", "state,action\n0,0\n1,radio\n2,0\n")
	write("values.csv", "state,value\n0,0\n1,0\n2,0\n")
	write("paths.csv", "state,action\n0,risky\n4,wait\n")
	write("lost.csv", "state,action\n0,safe\n4,wait\n")
	write("none.csv", "state,action\n")
	write("memory.json", `[{"c": [{"index": 0, "prob": 1}], "m": 2, "s": 0}]`)
	huge := strings.Repeat("x", 100_000)
	const (
		solve    = "solve taxicab.json --criterion average --maximize"
		discount = "solve taxicab.json --criterion discounted --maximize"
		total    = "solve paths.drn --criterion total --minimize"
		finite   = "solve paths.drn --criterion finite --minimize"
	)
	for _, test := range []struct {
		line string
		want []string // in the message
	}{
		{"solve", []string{"solve:", "MODEL missing"}},
		{"solve --criterion average", []string{"solve:", "MODEL missing"}},
		{"solve taxicab.json", []string{"--criterion", "missing", wording.Alternatives(question.Criteria)}},
		{"solve taxicab.json paths.drn --criterion average", []string{"solve:", `"paths.drn"`, "MODEL"}},
		{"solve taxicab.json --criterion", []string{"--criterion", "no value"}},
		{"solve taxicab.json --criterion best", []string{"--criterion", `"best"`, wording.Alternatives(question.Criteria)}},
		{"solve taxicab.json --criterion average", []string{"the model has choices: give --minimize or --maximize"}},
		{solve + " --minimize", []string{"--maximize", "--minimize", "one of the two"}},
		{"solve taxicab.json --maximize=perhaps", []string{"--maximize", `"perhaps"`, "true or false"}},
		{solve + " --frobnicate", []string{"--frobnicate", `"mdpsolve help solve"`}},
		{solve + " --start-from no.json", []string{"no.json: no such file"}},
		{solve + " --start-from broken.result.json", []string{"broken.result.json: sense"}},
		{discount + " --discount 1/2 --start-from taxicab.result.json", []string{"--start-from", "average", "discounted"}},
		{"solve islands.drn --criterion average --maximize --reward fish --start-from taxicab.result.json", []string{"--start-from", "3", "6"}},
		{solve + " --method exact --max-iterations 5", []string{"--max-iterations", "--method exact"}},
		{solve + " --method exact --start-from taxicab.result.json", []string{"--start-from", "--method exact"}},
		{solve + " --reward fun", []string{"--reward", `"fun"`, `"profit"`}},
		{solve + " --method magic", []string{"--method", `"magic"`, "auto, rvi, policy-iteration"}},
		{solve + " --method value-iteration", []string{"--method", "value-iteration", "average"}},
		{solve + " --tolerance 0", []string{"--tolerance", "0 is not valid"}},
		{solve + " --workers 1/2", []string{"--workers", "1/2 is not valid", "whole"}},
		{solve + " --max-iterations 0", []string{"--max-iterations", "0 is not valid"}},
		{solve + " --time-limit -1", []string{"--time-limit", "-1"}},
		{solve + " --output xml", []string{"--output", `"xml"`}},
		{solve + " --out result.csv", []string{"--out", `"result.csv"`, ".json, .json.gz or .npz"}},
		{solve + " --out ./taxicab.json", []string{"--out", `"./taxicab.json"`, "another name"}},
		{"evaluate taxicab.json --policy good.csv.json --criterion average --out good.csv.json", []string{"--out", `"good.csv.json"`, "another name"}},
		{solve + " --out no/such/result.json", []string{"--out", "no/such/result.json", "written"}},
		{solve + " --kind pomdp", []string{"--kind", `"pomdp"`, "dtmc"}},
		{solve + " --kind ctmc", []string{"taxicab.json:2:9:", `"mdp"`, "CTMC"}},
		{solve + " --discount 1/2", []string{"--discount", "1/2 is not valid", "--criterion discounted"}},
		{solve + " --target goal", []string{"--target", "goal is not valid", "--criterion total"}},
		{solve + " --horizon 3", []string{"--horizon", "3 is not valid", "--criterion finite"}},
		{discount, []string{"--discount", "missing", "below 1"}},
		{discount + " --discount 1", []string{"--discount", "1 is not valid", "from 0 and below 1"}},
		{discount + " --discount -1/2", []string{"--discount", "-1/2 is not valid", "from 0 and below 1"}},
		{discount + " --discount 0.99999999999999999", []string{"--discount", "0.99999999999999999", "rounded to 1", "use at most 0.9999999999999999"}},
		{discount + " --discount 1000000000000000000001/1000000000000000000000", []string{"--discount", "from 0 and below 1"}},
		{discount + " --discount 0.9x", []string{"--discount", `"0.9x"`}},
		{discount + " --discount 9/10 --horizon 3", []string{"--horizon", "--criterion finite"}},
		{discount + " --discount 9/10 --method rvi", []string{"--method", "rvi"}},
		{total + " --constraint cost<=1", []string{"--target", "missing", "label"}},
		{total + " --pareto cost", []string{"--target", "missing", "label"}},
		{"evaluate paths.drn --policy paths.csv --criterion total --distribution 3", []string{"--target", "missing", "label"}},
		{total + " --target=", []string{"--target", "empty", "leave --target out"}},
		{total + " --target home", []string{"--target", `"home"`, `"goal"`, `"trap"`}},
		{total + " --target goal --discount 1/2", []string{"--discount", "--criterion discounted"}},
		{"solve nowhere.json --criterion total --target none", []string{"--target", `"none"`, "no state"}},
		{finite, []string{"--horizon", "missing"}},
		{finite + " --horizon -1", []string{"--horizon", "-1 is not valid", "a whole number from 0"}},
		{finite + " --horizon 2147483648", []string{"--horizon", "2147483648 is not valid", "2147483647"}},
		{finite + " --horizon 2.5", []string{"--horizon", "2.5 is not valid", "whole"}},
		{finite + " --horizon 2 --method policy-iteration", []string{"--method", "policy-iteration", "finite"}},
		{"solve islands.drn --criterion average --minimize", []string{"--reward", `"fish", "coconuts"`}},
		{"solve bare.drn --criterion average", []string{"MODEL", "reward model"}},
		{"solve twoservers.tra --criterion discounted --discount 1/2", []string{"--discount", "CTMC", "steps", "--rate"}},
		{"solve twoservers.tra --criterion finite --horizon 3", []string{"--criterion", "CTMC", "steps", "total until time T, use solve --property 'R=? [C<=T]'"}},
		{"solve no.drn --criterion average", []string{"no.drn: no such file"}},
		{"solve no.tra --criterion average", []string{"no.tra: no such file"}},
		{"solve . --criterion average", []string{"MODEL", `"."`, ".drn"}},
		{"solve model.xml --criterion average", []string{"MODEL", `"model.xml"`, ".drn"}},
		{"solve row.drn --criterion average", []string{"row.drn:8:", "0.5", "a sum of 1"}},
		{"solve word.drn --criterion average", []string{"word.drn:9:7", `"x"`}},
		{"solve short.drn --criterion average", []string{"short.drn:10:1", "1 states"}},
		{"solve automaton.drn --criterion average", []string{"automaton.drn:1:8", `"MA"`, "DTMC, CTMC or MDP"}},
		{"solve huge.drn --criterion average", []string{"MODEL", `"huge.drn"`, "2147483646", "GiB"}},
		{"solve huge.tra --criterion average", []string{"MODEL", `"huge.tra"`, "2147483646", "GiB"}},
		{"solve device.json --criterion average", []string{"MODEL", `"device.json"`, "only once"}},
		{"convert device.json model.drn", []string{"IN", `"device.json"`, "only once"}},
		{"solve empty.json --criterion average", []string{"empty.json:1:1"}},
		{"solve packed.drn.gz --criterion average", []string{"MODEL", "packed.drn.gz"}},

		{"info", []string{"info:", "MODEL missing"}},
		{"info taxicab.json --criterion average", []string{"--criterion", "unknown", `"mdpsolve help info"`}},
		{"info no.json", []string{"no.json: no such file"}},
		{"info row.drn", []string{"row.drn:8:"}},
		{"info taxicab.json -o xml", []string{"--output", `"xml"`}},

		{"solve near.json --criterion average", []string{"near.json:1:", "state 0, action 0", "sum to 0.9999995", "within 1e-9", "--normalize divides sums within 1e-6"}},
		{"convert taxicab.json", []string{"convert:", "OUT missing"}},
		{"convert taxicab.json a.drn b.drn", []string{"convert:", `"b.drn"`}},
		{"convert no.json a.drn", []string{"no.json: no such file"}},
		{"convert taxicab.json a.xml", []string{"OUT", `"a.xml"`, ".drn"}},
		{"convert taxicab.json no/such/a.drn", []string{"OUT: no/such/a.drn cannot be written: no such folder"}},
		{"convert taxicab.json no/such/a.tra", []string{"OUT", "no/such/a.tra", "written"}},
		{"convert taxicab.json a.drn --numbers float", []string{"--numbers", `"float"`, "auto, double or rational"}},
		{"convert word.drn a.json", []string{"word.drn:9:7"}},

		{"solve taxicab.json --criterion average --maximize --reward " + huge, []string{"--reward", "…", `"profit"`}},
		{"solve paths.drn --criterion total --minimize --target " + huge, []string{"--target", "…", `"goal"`}},
		{"solve " + huge + ".drn --criterion average", []string{"…", ".drn: file name too long"}},
		{"solve taxicab.json --criterion average --maximize --target " + huge, []string{"--target", "…", "--criterion total"}},

		{"evaluate taxicab.json --criterion average", []string{"--policy", "missing", "file"}},
		{"evaluate taxicab.json --policy no.csv --criterion average", []string{"no.csv: no such file"}},
		{"evaluate taxicab.json --policy policy.txt --criterion average", []string{"--policy", `"policy.txt"`, ".csv"}},
		{"evaluate taxicab.json --policy taxicab.json --criterion average", []string{"taxicab.json:5:12", "not known", "a result"}},
		{"evaluate taxicab.json --policy values.csv --criterion average", []string{"--policy", "values.csv", "no policy", "scheduler"}},
		{"evaluate taxicab.json --policy bad.csv --criterion average", []string{"bad.csv:3:3", `"radio" of state 1`, `"cruise", "stand"`}},
		{"evaluate paths.drn --policy taxicab.result.json --criterion total --target goal", []string{"--policy", "3 states", "5"}},
		{"evaluate taxicab.json --policy good.csv", []string{"--criterion", "missing"}},
		{"evaluate taxicab.json --policy good.csv --criterion average --start-from x", []string{"--start-from", "unknown"}},
		{"evaluate taxicab.json --policy memory.json --criterion average", []string{"memory.json: entry 1", "memory state 2", "without memory"}},

		{"simulate taxicab.json --policy good.csv --criterion average --horizon 0", []string{"--horizon", "0 is not valid", "from 1"}},
		{"simulate taxicab.json --policy good.csv --criterion average --horizon 1.5", []string{"--horizon", "1.5 is not valid", "whole"}},
		{"simulate taxicab.json --policy good.csv --criterion average --warm-up -1", []string{"--warm-up", "-1 is not valid", "from 0"}},
		{"simulate taxicab.json --policy good.csv --criterion average --warm-up 1e300", []string{"--warm-up", "1e300 is not valid", "from 0 to"}},
		{"simulate twoservers.tra --policy none.csv --criterion average --horizon 1e308 --warm-up 1e308", []string{"--warm-up", "1e308 is not valid", "finite"}},
		{"simulate taxicab.json --policy good.csv --criterion discounted --discount 0.999999999", []string{"--horizon", "missing", "1.38e+10"}},
		{"simulate vast.json --policy none.csv --criterion finite --horizon 10", []string{"MODEL", `"vast.json"`, "beyond the range of float64"}},
		{"evaluate vast.json --policy none.csv --criterion finite --horizon 10", []string{"MODEL", `"vast.json"`, "beyond the range of float64"}},
		{"simulate taxicab.json --policy good.csv --criterion finite --horizon 3 --warm-up 1", []string{"--warm-up", "--criterion average"}},
		{"simulate taxicab.json --policy good.csv --criterion finite", []string{"--horizon", "missing"}},
		{"simulate paths.drn --policy paths.csv --criterion total --target goal --horizon 3", []string{"--horizon", "average, discounted or finite"}},
		{"simulate twoservers.tra --criterion total", []string{"MODEL", `"twoservers.tra"`, "earns no more", "infinite or not defined"}},
		{"simulate paths.drn --policy lost.csv --criterion total --target trap", []string{"--policy", `"lost.csv"`, "state 0", `"trap"`, "infinite"}},
		{"simulate twoservers.tra --policy paths.csv --criterion average", []string{"paths.csv:2:3", `"risky" of state 0`}},
		{"simulate twoservers.tra --policy none.csv --criterion average", []string{"--horizon", "missing", "continuous time"}},
		{"simulate twoservers.tra --policy none.csv --criterion discounted --discount 1/2", []string{"--discount", "CTMC"}},
		{"simulate taxicab.json --policy good.csv --criterion average --replications 0", []string{"--replications", "0 is not valid"}},
		{"simulate taxicab.json --policy good.csv --criterion average --confidence 1", []string{"--confidence", "1 is not valid"}},
		{"simulate taxicab.json --policy good.csv --criterion average --maximize", []string{"--maximize", "unknown"}},

		{"check taxicab.json", []string{"check:", "RESULT missing"}},
		{"check taxicab.json good.csv", []string{"--criterion", "missing"}},
		{"check taxicab.json good.csv --criterion average", []string{"--minimize", "--maximize"}},
		{"check taxicab.json bad.csv --criterion average --maximize", []string{"bad.csv:3:3"}},
		{"check taxicab.json good.csv --criterion average --maximize --tolerance -1", []string{"--tolerance", "-1 is not valid", "from 0"}},
		{"check taxicab.json policy.txt --criterion average", []string{"RESULT", `"policy.txt"`, ".json, .csv"}},
		{"check taxicab.json taxicab.result.json --criterion average", []string{"--criterion", "states its own question"}},
		{"check taxicab.json taxicab.result.json --tolerance 1", []string{"--tolerance", "states its own question"}},
		{"check taxicab.json good.csv --policy good.csv --criterion average", []string{"--policy", "values"}},
		{"check taxicab.json taxicab.result.json --policy no.csv", []string{"no.csv: no such file"}},
		{"check no.json taxicab.result.json", []string{"no.json: no such file"}},
		{"check taxicab.json no.json", []string{"no.json: no such file"}},
		{"check taxicab.json broken.result.json", []string{"broken.result.json: sense", `"best"`, "minimize"}},
		{"check paths.drn taxicab.result.json", []string{"RESULT", "taxicab.result.json", "3 states", "5"}},
		{"check paths.drn taxicab.json", []string{"taxicab.json:5:12", "not known", "a result"}},
		{"check taxicab.json packed.drn.gz.json.gz", []string{"RESULT", "packed.drn.gz.json.gz", "damaged gzip data", "whole"}},
		{"check taxicab.json claimless.json", []string{"RESULT", `"claimless.json"`, "claims nothing", "values"}},
		{"check taxicab.json silent.json --criterion average --maximize", []string{"RESULT", `"silent.json"`, "state 0", "reaches state 0"}},
		{"check taxicab.json silent.json --criterion finite --horizon 3 --maximize", []string{"RESULT", `"silent.json"`, "state 0"}},
	} {
		status, stdout, stderr := execute(t, replaced(test.line))
		assert.Equal(t, ui.ExitUsage, status, "%s: %s", test.line, stderr)
		assert.Empty(t, stdout, test.line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %s", test.line, stderr)
		assert.True(t, strings.HasPrefix(stderr, "mdpsolve: "), stderr)
		assert.Less(t, len(stderr), 500, stderr)
		for _, want := range test.want {
			assert.Contains(t, stderr, want, test.line)
		}
	}
}

// TestNormalizeAndSpellings has what flags accept beside the usual.
func TestNormalizeAndSpellings(t *testing.T) {
	modelFolder(t)
	require.NoError(t, os.WriteFile("near.json", []byte(`{"kind": "dtmc", "states": [{"actions": [{"rewards": [3], "to": [[0, 0.9999995]]}]}], "reward_models": ["r"]}`), 0o600))
	assert.InDelta(t, 3, answer(t, "solve near.json --criterion average --normalize --out near.result.json")["value"], 1e-9)
	mustPrint(t, "check near.json near.result.json --normalize")
	mustPrint(t, "convert near.json near.drn --normalize")
	mustPrint(t, "info near.drn")

	assert.Equal(t, mustPrint(t, taxicabAverage+" -o csv"), mustPrint(t, "solve taxicab.json --criterion average --maximise -o csv"))
	assert.Equal(t, mustPrint(t, "--version"), mustPrint(t, "version"))
}
