package browser

// Files and examples one after the other: what the page shows of each does not depend on
// what it has shown before.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// offer is something that a tab can open: an example, or files by their names.
type offer struct {
	Name  string
	Files map[string]string
	shows []string // of what the page says of it
}

const (
	oddName  = `<img src=x onerror=alert(1)>`
	oddLabel = `"><script>alert(2)</script>`
)

var longName = strings.Repeat("long", 100)

// modelOffers are the examples of the page and models of many forms.
var modelOffers = []offer{
	{Name: "taxicab"},
	{Name: "machine"},
	{Name: "floor"},
	{Name: "islands"},
	{Name: "queue"},
	{"no labels", map[string]string{"nolabels.json": `{"format": "mdpsolve-model/1", "kind": "mdp", "initial": [0], "reward_models": ["gold"], "states": [
		{"name": "mine", "actions": [{"name": "dig", "rewards": [3], "to": [[0, 0.5], [1, 0.5]]}, {"name": "rest", "to": [[0, 1]]}]},
		{"name": "shaft", "actions": [{"name": "climb", "to": [[0, 1]]}]}]}`}, []string{"mine", "dig", "gold"}},
	{
		"no names",
		map[string]string{"nonames.drn": "@type: MDP\n@reward_models\nfuel\n@nr_states\n2\n@model\nstate 0 [0] init\n\taction a [2]\n\t\t1 : 1\n\taction b [1]\n\t\t0 : 1\nstate 1 [0] home\n\taction a [0]\n\t\t0 : 1\n"},
		[]string{"home", "fuel", "1 to 2 per state"},
	},
	{
		"no rewards",
		map[string]string{"norewards.json": `{"format": "mdpsolve-model/1", "kind": "mdp", "initial": [0], "labels": {"end": [1]}, "states": [
		{"name": "first", "actions": [{"to": [[0, 0.5], [1, 0.5]]}, {"to": [[1, 1]]}]}, {"name": "second", "actions": [{"to": [[1, 1]]}]}]}`},
		[]string{"no rewards", "first", "end"},
	},
	{
		"one state",
		map[string]string{"one.json": `{"format": "mdpsolve-model/1", "kind": "mdp", "initial": [0], "states": [{"actions": [{"to": [[0, 1]]}]}]}`},
		[]string{"no rewards", "1 strongly connected component"},
	},
	{
		"one state with a reward",
		map[string]string{"single.drn": "@type: DTMC\n@reward_models\nrent\n@nr_states\n1\n@model\nstate 0 [7] init\n\taction 0 [0]\n\t\t0 : 1\n"},
		[]string{"rent", "Value of state 0\n7"},
	},
	{
		"CTMC",
		map[string]string{"rates.drn": "@type: CTMC\n@reward_models\nload\n@nr_states\n2\n@model\nstate 0 [1] init\n\taction 0 [0]\n\t\t1 : 2\nstate 1 [0] idle\n\taction 0 [0]\n\t\t0 : 3\n"},
		[]string{"continuous-time", "load", "Value of state 0\n0.6\n"},
	},
	{
		"DTMC",
		map[string]string{"coin.tra": "2 3\n0 0 0.5\n0 1 0.5\n1 0 1\n", "coin.lab": "0=\"init\" 1=\"tails\"\n0: 0\n1: 1\n", "coin.srew": "# Reward structure \"stake\"\n2 1\n0 3\n"},
		[]string{"discrete-time", "Kind of the .tra file", "tails", "stake", "Value of state 0\n2\n"},
	},
	{
		"several rewards",
		map[string]string{"several.json": `{"format": "mdpsolve-model/1", "kind": "mdp", "initial": [1], "labels": {"x": [0], "y": []}, "reward_models": ["time", "cost"], "states": [
		{"rewards": [1, 0], "actions": [{"to": [[0, "1/3", [0, 4]], [1, "2/3", [0, 1]]]}, {"rewards": [0, 5], "to": [[1, 1]]}]}, {"actions": [{"to": [[0, 1]]}, {"to": [[1, 1]]}]}]}`},
		[]string{"time", "cost", "initial: 1", "0 states"},
	},
	{
		"multichain",
		map[string]string{"fork.drn": "@type: MDP\n@reward_models\ntoll\n@nr_states\n3\n@model\nstate 0 [0] init\n\taction left [0]\n\t\t1 : 1\n\taction right [0]\n\t\t2 : 1\nstate 1 [4]\n\taction stay [0]\n\t\t1 : 1\nstate 2 [1] cheap\n\taction stay [0]\n\t\t2 : 1\n"},
		[]string{"multichain", "toll", "cheap", "right"},
	},
	{"intervals", map[string]string{"vague.json": `{"format": "mdpsolve-model/1", "kind": "mdp", "initial": [0], "labels": {"done": [1]}, "reward_models": ["days"], "states": [
		{"name": "begin", "actions": [{"name": "go", "rewards": [1], "to": [[0, [0.2, 0.6]], [1, [0.4, 0.8]]]}, {"name": "run", "rewards": [2], "to": [[0, [0.1, 0.3]], [1, [0.7, 0.9]]]}]},
		{"name": "over", "actions": [{"name": "stay", "to": [[1, 1]]}]}]}`}, []string{"nature chooses", "begin", "days", "0.2–0.6"}},
	{
		"odd names",
		map[string]string{"odd.json": `{"format": "mdpsolve-model/1", "kind": "mdp", "initial": [0], "labels": {` + quote(oddLabel) + `: [0], "__proto__": [1], ` + quote(longName) + `: [1]}, "reward_models": ["constructor", ` + quote(longName+"!") + `], "states": [
		{"name": ` + quote(oddName) + `, "actions": [{"name": "` + longName + `", "rewards": [1, 0], "to": [[1, 1]]}, {"name": "&amp;", "to": [[0, 1]]}]}, {"name": "` + longName + `", "actions": [{"to": [[0, 1]]}]}]}`},
		[]string{oddName, oddLabel, "__proto__", "constructor", "&amp;", longName},
	},
	{"large", map[string]string{"ring.tra": ring(300), "ring.srew": "300 1\n7 600\n"}, []string{"300", "per choice", "the first 200 of 300 rows", "Value of state 0\n2\n"}},
	{"a broken file", map[string]string{"broken.drn": "@type: MDP\n@nr_states\n1\n@model\nstate 0\n\taction a\n\t\t0 : 2\n"}, []string{"broken.drn:6:", "Examples to begin with"}},
	{"no model", map[string]string{"notes.txt": "nothing"}, []string{"notes.txt", "Examples to begin with"}},
}

