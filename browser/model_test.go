package browser

// The tab Any model: files that are dropped, solutions, steps of policy iteration.

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shownDigits is the relative error of numbers that are shown with 6 digits or more.
const shownDigits = 5e-6

const solved = `document.querySelector(".solution")`

// openModel opens the tab and drops files on it.
func openModel(t *testing.T, paths ...string) *tab {
	t.Helper()
	tb := open(t, serve(t)+"/#model", desktop)
	tb.wait(`document.querySelector(".drop")`)
	tb.drop(paths...)
	tb.wait(solved)
	tb.settle()
	return tb
}

// requireValues compares the table of states with the answer of mdpsolve solve.
func requireValues(tb *tab, args ...string) {
	tb.t.Helper()
	type result struct{ Values []float64 }
	want := answer[result](tb.t, append([]string{"solve"}, args...)...)
	values := column(tb.t, tb.table(".states"), "value")
	require.Len(tb.t, values, len(want.Values))
	for s, value := range want.Values {
		require.InDelta(tb.t, value, values[s], shownDigits*math.Abs(value), "state %d", s)
	}
}

func TestDroppedFilesAreSolved(t *testing.T) {
	t.Run("DRN", func(t *testing.T) {
		tb := openModel(t, models+"islands.drn")
		tb.choose("Reward", "fish")
		tb.choose("Look for", "maximize")
		tb.settle()
		requireValues(tb, models+"islands.drn", "--criterion", "average", "--reward", "fish", "--maximize")
		assert.Contains(t, eval[string](tb, `document.querySelector(".structure").innerText`), "multichain")
	})
	t.Run("JSON", func(t *testing.T) {
		tb := openModel(t, models+"taxicab.json")
		tb.choose("Criterion", "discounted")
		tb.enter("Discount factor", "0.95")
		tb.settle()
		requireValues(tb, models+"taxicab.json", "--criterion", "discounted", "--discount", "0.95", "--minimize")
	})
	t.Run("PRISM", func(t *testing.T) {
		var files []string
		for _, end := range []string{"lab", "srew", "sta", "tra"} {
			files = append(files, models+"twoservers."+end)
		}
		tb := openModel(t, files...)
		requireValues(tb, models+"twoservers.tra", "--criterion", "average")
		tb.choose("Criterion", "total")
		tb.choose("Target", "full")
		tb.settle()
		requireValues(tb, models+"twoservers.tra", "--criterion", "total", "--target", "full")
	})
}

// An error appears beside its field, and in the console Chromium notes the status of the
// answer.
func TestFaultsStandBesideFields(t *testing.T) {
	tb := openModel(t, models+"taxicab.json")
	tb.choose("Criterion", "discounted")
	tb.settle()
	tb.enter("Discount factor", "2")
	fault := field("Discount factor") + `.closest(".field").querySelector(".fault").textContent`
	tb.wait(fault)
	assert.Contains(t, eval[string](tb, fault), "below 1")
	assert.Equal(t, "true", eval[string](tb, field("Discount factor")+`.getAttribute("aria-invalid")`))
	tb.settle()
	tb.forget()
	tb.enter("Discount factor", "1/2")
	tb.settle()
	assert.Empty(t, eval[string](tb, fault))
	requireValues(tb, models+"taxicab.json", "--criterion", "discounted", "--discount", "1/2", "--minimize")
}

func TestBrokenFilesAreNamed(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.drn")
	require.NoError(t, os.WriteFile(broken, []byte("@type: MDP\n@nr_states\n1\n@model\nstate 0\n\taction a\n\t\t0 : 2\n"), 0o600))
	tb := open(t, serve(t)+"/#model", desktop)
	tb.wait(`document.querySelector(".drop")`)
	tb.drop(broken)
	const fault = `[...document.querySelectorAll(".fault")].map((f) => f.textContent).join("")`
	tb.wait(fault)
	assert.Contains(t, eval[string](tb, fault), "broken.drn:6:")
	tb.settle()
	tb.forget()
}

