package browser

// The tab Robots: its picture, the running queue, the address, the keyboard, and speed.

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// robotsAnswer has the keys of robots solve that the tests compare.
type robotsAnswer struct {
	PolicyCost float64 `json:"policy_cost"`
	StaticCost float64 `json:"static_cost"`
}

// robotsFields are the fields of the tab, which have the names of the flags.
var robotsFields = []string{"robots", "buffer", "lambda", "mu", "gamma"}

// asShown is the command line for the values of the fields of the page.
func asShown(tb *tab) []string {
	tb.t.Helper()
	args := []string{"robots", "solve"}
	for _, name := range robotsFields {
		args = append(args, "--"+name, eval[string](tb, `document.getElementById(`+quote(name)+`).value`))
	}
	return args
}

const drawnPicture = `document.querySelector("#panel-robots .drawn img")`

// policyPicture is the picture of the policy on the page.
func policyPicture(tb *tab) string {
	tb.t.Helper()
	return eval[string](tb, `decodeURIComponent(`+drawnPicture+`.src.replace(/^[^,]*,/, ""))`)
}

// requirePolicy compares the picture on the page with that of the command.
func requirePolicy(tb *tab) {
	tb.t.Helper()
	file := filepath.Join(tb.t.TempDir(), "policy.svg")
	output(tb.t, append(asShown(tb), "--plot", file)...)
	want, err := os.ReadFile(file)
	require.NoError(tb.t, err)
	require.Equal(tb.t, string(want), policyPicture(tb))
}

const paperQueue = "/#robots?robots=16&buffer=5&lambda=1/10&mu=1&gamma=1.4"

// slider is the slider of a field.
func slider(name string) string {
	return `document.getElementById(` + quote(name) + `).closest(".field").querySelector("input[type=range]")`
}

func openRobots(t *testing.T, fragment string) *tab {
	t.Helper()
	tb := open(t, serve(t)+fragment, desktop)
	tb.wait(drawnPicture)
	tb.settle()
	return tb
}

func TestSliderMovesTheCurve(t *testing.T) {
	tb := openRobots(t, paperQueue)
	requirePolicy(tb)
	before := policyPicture(tb)
	type place struct{ X, Y float64 }
	at := eval[place](tb, `(() => {
		const box = `+slider("gamma")+`.getBoundingClientRect();
		return {X: box.left + 0.9 * box.width, Y: box.top + box.height / 2};
	})()`)
	tb.do(chromedp.MouseClickXY(at.X, at.Y))
	tb.wait(`document.getElementById("gamma").value !== "1.4"`)
	tb.settle()
	require.NotEqual(t, before, policyPicture(tb), "a dearer empty queue calls for another policy")
	requirePolicy(tb)
}

func TestKeyboardReachesAndMovesASlider(t *testing.T) {
	tb := openRobots(t, paperQueue)
	tb.tabTo(slider("gamma"))
	for range 20 {
		tb.do(chromedp.KeyEvent(kb.ArrowRight))
	}
	tb.wait(`document.getElementById("gamma").value !== "1.4"`)
	tb.settle()
	requirePolicy(tb)
}

func TestAddressRestoresTheRobots(t *testing.T) {
	tb := openRobots(t, paperQueue)
	for name, value := range map[string]string{"robots": "12", "buffer": "7", "lambda": "1/8", "gamma": "2.5"} {
		eval[bool](tb, `(document.getElementById(`+quote(name)+`).select(), true)`)
		tb.do(chromedp.KeyEvent(value), chromedp.KeyEvent(kb.Tab))
	}
	tb.settle()
	requirePolicy(tb)
	again := open(t, eval[string](tb, `location.href`), desktop)
	again.wait(drawnPicture)
	again.settle()
	for _, name := range robotsFields {
		value := `document.getElementById(` + quote(name) + `).value`
		assert.Equal(t, eval[string](tb, value), eval[string](again, value), name)
	}
	assert.Equal(t, policyPicture(tb), policyPicture(again))
}

// The queue is run at full speed until its costs are known to 1 %. They must then be
// where they were computed: within 2.5 times the half-width of the 95 % interval, which
// happens by chance in less than one of 10⁴ runs (Student's law of 19 degrees of
// freedom, the fewest there are, at 2.5 × 2.09).
func TestRunningCostsTendToTheComputed(t *testing.T) {
	for _, seed := range []int{1, 20260722} {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			tb := openRobots(t, paperQueue+"&speed=100000&seed="+strconv.Itoa(seed))
			want := answer[robotsAnswer](t, asShown(tb)...)
			tb.wait(`document.getElementById("running-dynamic")?.dataset.computed`)
			tb.press("Run")
			for id, computed := range map[string]float64{"running-dynamic": want.PolicyCost, "running-fixed": want.StaticCost} {
				element := `document.getElementById(` + quote(id) + `).dataset`
				tb.wait(element + `.halfWidth <= 0.01 * ` + element + `.cost`)
				type running struct{ Cost, HalfWidth, Computed, Time string }
				r := eval[running](tb, `(({cost, halfWidth, computed, time}) => ({Cost: cost, HalfWidth: halfWidth, Computed: computed, Time: time}))(`+element+`)`)
				cost, half := shown(t, r.Cost), shown(t, r.HalfWidth)
				t.Logf("%s at time %s: %v ± %v, computed %v: %.2f half-widths away", id, r.Time, cost, half, computed, math.Abs(cost-computed)/half)
				assert.InEpsilon(t, computed, shown(t, r.Computed), 1e-9, id) // both are certified to 1e-9
				assert.InDelta(t, computed, cost, 2.5*half, id)
			}
		})
	}
}