// ring is a chain in PRISM's format whose states follow each other.
func ring(states int) string {
	var text strings.Builder
	fmt.Fprintln(&text, states, states)
	for s := range states {
		fmt.Fprintln(&text, s, (s+1)%states, 1)
	}
	return text.String()
}

// pageOffers are the examples of the page and lists of pages of many forms.
var pageOffers = []offer{
	{Name: "five"},
	{"weights", map[string]string{"weights.csv": "id,change_rate,weight\nnews,5,2\narchive,0.1,1\n"}, []string{"news", "archive", "weight", "freshness"}},
	{"one page", map[string]string{"lone.jsonl": `{"url": "https://lone.example/", "change_rate": 2}` + "\n"}, []string{"lone.example"}},
	{"units", map[string]string{"units.csv": "id,change_rate,unit\nhourly,1,hour\ndaily,1,hour\n"}, []string{"hourly", "hour, as in the list"}},
	{
		"a log",
		map[string]string{"log.csv": "id,time,changed\nseen,2026-01-01T00:00:00Z,false\nseen,2026-01-02T00:00:00Z,true\nseen,2026-01-04T00:00:00Z,false\nagain,2026-01-01T00:00:00Z,false\nagain,2026-01-03T00:00:00Z,true\n"},
		[]string{"log.csv", "estimated from", "Page list (CSV)"},
	},
	{"odd names", map[string]string{"odd.csv": "id,change_rate\n" + oddName + ",1\n" + longName + ",2\n"}, []string{oddName, longName}},
	{"a broken log", map[string]string{"torn.csv": "id,time,changed\na,yesterday,perhaps\n"}, []string{"torn.csv", "Examples to begin with"}},
	{"no list", map[string]string{"notes.txt": "nothing"}, []string{"notes.txt", "Examples to begin with"}},
}