// Howard (1960) prints the gains of his three policies: 9.20, 13.15 and 13.34.
func TestStepsOfHowardsTaxicab(t *testing.T) {
	tb := open(t, serve(t)+"/#model?example=taxicab", desktop)
	for step, gain := range []string{"9.20", "13.15", "13.34"} {
		if step > 0 {
			tb.press("Next improvement")
		}
		tb.wait(`document.querySelector(".steps")?.dataset.step === ` + quote(string(rune('0'+step))))
		tb.settle()
		values := eval[[]string](tb, `JSON.parse(document.querySelector(".steps").dataset.values)`)
		for _, value := range values {
			assert.InDelta(t, shown(t, gain), shown(t, value), 0.005, "as printed, in two decimals")
		}
	}
	assert.Contains(t, eval[string](tb, `document.querySelector(".verdict").textContent`), "this policy is optimal")
	assert.Equal(t, 2.0, eval[float64](tb, `document.querySelectorAll(".graph .state.changed, .steps mark").length`),
		"one state has changed: in the drawing and in the table")
	assert.Contains(t, eval[string](tb, `location.hash`), "step=2")
}

// The keyboard alone chooses an example, and steps.
func TestKeyboardStepsThroughAModel(t *testing.T) {
	tb := open(t, serve(t)+"/#model", desktop)
	tb.wait(`document.querySelector(".drop")`)
	tb.tabTo(`document.querySelector(".welcome button")`)
	tb.do(chromedp.KeyEvent(kb.Enter))
	tb.wait(`document.querySelector(".steps[data-step='0']")`)
	tb.settle()
	tb.tabTo(`document.querySelector(".steps .main")`)
	tb.do(chromedp.KeyEvent(kb.Enter))
	tb.wait(`document.querySelector(".steps[data-step='1']")`)
	tb.settle()
}

// From any policy the steps end at the solution.
func TestStepsEndAtTheSolution(t *testing.T) {
	address := serve(t)
	for _, example := range []string{"taxicab", "machine", "floor", "islands"} {
		t.Run(example, func(t *testing.T) {
			tb := open(t, address+"/#model?example="+example, desktop)
			tb.wait(`document.querySelector(".steps[data-step='0']")`)
			tb.settle()
			for _, last := range []bool{false, true} {
				if last {
					eval[bool](tb, `document.querySelectorAll(".step select").forEach((s, i) => {
						s.selectedIndex = s.options.length - 1;
						s.dispatchEvent(new Event("change", {bubbles: true}));
					}) ?? true`)
					tb.settle()
				}
				tb.press("To the end")
				tb.wait(`document.querySelector(".verdict").textContent.includes("No action is better")`)
				tb.settle()
				assert.Contains(t, eval[string](tb, `document.querySelector(".verdict").textContent`), "this policy is optimal")
				tb.press("Start again")
				tb.wait(`document.querySelector(".steps[data-step='0']")`)
				tb.settle()
			}
		})
	}
}

func TestAddressRestoresTheModel(t *testing.T) {
	address := serve(t)
	tb := open(t, address+"/#model?example=machine", desktop)
	tb.wait(solved)
	tb.settle()
	tb.enter("Discount factor", "0.99")
	tb.settle()
	tb.press("Next improvement")
	tb.wait(`location.hash.includes("step=1")`)
	tb.settle()

	again := open(t, eval[string](tb, `location.href`), desktop)
	again.wait(`document.querySelector(".steps[data-step='1']")`)
	again.settle()
	assert.Equal(t, tb.table(".states"), again.table(".states"))
	assert.Equal(t, tb.table(".step"), again.table(".step"))
}

