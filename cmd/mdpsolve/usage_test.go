package main

// Bad usage of the verbs on robots, and of flags in general.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

func TestBadUsage(t *testing.T) {
	const (
		rates  = " --lambda 0.1 --mu 1 --gamma 1.4"
		static = "static --buffer 5" + rates
		sweep  = "static sweep --lambda 0.1 --mu 1 --buffer 5"
		solve  = "robots solve --robots 16 --buffer 5" + rates
		fleet  = "robots solve --buffer 5 --mu 1 --gamma 1.4"
		front  = "robots frontier --robots 16 --buffer 5 --lambda 0.1 --mu 1"
		sim    = "robots simulate --robots 16 --buffer 5" + rates
		table  = "robots table --lambda 0.1 --buffer 5 --gamma 1.4"
	)
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad")
	assert.NoError(t, os.WriteFile(bad, []byte("1 2\n3 x\n"), 0o600))
	for _, test := range []struct {
		line string
		want []string // in the message
	}{
		{"frobnicate", []string{`"frobnicate"`, `"mdpsolve help"`}},
		{"--frobnicate", []string{"--frobnicate", "verb", `"mdpsolve help"`}},
		{"robots", []string{"robots:", "solve, ", `"mdpsolve help robots"`}},
		{"robots frobnicate", []string{`"frobnicate"`, `"mdpsolve help robots"`}},
		{static + " extra", []string{`"extra"`, `"mdpsolve help static"`}},
		{solve + " extra", []string{"robots solve:", `"extra"`}},
		{"static --lambda 1 sweep --over gamma", []string{"--lambda", `"sweep"`}},
		{static + " --frobnicate 1", []string{"--frobnicate", `"mdpsolve help static"`}},
		{"static --lambda --mu 1", []string{"--lambda", "no value"}},
		{static + " --plot a.svg --plot=b.svg", []string{"--plot", "unknown"}},
		{sweep + " --plot a.svg --plot=b.svg", []string{"--plot", "given twice", "once"}},
		{static + " -o json --output csv", []string{"--output", "given twice", "once"}},
		{"robots reproduce --strict --strict=true", []string{"--strict", "given twice"}},

		{"help robot", []string{`"robot"`, "did you mean robots?"}},
		{"man robots slove", []string{`"slove"`, "did you mean robots solve?"}},
		{"robot", []string{`"robot"`, "did you mean robots?"}},
		{"slove", []string{`"slove"`, "did you mean solve?"}},
		{"robots slove", []string{`"slove"`, "did you mean robots solve?"}},
		{"table", []string{`"table"`, "did you mean robots table?"}},
		{"static swep", []string{`"swep"`, "did you mean static sweep?"}},
		{"help static sweep on", []string{`"on"`, "static sweep has none"}},
		{"static --lamda 1", []string{"--lamda", "did you mean --lambda?"}},
		{"robots solve --tol 1", []string{"--tol:", "did you mean --tolerance?"}},
		{"robots solve --iterations 1", []string{"--iterations", "did you mean --max-iterations?"}},
		{"robots solve --hlep", []string{"--hlep", "did you mean --help?"}},
		{"--verson", []string{"--verson", "did you mean --version?"}},
		{"completion", []string{"SHELL", "bash|zsh|fish"}},
		{"completion tcsh", []string{`"tcsh"`, "bash, zsh or fish"}},
		{static + " --lambda", []string{"--lambda", "no value"}},
		{static + " ---x", []string{"---x"}},
		{"static", []string{"--lambda", "missing", "above 0"}},
		{"static --lambda 1 --mu 1 --gamma 1", []string{"--buffer", "missing", "2 or more"}},
		{"robots solve --lambda 1 --mu 1 --gamma 1 --buffer 5", []string{"--robots", "missing", "auto"}},
		{"robots table --lambda 1 --buffer 5", []string{"--gamma", "missing"}},
		{"static sweep --mu 1", []string{"--over", "missing", "ratio"}},

		{static + " --lambda x", []string{"--lambda", `"x"`, "17/15"}},
		{static + " --lambda NaN", []string{"--lambda", `"NaN"`, "above 0"}},
		{static + " --lambda Inf", []string{"--lambda", `"Inf"`, "above 0"}},
		{static + " --lambda 1e400", []string{"--lambda", `"1e400"`}},
		{static + " --lambda 1/0", []string{"--lambda", `"1/0"`}},
		{static + " --lambda -1", []string{"--lambda", "-1", "above 0"}},
		{static + " --mu 0", []string{"--mu", "0 is not valid", "above 0"}},
		{static + " --gamma -1/2", []string{"--gamma", "-1/2", "above 0"}},
		{static + " --buffer 1", []string{"--buffer", "1 is not valid", "2 or more"}},
		{static + " --buffer 2.5", []string{"--buffer", "2.5", "whole"}},
		{static + " --buffer 1e10", []string{"--buffer", "1000000000"}},
		{static + " --robots 1e18", []string{"--robots", "1e18 is not valid", "up to 9007199254740992"}},
		{static + " --robots 0", []string{"--robots", "0 is not valid", "1 or more"}},
		{static + " --cost none", []string{"--cost", `"none"`, "loss-rate or loss-probability"}},
		{static + " --output xml", []string{"--output", `"xml"`, "text, json, csv, markdown or latex"}},
		{static + " -o xml", []string{"--output", `"xml"`}},
		{static + " --service zipf:2", []string{"--service", `"zipf:2"`, "erlang:k"}},
		{static + " --service erlang:0", []string{"--service", `"erlang:0"`, "from 1"}},
		{static + " --service sample:" + bad + ".not", []string{bad + ".not: no such file"}},
		{static + " --service sample:" + bad, []string{"--service", bad + ":2:3", `"x"`}},
		{static + " --service sample:" + folder, []string{folder + ": this is a folder"}},

		{sweep + " --over mu --from 1 --to 2", []string{"--over", `"mu"`, "gamma, buffer or ratio"}},
		{sweep + " --over gamma --from 0 --to 2", []string{"--from", "0 is not valid", "above 0"}},
		{sweep + " --over gamma --from 3 --to 2", []string{"--to", "2 is not valid", "--from"}},
		{sweep + " --over gamma --from 1 --to 2 --steps 1", []string{"--steps", "1 is not valid", "2 or more"}},
		{sweep + " --over gamma --from 1 --to 2 --steps 0", []string{"--steps", "0 is not valid"}},
		{sweep + " --over buffer --from 2.5 --to 4 --gamma 1", []string{"--from", "2.5", "whole"}},
		{sweep + " --over gamma --from 1 --to 2 --plot " + folder + "/no/a.svg", []string{"--plot", "no/a.svg"}},

		{solve + " --robots 0", []string{"--robots", "0 is not valid", "1 or more, or auto"}},
		{solve + " --robots many", []string{"--robots", `"many"`, "1 or more, or auto"}},
		{solve + " --robots 1e9 --buffer 1e9", []string{"--robots", "1000000000", "--buffer", "smaller"}},
		{solve + " --robots auto --lambda 1e-300", []string{"--robots", "auto"}},
		{solve + " --lambda 1e308 --mu 1e308", []string{"--lambda", "1e+308", "finite"}},
		{solve + " --buffer 1", []string{"--buffer", "1 is not valid", "2 or more"}},
		{solve + " --lambda nan", []string{"--lambda", `"nan"`}},
		{solve + " --gamma 0", []string{"--gamma", "0 is not valid", "above 0"}},
		{solve + " --method magic", []string{"--method", `"magic"`, "auto, paper, rvi or policy-iteration"}},
		{solve + " --robots 50000 --buffer 50000 --method policy-iteration", []string{"--robots", "--buffer"}},
		{solve + " --tolerance 0", []string{"--tolerance", "0 is not valid", "above 0"}},
		{solve + " --tolerance 1", []string{"--tolerance", "1 is not valid", "below 1"}},
		{solve + " --workers 0", []string{"--workers", "0 is not valid", "from 1 to 4096"}},
		{solve + " --workers 4097", []string{"--workers", "4097 is not valid", "from 1 to 4096"}},
		{solve + " --max-iterations 0", []string{"--max-iterations", "0 is not valid", "1 or more"}},
		{solve + " --time-limit -1", []string{"--time-limit", "-1", "seconds"}},
		{solve + " --plot curves.gif", []string{"--plot", `"curves.gif"`, ".svg, .png or .pdf"}},
		{solve + " --size 8x6", []string{"--size", "--plot FILE"}},
		{solve + " --plot a.svg --size wide", []string{"--size", `"wide"`, "16x8 or 160x80mm"}},
		{solve + " --plot a.svg --size -8x6", []string{"--size", `"-8x6"`, "16x8"}},
		{solve + " --plot a.svg --size 8x6", []string{"--size", "8x6", "at least 6x12", "3 panels"}},
		{solve + " --plot a.svg --dpi 300", []string{"--dpi", "--plot FILE.png"}},
		{solve + " --plot a.png --dpi 3000", []string{"--dpi", "3000", "from 30 to 2400"}},
		{solve + " --plot a.png --dpi 2400 --size 100x100", []string{"--dpi", "2400", "pixels"}},
		{solve + " --plot " + folder + "/no/a.png", []string{"--plot", "no/a.png", "written"}},

		{solve + " --class 3@0.1", []string{"--robots", "--class", "one of the two"}},
		{fleet + " --lambda 1 --class 3@0.1", []string{"--lambda", "--class", "one of the two"}},
		{fleet + " --class 3", []string{"--class", `"3"`, "N@λ"}},
		{fleet + " --class 3@0.1,0@2", []string{"--class", "0 is not valid", "N@λ"}},
		{fleet + " --class 3@0.1 --class 4@x", []string{"--class", `"x"`, "N@λ"}},
		{fleet + " --class 3@-1", []string{"--class", "-1 is not valid"}},
		{fleet + strings.Repeat(" --class 1@1", 9), []string{"--class", "9 classes", "at most 8"}},
		{fleet + " --class 1e9@1 --class 1e9@2", []string{"--class", "--buffer 5", "smaller"}},
		{fleet + " --class 3e9@1", []string{"--class", "3000000000", "2147483647"}},
		{fleet + " --class 2@1e308 --class 1@1e308", []string{"--class", "finite"}},
		{fleet + " --class 2@1 --class 1@2 --plot a.svg", []string{"--plot", "more variables than a picture"}},
		{solve + " --service gamma:2", []string{"--service", "phase-type"}},
		{solve + " --service zipf:2", []string{"--service", `"zipf:2"`}},
		{solve + " --service erlang:2 --method paper", []string{"--method", "paper", "auto, rvi or policy-iteration"}},
		{solve + " --service erlang:1000 --robots 1e5", []string{"--robots", "100000", "smaller"}},
		{solve + " --holding-cost -1", []string{"--holding-cost", "-1 is not valid", "0 or more"}},
		{solve + " --robot-cost x", []string{"--robot-cost", `"x"`, "0 or more"}},
		{solve + " --activation-cost inf", []string{"--activation-cost", `"inf"`, "0 or more"}},
		{solve + " --gamma 1e308", []string{"--gamma", "1e+308", "smaller", "float64"}},
		{solve + " --gamma 1e308 --robots auto", []string{"--gamma", "1e+308", "smaller"}},
		{solve + " --gamma 1e308 --method paper", []string{"--gamma", "1e+308", "smaller"}},
		{solve + " --mu 1e200 --activation-cost 1e200", []string{"--activation-cost", "1e+200", "smaller"}},
		{solve + " --mu 1:1e200 --activation-cost 1e200", []string{"--activation-cost", "1e+200", "smaller"}},
		{solve + " --lambda 0.1:0.2 --robot-cost 1e308", []string{"--robot-cost", "1e+308", "smaller"}},
		{solve + " --lambda 0.1:0.2 --holding-cost 1e308", []string{"--holding-cost", "1e+308", "smaller"}},
		{solve + " --policy-out policy.txt", []string{"--policy-out", `"policy.txt"`, ".json"}},
		{solve + " --policy-out " + folder + "/no/a.json", []string{"--policy-out", "no/a.json", "written"}},

		{front, []string{"--from", "missing"}},
		{front + " --from 1", []string{"--to", "missing"}},
		{front + " --from 2 --to 1", []string{"--to", "1 is not valid", "--from"}},
		{front + " --from 1 --to 2 --points 1", []string{"--steps", "1 is not valid", "2 or more"}},
		{front + " --from 1 --to 2 --robots auto", []string{"--robots", "auto", "whole"}},
		{front + " --from 1 --to 2 --method paper", []string{"--method", `"paper"`, "auto, rvi or policy-iteration"}},
		{front + " --from 1 --to 1e308", []string{"--to", "1e+308", "smaller", "float64"}},
		{front + " --from 1 --to 2 --gamma 1", []string{"--gamma", "unknown"}},

		{sim + " --gamma 1e308 --policy adaptive", []string{"--gamma", "1e+308", "smaller"}},
		{sim + " --policy static:0", []string{"--policy", "0 is not valid", "static:N"}},
		{sim + " --policy static:17", []string{"--policy", "static:17", "--robots 16"}},
		{sim + " --policy " + bad, []string{bad + ":1:3: "}},
		{sim + " --policy " + bad + ".not", []string{"--policy", bad + ".not", "optimal, adaptive, static:N or a file"}},
		{sim + " --service zipf:2", []string{"--service", `"zipf:2"`}},
		{sim + " --times " + bad, []string{"--times", bad + ":2:3", `"x"`}},
		{sim + " --times " + bad + ".not", []string{"--times", bad + ".not"}},
		{sim + " --times " + bad + " --service deterministic", []string{"--service", "--times"}},
		{sim + " --horizon 0", []string{"--horizon", "0 is not valid", "above 0"}},
		{sim + " --replications 0", []string{"--replications", "0 is not valid", "1 or more"}},
		{sim + " --seed -1", []string{"--seed", "-1 is not valid", "whole"}},
		{sim + " --confidence 1", []string{"--confidence", "1 is not valid", "below 1"}},

		{table + " --lambda 0.1,", []string{"--lambda", `""`, "above 0"}},
		{table + " --lambda 0.1,x", []string{"--lambda", `"x"`, "above 0"}},
		{table + " --buffer 5,1", []string{"--buffer", "1 is not valid", "2 or more"}},
		{table + " --buffer 5:6:0.5", []string{"--buffer", "5.5 is not valid", "2 or more"}},
		{table + " --gamma 1:2", []string{"--gamma", `"1:2"`, "A:B:STEP"}},
		{table + " --gamma 1:2:-1", []string{"--gamma", `"1:2:-1"`, "other sign"}},
		{table + " --gamma 1:2:0.3", []string{"--gamma", `"1:2:0.3"`, "1.9 or 2.2"}},
		{table + " --gamma 1:2e6:1", []string{"--gamma", `"1:2e6:1"`, "1000000"}},
		{table + " --gamma 1:1e4:1 --buffer 2:1000:1", []string{"--gamma", "9990000 rows", "1000000"}},
		{"robots sweep --over delta --from 1 --to 2", []string{"--over", `"delta"`, "gamma, lambda, mu, buffer, robots, max-loss or max-starvation"}},
		{"robots sweep --over buffer --from 1 --to 9" + rates + " --robots 3", []string{"--from", "a whole number from 2 to"}},
		{"robots sweep --over mu --from 2 --to 1 --robots 3 --buffer 4 --lambda 1 --gamma 1", []string{"--to", "not below --from"}},
		{"robots sweep --over robots --from 1 --to 9 --class 3@1 --buffer 4 --mu 1 --gamma 1", []string{"--over", "--class", "gamma, mu or buffer"}},
		{"robots sweep --over robots --from 1 --to 1e15 --steps 2 --buffer 4" + rates, []string{"--robots", "use "}},
		{table + " --robots some", []string{"--robots", `"some"`, "static, auto or a whole number"}},
		{table + " --mu 0", []string{"--mu", "0 is not valid", "above 0"}},

		{"robots reproduce --table 3", []string{"--table", "3 is not valid", "1 or 2"}},
		{"robots reproduce --figure 1,6", []string{"--figure", "1 is not valid", "2, 3, 4, 5, 6, 7 or 8"}},
		{"robots reproduce --figure 5,6 -o csv", []string{"--figure", "5,6", "csv", "alone"}},
		{"robots reproduce --table 2 --plot a.svg", []string{"--plot", "--figure"}},
		{"robots reproduce --strict=perhaps", []string{"--strict", `"perhaps"`, "true or false"}},
	} {
		status, stdout, stderr := execute(t, replaced(test.line))
		assert.Equal(t, ui.ExitUsage, status, test.line)
		assert.Empty(t, stdout, test.line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), "%s: %s", test.line, stderr)
		assert.True(t, strings.HasPrefix(stderr, "mdpsolve: "), stderr)
		for _, want := range test.want {
			assert.Contains(t, stderr, want, test.line)
		}
	}
}

func TestPanicsAreNoBadUsage(t *testing.T) {
	var diagnostics strings.Builder
	status := app.Run(t.Context(), []string{"mdpsolve", "static", "--help"}, panicking{}, &diagnostics)
	assert.Equal(t, ui.ExitFailure, status)
	assert.Contains(t, diagnostics.String(), "out of ink")
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("out of ink") }