// loading defines load(panel, offer, …) on the page. It opens offers at once, waits, and
// returns all that the tab then shows and holds, but for times. Before that it changes what
// the model before is asked, and has it take steps: neither may be left.
const loading = `const openOffer = (panel, {Name, Files}) => {
	if (Files) {
		const data = new DataTransfer();
		for (const [name, content] of Object.entries(Files)) data.items.add(new File([content], name));
		panel.querySelector(".drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
	} else {
		const list = panel.querySelector(".examples select");
		list.value = Name;
		list.dispatchEvent(new Event("change", {bubbles: true}));
	}
};
globalThis.load = async (panel, ...offers) => {
	if (panel.id === "panel-model") {
		for (const list of panel.querySelectorAll(".controls select")) list.selectedIndex = list.options.length - 1;
		[...panel.querySelectorAll("button")].find((button) => button.textContent === "To the end")?.click();
	}
	for (const offer of offers) openOffer(panel, offer);
	const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
	do await rest(10); while (!(` + settled + `));
	const seen = (node) => node.offsetParent;
	const fields = [...panel.querySelectorAll("input:not([type=file]), select")].filter(seen).map((field) => [field.labels[0]?.textContent ?? field.ariaLabel, field.value, field.ariaInvalid].join(" "));
	const times = /[0-9.]+(e-[0-9]+)?\s(ms|s)\b/g;
	const lines = panel.innerText.replace(times, "a moment").split("\n").filter((line) => line && !line.startsWith("Scroll ")); // which comes later
	return [location.hash, document.querySelector("#said").textContent, ...fields, panel.querySelector(".stale") ? "stale" : "", ...lines,
		"alien elements: " + panel.querySelectorAll("img:not(.drawn img), script, iframe").length, document.querySelector(".error")?.textContent ?? "no error"].join("\n");
}; true`

// walk opens offers in an order in which each follows each, itself too: a sequence of
// de Bruijn. A tab of its own says how each is shown. At last some are opened at once, of
// which the last one counts.
func walk(t *testing.T, name string, offers []offer) {
	address := serve(t) + "/#" + name
	start := func() (*tab, func(...offer) string) {
		tb := open(t, address, desktop)
		tb.wait(`document.querySelector(".drop")`)
		eval[bool](tb, loading)
		t.Cleanup(func() {
			_, faults := tb.seen()
			tb.forget()
			for _, f := range faults { // Chromium notes the status of refusals
				if !strings.Contains(f, "the server responded with a status of 400") {
					t.Error(f)
				}
			}
		})
		return tb, func(list ...offer) string {
			arguments := `document.querySelector("#panel-` + name + `")`
			for _, o := range list {
				arguments += ", " + quote(o)
			}
			return eval[string](tb, `load(`+arguments+`)`)
		}
	}
	alone := make([]string, len(offers))
	for i, o := range offers {
		tb, load := start()
		alone[i] = load(o)
		t.Logf("%s: %d characters", o.Name, len(alone[i]))
		for _, text := range append(o.shows, "alien elements: 0", "no error") {
			require.Contains(t, alone[i], text, o.Name)
		}
		if *pictures != "" && o.Files != nil {
			for look, l := range looks {
				tb.show(l)
				tb.wait(`document.documentElement.scrollWidth <= innerWidth`)
				tb.picture(name + "-" + o.Name + "-" + look)
			}
		}
	}
	_, load := start()
	before := "nothing"
	see := func(i int) {
		require.Equal(t, alone[i], load(offers[i]), "%s after %s", offers[i].Name, before)
		before = offers[i].Name
	}
	for i := range offers {
		see(i)
		for j := i + 1; j < len(offers); j++ {
			see(i)
			see(j)
		}
	}
	see(0)
	for i, o := range offers {
		other := offers[(5*i+3)%len(offers)]
		require.Equal(t, alone[i], load(other, o), "%s, and at once %s", other.Name, o.Name)
	}
}

func TestModelsAfterEachOther(t *testing.T) { walk(t, "model", modelOffers) }

func TestPageListsAfterEachOther(t *testing.T) { walk(t, "refresh", pageOffers) }

