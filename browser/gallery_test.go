package browser

// Ten models of all kinds, as the command and the page show them, on sheets for people to look at:
//
//	go test -run Gallery -pictures FOLDER .

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// gallery are the models, with what is asked about each.
var gallery = []struct {
	name  string
	model map[string]any // nil for the file
	file  string
	flags string
}{
	{name: "one-variable", model: machines(true, plain, 12), flags: "--criterion average"},
	{name: "two-variables", model: machines(true, plain, 9, 7), flags: "--criterion discounted --discount 0.95"},
	{name: "three-variables", model: machines(true, plain, 6, 5, 3), flags: "--criterion average"},
	{name: "no-names", model: machines(false, plain, 30), flags: "--criterion average"},
	{name: "many-states", model: machines(false, plain, 100_000), flags: "--criterion discounted --discount 0.9"},
	{name: "multichain", file: models + "islands.drn", flags: "--criterion average --reward fish --maximize"},
	{name: "finite-horizon", model: machines(true, plain, 6, 4), flags: "--criterion finite --horizon 6"},
	{name: "constrained", model: machines(true, plain, 6, 5), flags: "--criterion average --constraint repairs<=0.1"},
	{name: "uncertain", model: machines(true, intervals, 8, 5), flags: "--criterion discounted --discount 0.9 --uncertainty worst"},
	{name: "one-state", model: machines(false, plain, 1), flags: "--criterion average"},
}

// plain and intervals are the probabilities of wear: known, or within limits.
var plain, intervals = []any{"2/5", "3/5"}, []any{[]any{"1/5", "3/5"}, []any{"2/5", "4/5"}}

// machines is a model of machines that wear, each up to a level. Each step costs their wear; to repair the
// first worn one costs 5.
func machines(isNamed bool, wear []any, levels ...int) map[string]any {
	count, strides := 1, make([]int, len(levels))
	for i, n := range levels {
		strides[i] = count
		count *= n
	}
	var states []any
	for s := range count {
		sum, worn, wearing := 0, -1, 0
		name := make([]string, len(levels))
		for i, n := range levels {
			level := s / strides[i] % n
			name[i] = fmt.Sprint(level)
			sum += level
			if level > 0 && worn < 0 {
				worn = s - level*strides[i]
			}
			if level < n-1 {
				wearing = strides[i] // the last that can
			}
		}
		run := map[string]any{"name": "run", "rewards": []any{sum, 0}, "to": []any{[]any{s, 1}}}
		if wearing > 0 {
			run["to"] = []any{[]any{s + wearing, wear[0]}, []any{s, wear[1]}}
		}
		actions := []any{run}
		if worn >= 0 {
			actions = append(actions, map[string]any{"name": "repair", "rewards": []any{sum + 5, 1}, "to": []any{[]any{worn, 1}}})
		}
		state := map[string]any{"actions": actions}
		if isNamed {
			state["name"] = "(" + strings.Join(name, ",") + ")"
		}
		states = append(states, state)
	}
	m := map[string]any{"format": "mdpsolve-model/1", "kind": "mdp", "numbers": "rational", "reward_models": []string{"cost", "repairs"}, "states": states}
	if isNamed {
		m["state_variables"] = "(" + strings.Join([]string{"pump", "belt", "saw"}[:len(levels)], ",") + ")"
	}
	return m
}

func TestGallery(t *testing.T) {
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	address := serve(t)
	sheet := func(name, style string, files []string) {
		text := "<!doctype html><style>body{" + style + "}img{background:white;margin:4px;vertical-align:top;border:1px solid}</style>"
		for _, f := range files {
			text += fmt.Sprintf("<img src=%q title=%q>", filepath.Base(f), filepath.Base(f))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, "sheet-"+name+".html"), []byte(text), 0o644))
	}
	drawings, pages := []string(nil), map[string][]string{}
	for _, g := range gallery {
		t.Run(g.name, func(t *testing.T) {
			file := g.file
			if g.model != nil {
				text, err := json.Marshal(g.model)
				require.NoError(t, err)
				file = filepath.Join(folder, g.name+".json")
				require.NoError(t, os.WriteFile(file, text, 0o644))
			}
			flags := strings.Fields(g.flags)
			if g.model != nil {
				flags = append(flags, "--reward", "cost", "--minimize")
			}
			show := "policy,value,distribution"
			if strings.Contains(g.flags, "--constraint") {
				show = "policy"
			} else if strings.HasSuffix(g.name, "state") {
				show = "value,distribution" // there is nothing to decide
			}
			for kind, more := range map[string][]string{"": {"--show", show}, "-column": {"--show", show, "--size", "column"}, "-bounds": {"--show", "bounds"}} {
				if kind == "-bounds" && show == "policy" {
					continue // the search for the mixture draws no bounds
				}
				picture := filepath.Join(folder, g.name+kind+".svg")
				output(t, append(append([]string{"solve", file, "--plot", picture}, flags...), more...)...)
				drawings = append(drawings, picture)
			}
			for name, l := range looks {
				if *pictures == "" && (name == "light" || name == "phone-dark") {
					continue // two looks have both sizes and both colours
				}
				tb := open(t, address+"/#model", l)
				tb.wait(`document.querySelector(".drop")`)
				tb.drop(file)
				tb.wait(solved)
				tb.settle()
				if strings.HasPrefix(g.name, "finite") {
					tb.choose("Criterion", "finite")
					tb.settle()
				}
				tb.wait(`document.querySelector(".drawn img")?.naturalWidth > 0`)
				require.LessOrEqual(t, eval[int64](tb, `document.documentElement.scrollWidth`), l.width, "the page is wider than the window")
				if axe, err := os.ReadFile(axePath); err == nil {
					require.Empty(t, serious(tb, string(axe)))
				}
				if *pictures != "" {
					tb.picture("page-" + g.name + "-" + name)
					pages[name] = append(pages[name], filepath.Join(folder, "page-"+g.name+"-"+name+".png"))
				}
			}
		})
	}
	if *pictures == "" {
		return
	}
	sheets := map[string]string{"light": "", "grey": "filter:grayscale(1)"}
	for name, style := range sheets {
		sheet("drawings-"+name, style+";zoom:.6", drawings)
	}
	for name, files := range pages {
		sheet("pages-"+name, "zoom:.4", files)
		sheet("pages-"+name+"-grey", "zoom:.4;filter:grayscale(1)", files)
	}
	for _, file := range globbed(t, folder, "sheet-*.html") {
		tb := blank(t, look{2400, 1600, "light"})
		tb.do(chromedp.Navigate("file://" + file))
		tb.wait(`[...document.images].every((image) => image.complete)`)
		tb.picture(strings.TrimSuffix(filepath.Base(file), ".html"))
	}
}

func globbed(t *testing.T, folder, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	require.NoError(t, err)
	return files
}