// The address holds the first policy that the reader chose: a link, and the page beside, show the same
// step of the same course. What the model does not have is ignored, and another question begins anew.
func TestAddressRestoresTheFirstPolicy(t *testing.T) {
	address := serve(t)
	tb := open(t, address+"/#model", desktop)
	tb.wait(`document.querySelector(".drop")`)
	tb.drop(models + "taxicab.json")
	second := `document.querySelector(".steps[data-step='1']")`
	tb.wait(`document.querySelector(".steps[data-step='0']")`)
	tb.settle()
	for state, action := range []int{1, 0, 2} { // stand, cruise, radio; cruise is the usual first action
		eval[bool](tb, `(() => { const list = document.querySelectorAll(".step select")[`+strconv.Itoa(state)+`];
			list.selectedIndex = `+strconv.Itoa(action)+`; return list.dispatchEvent(new Event("change", {bubbles: true})); })()`)
		tb.settle()
	}
	assert.Contains(t, eval[string](tb, `location.hash`), "&first=0:1,2:2")
	tb.press("Next improvement")
	tb.wait(second)
	tb.settle()
	assert.Contains(t, eval[string](tb, `location.hash`), "step=1")

	eval[bool](tb, `(document.querySelector(".compare").click(), true)`)
	beside := `document.querySelector("iframe.beside")?.contentDocument`
	tb.wait(beside + strings.Replace(second, "document", "?", 1))
	const texts = `.querySelector(".steps").innerText`
	assert.Equal(t, eval[string](tb, `document`+texts), eval[string](tb, beside+texts))

	link := address + "/" + eval[string](tb, `location.hash`)
	for query, isSame := range map[string]bool{link: true, strings.Replace(link, "2:2", "2:2,1:7,9:0", 1): true, strings.Replace(link, "first=", "f=", 1): false} {
		again := open(t, query, desktop)
		again.wait(`document.querySelector(".files .fault").textContent.startsWith("This address needs the file")`)
		again.drop(models + "taxicab.json")
		again.wait(second)
		again.settle()
		assert.Equal(t, isSame, reflect.DeepEqual(tb.table(".step"), again.table(".step")), query)
	}
	tb.choose("Criterion", "discounted")
	tb.settle()
	assert.NotContains(t, eval[string](tb, `location.hash`), "first=")
}

// An address that names a file of the reader restores the question about it once the reader gives the
// file, dropped or chosen, as one file or as several of PRISM. Another file gets the question of its own.
func TestAddressRestoresTheQuestionAboutAFile(t *testing.T) {
	address := serve(t)
	link := func(t *testing.T, query string) *tab {
		t.Helper()
		tb := open(t, address+"/#model?"+query, desktop)
		tb.wait(`document.querySelector(".files .fault").textContent.startsWith("This address needs the file")`)
		return tb
	}
	value := func(tb *tab, label string) string { return eval[string](tb, field(label)+`.value`) }
	t.Run("JSON", func(t *testing.T) {
		const query = "file=taxicab.json&criterion=discounted&discount=0.95&sense=maximize&reward=profit&method=value-iteration&tolerance=1e-6&step=1&iteration=2&course=policy-iteration"
		tb := link(t, query)
		tb.drop(models + "taxicab.json")
		tb.wait(`document.querySelector(".steps[data-step='1']") && document.querySelector(".iterations table")`)
		tb.settle()
		requireValues(tb, models+"taxicab.json", "--criterion", "discounted", "--discount", "0.95", "--maximize", "--tolerance", "1e-6", "--method", "value-iteration")
		assert.Equal(t, "#model?"+query, eval[string](tb, `location.hash`))
		assert.Equal(t, "policy-iteration", value(tb, "Follow"))
		assert.Equal(t, "Iteration 3", eval[string](tb, `document.querySelector(".iteration caption").textContent`), "which the address counts from 0")
	})
	t.Run("chosen", func(t *testing.T) {
		tb := link(t, "file=islands.drn&criterion=finite&horizon=7&sense=maximize&reward=fish&tolerance=1e-9")
		path, err := filepath.Abs(models + "islands.drn")
		require.NoError(t, err)
		tb.do(chromedp.SetUploadFiles("#panel-model input[type=file]", []string{path}))
		tb.wait(solved)
		tb.settle()
		requireValues(tb, models+"islands.drn", "--criterion", "finite", "--horizon", "7", "--reward", "fish", "--maximize")
	})
	t.Run("PRISM", func(t *testing.T) {
		tb := link(t, "file=twoservers.lab&criterion=total&target=full&kind=ctmc&tolerance=1e-8")
		tb.drop(models+"twoservers.tra", models+"twoservers.sta", models+"twoservers.srew", models+"twoservers.lab")
		tb.wait(solved)
		tb.settle()
		requireValues(tb, models+"twoservers.tra", "--criterion", "total", "--target", "full", "--kind", "ctmc")
		assert.Equal(t, "1e-8", value(tb, "Tolerance"))
	})
	t.Run("another file", func(t *testing.T) {
		tb := link(t, "file=workshop.json&criterion=discounted&discount=0.5&sense=minimize&tolerance=1e-3")
		tb.drop(models + "taxicab.json")
		tb.wait(solved)
		tb.settle()
		assert.Equal(t, "average 1e-9", value(tb, "Criterion")+" "+value(tb, "Tolerance"))
	})
}