// A page list of the reader keeps what is asked; an example and an address ask anew.
func TestExamplesOfPagesAskAnew(t *testing.T) {
	tb := open(t, serve(t)+"/#refresh?example=five", desktop)
	tb.wait(`document.querySelector("#refresh-results .pages")`)
	tb.choose("Best for", "age")
	tb.enter("At most, per host", "4")
	tb.settle()
	eval[bool](tb, loading)
	eval[string](tb, `load(document.querySelector("#panel-refresh"), `+quote(pageOffers[1])+`)`)
	assert.Equal(t, "#refresh?file=weights.csv&bandwidth=5&objective=age&host-cap=4", eval[string](tb, `location.hash`))
	eval[string](tb, `load(document.querySelector("#panel-refresh"), `+quote(pageOffers[0])+`)`)
	assert.Equal(t, "#refresh?example=five&bandwidth=5&objective=fixed-order", eval[string](tb, `location.hash`))
}

// Reports draw models of every form.
func TestReportsOfModels(t *testing.T) {
	folder := t.TempDir()
	for _, o := range modelOffers {
		if o.Files == nil || strings.Contains(strings.Join(o.shows, " "), "no rewards") || strings.Contains(strings.Join(o.shows, " "), "Examples") {
			continue // reports need a value
		}
		t.Run(o.Name, func(t *testing.T) {
			model := ""
			for name, content := range o.Files {
				path := filepath.Join(folder, name)
				require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
				if !strings.HasSuffix(name, ".lab") && !strings.HasSuffix(name, ".srew") {
					model = path
				}
			}
			args := []string{"report", "model", model, "--criterion", "average", "--minimize", "--out", filepath.Join(folder, "report.html")}
			switch o.Name {
			case "intervals":
				args = append(args, "--uncertainty", "worst")
			case "several rewards":
				args = append(args, "--reward", "cost")
			case "odd names":
				args = append(args, "--reward", "constructor")
			}
			output(t, args...)
			tb := open(t, "file://"+filepath.Join(folder, "report.html"), look{794, 1123, "light"})
			tb.wait(`document.querySelector(".origin")`)
			text := eval[string](tb, `document.body.innerText`)
			assert.Contains(t, text, "Solution")
			assert.Contains(t, text, filepath.Base(model))
			assert.Zero(t, eval[int](tb, `document.querySelectorAll(".error, img:not(.drawn img)").length`))
		})
	}
}

// An error that nothing has foreseen is said, on the page and in a report.
func TestUncaughtErrorsAreShown(t *testing.T) {
	tb := open(t, serve(t)+"/#model", desktop)
	tb.wait(`document.querySelector(".drop")`)
	for _, failure := range []string{`setTimeout(() => { throw new Error("lost") })`, `Promise.reject(new Error("lost"))`} {
		eval[bool](tb, failure+`; true`)
		tb.wait(`document.querySelector(".error")?.textContent.endsWith("Error: lost")`)
		eval[bool](tb, `document.querySelector(".error").remove() ?? true`)
	}
	tb.forget()

	file := filepath.Join(t.TempDir(), "report.html")
	output(t, "report", "model", models+"taxicab.json", "--criterion", "average", "--maximize", "--out", file)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(page), `"labels":[`, `"labels":null,"others":[`, 1)), 0o600))
	tb = open(t, "file://"+file, look{794, 1123, "light"})
	tb.wait(`document.querySelector(".error")?.textContent.includes("null")`)
	assert.Contains(t, eval[string](tb, `document.body.innerText`), "taxicab.json")
	tb.forget()
}

// A target that is never reached has infinite values.
func TestInfiniteValuesAreShown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "never.drn")
	require.NoError(t, os.WriteFile(file, []byte("@type: DTMC\n@reward_models\nr\n@nr_states\n2\n@model\nstate 0 [1] init\n\taction 0 [0]\n\t\t0 : 1\nstate 1 [0] goal\n\taction 0 [0]\n\t\t1 : 1\n"), 0o600))
	tb := openModel(t, file)
	tb.choose("Criterion", "total")
	tb.settle()
	assert.Contains(t, eval[string](tb, `document.querySelector(".solution").innerText`), "of all steps")
	assert.Contains(t, eval[string](tb, `document.querySelector(".solution").innerText`), "∞")
	tb.choose("Target", "goal")
	tb.settle()
	assert.Contains(t, eval[string](tb, `document.querySelector(".solution").innerText`), "∞")
}
