package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	write("packed.drn.gz", "not packed")
	write("nowhere.json", `{"kind": "dtmc", "labels": {"none": []}, "reward_models": ["r"], "states": [{"actions": [{"to": [[0, 1]]}]}]}`)
	mustPrint(t, taxicabAverage+" --out taxicab.result.json")
	write("broken.result.json", `{"criterion": "average", "sense": "best"}`)
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
		{"solve taxicab.json", []string{"--criterion", "missing", "average, discounted, total or finite"}},
		{"solve taxicab.json paths.drn --criterion average", []string{"solve:", `"paths.drn"`, "MODEL"}},
		{"solve taxicab.json --criterion", []string{"--criterion", "no value"}},
		{"solve taxicab.json --criterion best", []string{"--criterion", `"best"`, "average, discounted, total or finite"}},
		{"solve taxicab.json --criterion average", []string{"--minimize", "--maximize", "choices"}},
		{solve + " --minimize", []string{"--maximize", "--minimize", "one of them"}},
		{solve + " --maximize=perhaps", []string{"--maximize", `"perhaps"`, "true or false"}},
		{solve + " --frobnicate", []string{"--frobnicate", "--criterion"}},
		{solve + " --start no.json", []string{"--start", `"no.json"`}},
		{solve + " --start broken.result.json", []string{"broken.result.json:1:"}},
		{discount + " --discount 1/2 --start taxicab.result.json", []string{"--start", "average", "discounted"}},
		{"solve islands.drn --criterion average --maximize --reward fish --start taxicab.result.json", []string{"--start", "3", "6"}},
		{solve + " --checkpoint no/such/file", []string{"--checkpoint", "no/such/file"}},
		{solve + " --method exact --max-iterations 5", []string{"--max-iterations", "--method exact"}},
		{solve + " --method exact --start taxicab.result.json", []string{"--start", "--method exact"}},
		{solve + " --reward fun", []string{"--reward", `"fun"`, `"profit"`}},
		{solve + " --method magic", []string{"--method", `"magic"`, "auto, rvi, policy-iteration"}},
		{solve + " --method value-iteration", []string{"--method", "value-iteration", "average"}},
		{solve + " --tolerance 0", []string{"--tolerance", "0 found"}},
		{solve + " --workers 1/2", []string{"--workers", "1/2 found", "whole"}},
		{solve + " --max-iterations 0", []string{"--max-iterations", "0 found"}},
		{solve + " --time-limit -1", []string{"--time-limit", "-1"}},
		{solve + " --output xml", []string{"--output", `"xml"`}},
		{solve + " --out result.csv", []string{"--out", `"result.csv"`, ".json or .json.gz"}},
		{solve + " --out no/such/result.json", []string{"--out", "no/such/result.json", "written"}},
		{solve + " --kind pomdp", []string{"--kind", `"pomdp"`, "dtmc"}},
		{solve + " --kind ctmc", []string{"taxicab.json:2:9:", `"mdp"`, "CTMC"}},
		{solve + " --discount 1/2", []string{"--discount", "1/2 found", "--criterion discounted"}},
		{solve + " --target goal", []string{"--target", "goal found", "--criterion total"}},
		{solve + " --horizon 3", []string{"--horizon", "3 found", "--criterion finite"}},
		{discount, []string{"--discount", "missing", "below 1"}},
		{discount + " --discount 1", []string{"--discount", "1 found", "below 1"}},
		{discount + " --discount 0.9x", []string{"--discount", `"0.9x"`}},
		{discount + " --discount 9/10 --horizon 3", []string{"--horizon", "--criterion finite"}},
		{discount + " --discount 9/10 --method rvi", []string{"--method", "rvi"}},
		{total, []string{"--target", "missing", "label"}},
		{total + " --target home", []string{"--target", `"home"`, `"goal"`, `"trap"`}},
		{total + " --target goal --discount 1/2", []string{"--discount", "--criterion discounted"}},
		{"solve nowhere.json --criterion total --target none", []string{"--target", `"none"`, "no state"}},
		{finite, []string{"--horizon", "missing"}},
		{finite + " --horizon 0", []string{"--horizon", "0 found", "1 or more"}},
		{finite + " --horizon 2.5", []string{"--horizon", "2.5 found", "whole"}},
		{finite + " --horizon 2 --method policy-iteration", []string{"--method", "policy-iteration", "finite"}},
		{"solve islands.drn --criterion average --minimize", []string{"--reward", `"fish", "coconuts"`}},
		{"solve bare.drn --criterion average", []string{"MODEL", "reward model"}},
		{"solve twoservers.tra --criterion discounted --discount 1/2", []string{"--criterion", "CTMC", "average or total", "steps"}},
		{"solve twoservers.tra --criterion finite --horizon 3", []string{"--criterion", "CTMC", "average or total", "steps"}},
		{"solve no.drn --criterion average", []string{"MODEL", `"no.drn"`, "can be read"}},
		{"solve no.tra --criterion average", []string{"MODEL", `"no.tra"`, "can be read"}},
		{"solve . --criterion average", []string{"MODEL", `"."`, ".drn"}},
		{"solve model.xml --criterion average", []string{"MODEL", `"model.xml"`, ".drn"}},
		{"solve row.drn --criterion average", []string{"row.drn:8:", "0.5", "a sum of 1"}},
		{"solve word.drn --criterion average", []string{"word.drn:9:7", `"x"`}},
		{"solve short.drn --criterion average", []string{"short.drn:10:1", "1 states"}},
		{"solve automaton.drn --criterion average", []string{"automaton.drn:1:8", `"MA"`, "DTMC, CTMC or MDP"}},
		{"solve huge.drn --criterion average", []string{"MODEL", `"huge.drn"`, "2147483646", "GiB"}},
		{"solve huge.tra --criterion average", []string{"MODEL", `"huge.tra"`, "2147483646", "GiB"}},
		{"solve empty.json --criterion average", []string{"empty.json:1:1"}},
		{"solve packed.drn.gz --criterion average", []string{"MODEL", "packed.drn.gz"}},

		{"info", []string{"info:", "MODEL missing"}},
		{"info taxicab.json --criterion average", []string{"--criterion", "unknown", "--kind"}},
		{"info no.json", []string{"MODEL", `"no.json"`}},
		{"info row.drn", []string{"row.drn:8:"}},
		{"info taxicab.json -o xml", []string{"--output", `"xml"`}},

		{"convert taxicab.json", []string{"convert:", "OUT missing"}},
		{"convert taxicab.json a.drn b.drn", []string{"convert:", `"b.drn"`}},
		{"convert no.json a.drn", []string{"IN", `"no.json"`}},
		{"convert taxicab.json a.xml", []string{"OUT", `"a.xml"`, ".drn"}},
		{"convert taxicab.json no/such/a.drn", []string{"OUT", `"no/such/a.drn"`, "written"}},
		{"convert taxicab.json no/such/a.tra", []string{"OUT", "no/such/a.tra", "written"}},
		{"convert taxicab.json a.drn --numbers float", []string{"--numbers", `"float"`, "auto, double or rational"}},
		{"convert word.drn a.json", []string{"word.drn:9:7"}},

		{"check taxicab.json", []string{"check:", "RESULT missing"}},
		{"check no.json taxicab.result.json", []string{"MODEL", `"no.json"`}},
		{"check taxicab.json no.json", []string{"RESULT", `"no.json"`}},
		{"check taxicab.json broken.result.json", []string{"broken.result.json:1:", `"best"`, "minimize"}},
		{"check paths.drn taxicab.result.json", []string{"RESULT", "taxicab.result.json", "3 states", "5"}},
		{"check paths.drn taxicab.json", []string{"taxicab.json:4:12", "whole number"}},
	} {
		status, stdout, stderr := execute(t, test.line)
		assert.Equal(t, exitUsage, status, "%s: %s", test.line, stderr)
		assert.Empty(t, stdout, test.line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %s", test.line, stderr)
		assert.True(t, strings.HasPrefix(stderr, "mdpsolve: "), stderr)
		for _, want := range test.want {
			assert.Contains(t, stderr, want, test.line)
		}
	}
}