// The texts of a drawing do not overlap each other or the circles.
func TestDrawingsAreLegible(t *testing.T) {
	address := serve(t)
	for _, example := range []string{"taxicab", "machine", "floor", "islands", "queue"} {
		t.Run(example, func(t *testing.T) {
			tb := open(t, address+"/#model?example="+example, desktop)
			tb.wait(`document.querySelector(".graph")`)
			tb.settle()
			for range 3 {
				assert.Empty(t, eval[[]string](tb, `(() => {
					const boxes = [...document.querySelectorAll(".graph .words text")].map((node) => ({ name: node.textContent, ...node.getBoundingClientRect().toJSON() }));
					const circles = [...document.querySelectorAll(".graph .state circle")].map((node) => node.getBoundingClientRect());
					const faults = boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom - 2 && b.top + 2 < a.bottom - 2)
						.map((b) => a.name + " on " + b.name));
					for (const { name, left, right, top, bottom } of boxes) for (const c of circles) {
						const [x, y, r] = [(c.left + c.right) / 2, (c.top + c.bottom) / 2, c.width / 2];
						if (Math.hypot(x - Math.min(right, Math.max(left, x)), y - Math.min(bottom - 2, Math.max(top + 2, y))) < r) faults.push(name + " on a circle");
					}
					return faults;
				})()`))
				eval[bool](tb, `[...document.querySelectorAll("button")].find((b) => b.textContent === "Next improvement" && !b.disabled)?.click() ?? true`)
				tb.settle()
			}
			assert.NotZero(t, eval[int](tb, `document.querySelectorAll(".graph .words text").length`))
		})
	}
}

// Below the answer are the pictures that the command draws, also after another question. They fit a
// phone.
func TestPicturesOfAnswers(t *testing.T) {
	const picture = `document.querySelector(".solution .drawn img")`
	tb := openModel(t, "../docs/workshop.json")
	tb.wait(picture + ` && ` + picture + `.naturalWidth > 0`)
	text := func() string { return eval[string](tb, `decodeURIComponent(`+picture+`.src)`) }
	for _, words := range []string{"Best action: least long-run average", "Relative value of each state", "Share of time in each state"} {
		assert.Contains(t, text(), words)
	}
	for form, begin := range map[string]string{"SVG": "<", "PNG": "\u0089PNG", "PDF": "%PDF-"} {
		assert.True(t, strings.HasPrefix(tb.saved("Pictures ("+form+")"), begin), form)
	}
	tb.choose("Criterion", "finite")
	tb.settle()
	tb.wait(picture + ` && ` + picture + `.src.includes("before%20each%20step")`)
	assert.Contains(t, text(), "step = 10")
	tb = open(t, serve(t)+"/#model?example=taxicab", look{390, 844, "light"})
	tb.wait(picture + ` && ` + picture + `.naturalWidth > 0`)
	assert.LessOrEqual(t, eval[float64](tb, picture+`.getBoundingClientRect().right`), 390.)
	assert.Empty(t, serious(tb, axeCore(t)))
}

