package report

// Reports on models from files.

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// mostDrawn is the greatest number of states of a model that the report contains.
const mostDrawn = 300

func (r *report) model() {
	path := r.CLI.Args().First()
	ofFile := r.without(func(f serve.Flag) bool { return f.Name != "kind" && f.Name != "normalize" })
	info := r.ask("info", ofFile, path)
	r.answers["info"] = info
	if number(fields(info)["states"]) <= mostDrawn {
		r.inFolder(func(folder string) {
			name := filepath.Join(folder, "model.json")
			r.ask("convert", ofFile, path, name)
			if text, err := os.ReadFile(name); err == nil { // else the model is not drawn
				r.answers["convert"] = json.RawMessage(text)
			}
		})
	}
	if answer := r.ask("solve", r.given, path); answer != nil {
		found := fields(answer)
		r.picture(path, fields(info), found)
		r.answers["solve"] = shortened(found)
	}
}

// picture draws the answer. A report may have none, as of an answer that is not known everywhere.
func (r *report) picture(path string, info, found map[string]json.RawMessage) {
	show := "value,distribution"
	switch hasChoices := number(info["choices"]) > number(info["states"]); {
	case number(info["intervals"]) > 0 && string(found["criterion"]) == `"finite"`:
		show = "policy,value"
	case hasChoices:
		show = "policy," + show
	}
	r.inFolder(func(folder string) {
		name := filepath.Join(folder, "picture.svg")
		flags := append(slices.Clone(r.given), serve.Flag{Name: "plot", Value: name}, serve.Flag{Name: "show", Value: show}, serve.Flag{Name: "output", Value: ui.FormatJSON})
		if _, err := serve.Ask(r.CLI.Context, r.run, "solve", flags, []string{path}, io.Discard); ui.IsUsage(err) {
			return
		}
		if text, err := os.ReadFile(name); err == nil {
			r.answers["picture"] = string(text)
		}
	})
}

// shortened returns a result without its proof, for the first states alone.
func shortened(result map[string]json.RawMessage) map[string]json.RawMessage {
	delete(result, "certificate")
	most := max(mostRows, int(number(result["initial"]))+1)
	for name, value := range result {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || len(list) <= most {
			continue
		}
		short, err := json.Marshal(list[:most])
		if err != nil {
			panic("report: " + err.Error()) // it was read from JSON
		}
		result[name] = short
	}
	return result
}
