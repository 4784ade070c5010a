package report

// Reports on models from files.

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
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
		r.picture("solve", []string{path}, serve.Flag{Name: "show", Value: shown(fields(info), found)})
		r.answers["solve"] = shortened(found)
	}
}

// shown says what the picture of an answer shows.
func shown(info, found map[string]json.RawMessage) string {
	show := "value,distribution"
	switch hasChoices := number(info["choices"]) > number(info["states"]); {
	case number(info["intervals"]) > 0 && string(found["criterion"]) == `"finite"`:
		return "policy,value"
	case hasChoices:
		return "policy," + show
	}
	return show
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