// The slider goes through the iterations of every criterion, by the keyboard too; the address holds
// the method and the iteration.
func TestIterationsBySlider(t *testing.T) {
	const iterations = `document.querySelector(".iterations table")`
	const last = `(() => { const s = document.querySelector(".iterations input[type=range]"); return s.value === s.max; })()`
	address := serve(t)
	for question, method := range map[string]string{
		"criterion=average": "policy-iteration", "criterion=discounted": "value-iteration", "criterion=total&target=worn": "", "criterion=finite&horizon=8": "",
	} {
		t.Run(question, func(t *testing.T) {
			tb := open(t, address+"/#model?example=machine&sense=minimize&"+question, desktop)
			tb.wait(iterations)
			if method != "" {
				tb.choose("Follow", method)
				tb.settle()
				tb.wait(`location.hash.includes("course=` + method + `")`)
			}
			tb.do(chromedp.Focus(".iterations input[type=range]"), chromedp.KeyEvent(kb.End))
			tb.wait(last)
			name := "value"
			if method == "policy-iteration" {
				name = "average"
			}
			want, got := column(t, tb.table(".states"), "value"), column(t, tb.table(".iteration"), name)
			require.Len(t, got, len(want))
			for s := range want {
				if method == "value-iteration" { // it ends when only a constant is missing
					want[s], got[s] = want[s]-want[len(want)-1], got[s]-got[len(got)-1]
				}
				assert.InDelta(t, want[s], got[s], shownDigits*math.Abs(want[s])+1e-4, "state %d", s)
			}
			link := eval[string](tb, `location.href`)
			if !strings.Contains(question, "total") { // whose first policy is the best
				assert.Contains(t, link, "iteration=")
			}
			again := open(t, link, look{390, 844, "light"})
			again.wait(iterations + " && " + last)
		})
	}
}

// The slider ends where the bounds meet the tolerance of the field, as the file of the command does. These
// bounds stand beside the values, and hold the answer between them.
func TestIterationsEndWithinTheTolerance(t *testing.T) {
	const example = "#model?example=machine&sense=minimize&"
	address := serve(t)
	for question, method := range map[string]string{"criterion=average": "rvi", "criterion=discounted&discount=0.95": "value-iteration"} {
		for _, tolerance := range []string{"1e-9", "1e-3"} {
			t.Run(method+tolerance, func(t *testing.T) {
				tb := open(t, address+"/"+example+question+"&tolerance="+tolerance, desktop)
				tb.wait(`document.querySelector(".iterations table")`)
				tb.settle()
				model, file := filepath.Join(t.TempDir(), "machine.drn"), filepath.Join(t.TempDir(), "values.csv")
				require.NoError(t, os.WriteFile(model, []byte(eval[string](tb, `mdpsolve.modelExamples.get("machine").files[0].text`)), 0o600))
				flags := []string{"solve", model, "--minimize", "--method", method, "--values-out", file, "--tolerance", tolerance}
				for part := range strings.SplitSeq(question, "&") {
					flags = append(flags, "--"+part)
				}
				output(t, flags...)
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				lines := strings.Split(strings.TrimSpace(string(text)), "\n")
				last, _, _ := strings.Cut(lines[len(lines)-1], ",")
				tb.do(chromedp.Focus(".iterations input[type=range]"), chromedp.KeyEvent(kb.End))
				assert.Equal(t, " "+last+" of "+last, eval[string](tb, `document.querySelector(".iterations output").textContent`))
				assert.Equal(t, "Iteration "+last+" is the last: the textbook’s bounds of the optimum are within the tolerance.",
					eval[string](tb, `document.querySelector(".iterations .ending").textContent`))
				table := tb.table(".iteration")
				lower, upper, width := column(t, table, "lower"), column(t, table, "upper"), shown(t, tolerance)
				for s, want := range column(t, tb.table(".states"), "value") {
					most := (width + 2e-8) * math.Abs(want) // shown with 8 digits
					assert.LessOrEqual(t, lower[s], want+most, "state %d", s)
					assert.GreaterOrEqual(t, upper[s], want-most, "state %d", s)
					assert.LessOrEqual(t, upper[s]-lower[s], 4*most, "state %d", s)
				}
			})
		}
	}
}