// Slow and busy machines may take this multiple of the aim.
const patience = 10

func TestFromSliderToCurve(t *testing.T) {
	for _, size := range []struct {
		buffer, robots string
		aim            time.Duration
	}{{"20", "50", 100 * time.Millisecond}, {"50", "100", time.Second}} {
		t.Run("K="+size.buffer+",N="+size.robots, func(t *testing.T) {
			tb := openRobots(t, "/#robots?robots="+size.robots+"&buffer="+size.buffer+"&lambda=1/20&mu=1&gamma=1.4")
			eval[bool](tb, `(`+slider("gamma")+`.focus(), performance.clearMeasures(), true)`)
			const moves = 15
			const measured = `performance.getEntriesByName("slider-to-curve").length`
			for range moves {
				before := eval[int](tb, measured)
				tb.do(chromedp.KeyEvent(kb.ArrowRight))
				tb.wait(measured + ` > ` + strconv.Itoa(before))
				tb.settle()
			}
			requirePolicy(tb)
			took := eval[[]float64](tb, `performance.getEntriesByName("slider-to-curve").map((m) => m.duration)`)
			slices.Sort(took)
			t.Logf("from slider to curve: median %.1f ms, %d answers from %.1f to %.1f ms (the aim is %v)", took[len(took)/2], len(took), took[0], took[len(took)-1], size.aim)
			assert.Less(t, took[len(took)/2], float64(patience*size.aim/time.Millisecond))
		})
	}
}

func TestErlangHasAPictureOfEachPhase(t *testing.T) {
	tb := openRobots(t, paperQueue)
	tb.choose("Indexing times", "erlang")
	tb.settle()
	for _, phase := range []string{"phase = 1", "phase = 2", "phase = 3"} {
		assert.Contains(t, policyPicture(tb), phase)
	}
}

func TestInvalidFieldGreysTheAnswersOut(t *testing.T) {
	tb := openRobots(t, paperQueue)
	const stale = `document.querySelectorAll("#panel-robots .stale").length`
	require.Zero(t, eval[int](tb, stale))
	tb.enter("λ", "-1")
	tb.wait(field("λ") + `.getAttribute("aria-invalid")`)
	tb.settle()
	assert.Equal(t, 2, eval[int](tb, stale))
	tb.forget()
	tb.enter("λ", "1/10")
	tb.settle()
	assert.Zero(t, eval[int](tb, stale))
	requirePolicy(tb)
}

// The drawing of the running queue agrees with its text, and its plot appears with it.
func TestQueueAtWork(t *testing.T) {
	tb := openRobots(t, paperQueue)
	tb.wait(`document.getElementById("queue").offsetParent`)
	const plot = `document.querySelector("#queue .chart").offsetParent`
	assert.False(t, eval[bool](tb, `Boolean(`+plot+`)`))
	tb.press("Step")
	tb.wait(plot)
	assert.Regexp(t, `^\d+ of 16 robots active$`, eval[string](tb, `document.querySelector(".lane .sides span").textContent`))
	tb.settle()
}

func TestGuide(t *testing.T) {
	tb := openRobots(t, paperQueue)
	tb.do(chromedp.Navigate(eval[string](tb, `document.querySelector(".top .guide").href`)))
	tb.wait(`document.querySelector("main h1")`)
	assert.Contains(t, eval[string](tb, `document.title`), "How many robots")
	assert.NotZero(t, eval[int](tb, `[...document.images].filter((image) => image.complete && image.naturalWidth > 0).length`))
	for _, l := range looks {
		tb.show(l)
		assert.LessOrEqual(t, eval[int64](tb, `document.documentElement.scrollWidth`), l.width)
		assert.Empty(t, serious(tb, axeCore(t)))
	}
}

// On a phone the cost and the best fixed number stand above the sliders.
func TestCostsAboveTheSlidersOnAPhone(t *testing.T) {
	tb := open(t, serve(t)+paperQueue, looks["phone"])
	tb.wait(drawnPicture)
	tb.settle()
	const top = `.getBoundingClientRect().top`
	assert.Less(t, eval[float64](tb, `document.getElementById("answers")`+top), eval[float64](tb, slider("lambda")+top))
	assert.Regexp(t, `Least cost.*Best fixed number`, eval[string](tb, `document.getElementById("answers").textContent`))
	assert.Equal(t, "mdpsolve robots solve --robots 16 --buffer 5 --lambda 1/10 --mu 1 --gamma 1.4", eval[string](tb, `document.querySelector(".command code").textContent`))
}
