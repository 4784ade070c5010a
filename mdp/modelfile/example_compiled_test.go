package modelfile_test

import (
	"context"
	"fmt"
	"os"

	"github.com/mdpsolve/mdpsolve/mdp"
	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// machine is the state of a machine: how worn it is, and whether it stands still.
type machine struct {
	wear    int
	stopped bool
}

// A problem over the types of a program, as a file for the command and for other tools: with
// names, a label, and a second reward.
func ExampleNames() {
	problem := mdp.Problem[machine, string]{
		Start: []machine{{}},
		Actions: func(dst []string, m machine) []string {
			if m.stopped {
				return append(dst, "repair")
			}
			return append(dst, "run", "repair")
		},
		Cost: func(m machine, action string) float64 {
			if action == "repair" {
				return 5
			}
			return float64(m.wear)
		},
		Next: func(dst []mdp.Outcome[machine], m machine, action string) []mdp.Outcome[machine] {
			if action == "repair" {
				return append(dst, mdp.Outcome[machine]{Probability: 1})
			}
			worse := machine{wear: 1, stopped: m.wear == 1}
			return append(dst, mdp.Outcome[machine]{State: m, Probability: 0.75}, mdp.Outcome[machine]{State: worse, Probability: 0.25})
		},
	}
	compiled, err := problem.Compile(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := modelfile.Of(compiled, modelfile.Names[machine, string]{
		Labels: map[string]func(machine) bool{"stopped": func(m machine) bool { return m.stopped }},
		Rewards: map[string]func(machine, string) float64{"repairs": func(_ machine, action string) float64 {
			if action == "repair" {
				return 1
			}
			return 0
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := modelfile.WriteJSON(os.Stdout, model); err != nil { // or WriteFile("machine.drn", model)
		fmt.Println(err)
	}
	// Output:
	// {"format": "mdpsolve-model/1",
	// "kind": "mdp",
	// "initial": [0],
	// "labels": {"stopped": [2]},
	// "reward_models": ["cost", "repairs"],
	// "state_variables": "(wear,stopped)",
	// "states": [
	// {"name": "(0,false)", "actions": [{"name": "run", "to": [[0, 0.75], [1, 0.25]]}, {"name": "repair", "rewards": [5, 1], "to": [[0, 1]]}]},
	// {"name": "(1,false)", "actions": [{"name": "run", "rewards": [1, 0], "to": [[1, 0.75], [2, 0.25]]}, {"name": "repair", "rewards": [5, 1], "to": [[0, 1]]}]},
	// {"name": "(1,true)", "actions": [{"name": "repair", "rewards": [5, 1], "to": [[0, 1]]}]}
	// ]}
}