// A method is asked for once: the slider then moves without the server.
func TestSliderAsksOnceForAMethod(t *testing.T) {
	tb := open(t, serve(t)+"/#model?example=machine&sense=minimize&criterion=discounted", desktop)
	tb.wait(`document.querySelector(".iterations table")`)
	tb.settle()
	const asked = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("values.csv"))`
	assert.Equal(t, 1, eval[int](tb, asked+`.length`), "when the model is opened")
	for _, key := range []string{kb.End, kb.ArrowLeft, kb.Home} {
		tb.do(chromedp.Focus(".iterations input[type=range]"), chromedp.KeyEvent(key))
	}
	tb.settle()
	assert.Equal(t, 1, eval[int](tb, asked+`.length`), "when the slider has moved")
	tb.choose("Follow", "policy-iteration")
	tb.settle()
	took := eval[[]float64](tb, asked+`.map(({ duration }) => duration)`)
	t.Logf("from asking for a method to its iterations: %.1f ms", took)
	require.Len(t, took, 2, "when another method is chosen")
	const aim = 100 // milliseconds
	for _, duration := range took {
		assert.Less(t, duration, float64(patience*aim))
	}
}

// A method that takes very many iterations is shown as far as a page can hold.
func TestSliderEndsAfterManyIterations(t *testing.T) {
	const states = 200
	var list []any
	for s := range states { // a walk that takes tens of thousands of sweeps
		list = append(list, map[string]any{"actions": []any{map[string]any{"rewards": []any{s}, "to": []any{[]any{max(s-1, 0), "1/2"}, []any{min(s+1, states-1), "1/2"}}}}})
	}
	text, err := json.Marshal(map[string]any{"format": "mdpsolve-model/1", "kind": "mdp", "reward_models": []string{"cost"}, "states": list})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "walk.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	tb := openModel(t, file)
	tb.wait(`document.querySelector(".iterations table")`)
	tb.do(chromedp.Focus(".iterations input[type=range]"), chromedp.KeyEvent(kb.End))
	assert.Equal(t, " 250 of the first 250", eval[string](tb, `document.querySelector(".iterations output").textContent`))
	assert.Contains(t, eval[string](tb, `document.querySelector(".iteration caption").textContent`), "Iteration 250")
	assert.Equal(t, "The page shows no more than 250 iterations of this model: the textbook’s bounds of the optimum are not within the tolerance yet.",
		eval[string](tb, `document.querySelector(".iterations .ending").textContent`))
}

// The page beside is for another setting, and the address holds both.
func TestTwoSettingsSideBySide(t *testing.T) {
	const gain = `document.querySelector("iframe.beside")?.contentDocument?.querySelector("#answers dd")?.textContent`
	tb := open(t, serve(t)+"/#robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4", desktop)
	tb.wait(`document.querySelector("#answers dd")`)
	eval[bool](tb, `document.querySelector("button.compare").click() ?? true`)
	tb.wait(gain)
	first := eval[string](tb, gain)
	assert.Equal(t, eval[string](tb, `document.querySelector("#answers dd").textContent`), first)
	eval[bool](tb, `(() => { const page = document.querySelector("iframe.beside").contentDocument.getElementById("gamma");
		page.value = "3"; page.dispatchEvent(new Event("change")); return true; })()`)
	tb.wait(`location.search.includes("gamma%3D3")`)
	tb.wait(gain + " !== " + quote(first))
	const apart = `(() => { const frame = document.querySelector("iframe.beside"), tops = (page) => ["[role=tablist]", "#answers", "#gamma"].map((name) => page.querySelector(name).getBoundingClientRect().top);
		const right = tops(frame.contentDocument); return Math.max(...tops(document).map((y, i) => Math.abs(y - right[i] - frame.getBoundingClientRect().top))); })()`
	assert.Less(t, eval[float64](tb, apart), 2.0, "tabs, costs and fields of both are at one height")
	tb.show(look{1900, 1000, "light"})
	assert.Less(t, eval[float64](tb, apart), 2.0, "also in a wide window")
	again := open(t, eval[string](tb, `location.href`), look{390, 844, "light"})
	again.wait(gain + " && " + gain + " !== " + quote(first))
	assert.LessOrEqual(t, eval[int](again, `document.documentElement.scrollWidth`), 390)
	eval[bool](again, `document.querySelector("button.compare").click() ?? true`)
	assert.Empty(t, eval[string](again, `location.search`))
}

// The page beside takes over the files of the reader, in each tab that has some.
func TestPageBesideHasTheFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	list := write("pages.csv", "id,change_rate,weight,unit\na,1,1,day\nb,2,3,day\n")
	address := serve(t)
	for fragment, test := range map[string]struct {
		files []string
		ready string
	}{
		"model?criterion=average": {[]string{models + "taxicab.json"}, ".solution"},
		"refresh?bandwidth=7":     {[]string{list}, ".pages"},
		"review?unit=day&from=2026-12-01": {[]string{
			list, write("plan.csv", "id,rate\na,1\nb,1\n"), write("log.csv", "id,time,changed\na,2026-12-01,0\na,2026-12-02,1\nb,2026-12-02,0\na,2026-12-03,0\n"),
		}, "#review-results .answers"},
	} {
		t.Run(fragment, func(t *testing.T) {
			tb := open(t, address+"/#"+fragment, desktop)
			tb.wait(`document.querySelector("[role=tabpanel]:not([hidden]) .drop")`)
			tb.drop(test.files...)
			tb.wait(`document.querySelector(` + quote(test.ready) + `)`)
			tb.settle()
			eval[bool](tb, `(document.querySelector(".compare").click(), true)`)
			beside := `document.querySelector("iframe.beside")?.contentDocument`
			tb.wait(beside + `?.querySelector(` + quote(test.ready) + `)`)
			answers := `.querySelector("#panel-` + strings.Split(fragment, "?")[0] + ` .answers").innerText.replace(/[0-9.]+ (µs|ms|s)/, "")`
			assert.Equal(t, eval[string](tb, `document`+answers), eval[string](tb, beside+answers))
			assert.Equal(t, eval[string](tb, `location.hash`), eval[string](tb, beside+`.location.hash`))
		})
	}
}

// A link to a review of files of the reader asks for them, and its fields are set once they are there.
func TestLinksWaitForFiles(t *testing.T) {
	address := serve(t)
	list := filepath.Join(t.TempDir(), "pages.csv")
	require.NoError(t, os.WriteFile(list, []byte("id,change_rate\na,1\nb,2\n"), 0o600))
	for _, name := range []string{"pages.csv", "others.csv"} {
		tb := open(t, address+"/#refresh?file="+name+"&bandwidth=7&objective=age", desktop)
		tb.wait(`document.querySelector(".files .fault").textContent.startsWith("This address needs the file ")`)
		assert.Equal(t, "5", eval[string](tb, field("Bandwidth")+`.value`))
		tb.drop(list)
		tb.wait(`document.querySelector(".pages") && ` + settled)
		assert.Equal(t, map[string]string{"pages.csv": "7 age", "others.csv": "5 fixed-order"}[name], eval[string](tb, field("Bandwidth")+`.value + " " + `+field("Best for")+`.value`))
	}
	tb := open(t, address+"/#review?file=plan.csv&unit=day", desktop)
	tb.wait(`document.querySelector(".files .fault").textContent.startsWith("This address needs the file plan.csv")`)
	assert.Empty(t, eval[string](tb, field("Change rates are per")+`.value`))
}
