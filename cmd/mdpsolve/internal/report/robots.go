package report

// Reports on robots switched on and off.

import (
	"slices"
	"strconv"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

func (r *report) robots() {
	answer := r.ask("robots solve", r.given)
	found := fields(answer)
	r.answers["robots"] = answer
	r.picture("robots solve", nil)
	if found["minimised"] != nil {
		return // within a limit γ is not given, and fixed numbers are not compared
	}
	const factor, steps, mostNumbers = 4, 16, 50 // multiples of γ/4, up to 4γ
	gamma, count := number(found["gamma"]), int(number(found["robots"]))
	if r.CLI.IsSet("class") {
		r.vary("gamma", gamma/factor, gamma*factor, steps)
		return
	}
	given := r.given
	r.given = r.with(serve.Flag{Name: "robots", Value: strconv.Itoa(count)}) // auto is solved once
	r.fixed()
	r.vary("gamma", gamma/factor, gamma*factor, steps)
	r.vary("robots", 1, float64(2*count), min(2*count, mostNumbers))
	r.given = given
}

// fixed asks for the best fixed number of robots, unless there are other costs.
func (r *report) fixed() {
	if slices.ContainsFunc([]string{"holding-cost", "robot-cost", "activation-cost"}, r.CLI.IsSet) {
		return
	}
	known := []string{"buffer", "lambda", "mu", "gamma", "service"}
	flags := r.without(func(f serve.Flag) bool { return !slices.Contains(known, f.Name) })
	if answer := r.ask("static", flags); answer != nil {
		r.answers["static"] = answer
	}
}

// vary asks for both costs as a parameter varies.
func (r *report) vary(over string, from, to float64, steps int) {
	others := r.without(func(f serve.Flag) bool { return f.Name == over })
	rows := r.ask("robots sweep", append(others,
		serve.Flag{Name: "over", Value: over}, serve.Flag{Name: "from", Value: ui.ExactText(from)},
		serve.Flag{Name: "to", Value: ui.ExactText(to)}, serve.Flag{Name: "steps", Value: strconv.Itoa(steps)}))
	if rows != nil {
		r.answers["robots/sweep?over="+over] = rows
	}
}
