package report

// Reports on the best access rates.

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/serve"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// mostRows is the greatest number of pages, or states, in a report.
const mostRows = 1000

// around are the bandwidths to compare with, as multiples of the one given.
var around = []float64{1. / 8, 1. / 4, 1. / 2, 0.70710678, 1, 1.41421356, 2, 4, 8}

func (r *report) refresh() {
	if r.CLI.String("input") == "-" {
		r.Fault("input", "- is not valid here, because the list is read several times: use a file")
	}
	r.inFolder(func(folder string) {
		rates := filepath.Join(folder, "rates.jsonl")
		answer := r.ask("refresh rates", r.with(serve.Flag{Name: "out", Value: rates}))
		r.answers["refresh/rates"] = answer
		found := fields(answer)
		rows, err := readRows(rates)
		r.Fail(err)
		u := unitOf(found["unit"])
		r.addGiven(rows, u)
		r.answers["rows"], r.answers["rows_total"] = rows, found["pages"]
		others := []json.RawMessage{}
		for _, times := range around {
			bandwidth := ui.ExactText(times * number(found["bandwidth"]))
			if u != unit.Unknown {
				bandwidth += "/" + u.String()
			}
			if answer := r.ask("refresh rates", r.with(serve.Flag{Name: "bandwidth", Value: bandwidth})); answer != nil {
				others = append(others, answer)
			}
		}
		r.answers["refresh/rates?around"] = others
	})
}

// readRows reads the first rows of a file of JSON lines.
func readRows(name string) ([]map[string]any, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	lines := json.NewDecoder(bufio.NewReader(file))
	rows := []map[string]any{}
	for len(rows) < mostRows && lines.More() {
		var row map[string]any
		if err := lines.Decode(&row); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// unitOf returns the unit of an answer; Unknown if it has none.
func unitOf(field json.RawMessage) unit.Unit {
	var name string
	_ = json.Unmarshal(field, &name) // null stays ""
	u, _ := unit.Parse(name)         // Unknown comes with the error
	return u
}

// addGiven adds change rates and weights from the list of pages to the rows, which are in
// the same order.
func (r *report) addGiven(rows []map[string]any, u unit.Unit) {
	pages, _, err := pagefile.ReadPages(r.CLI.Context, pagefile.Source{Name: r.CLI.String("input")}, pagefile.Options{Unit: u})
	if err != nil {
		return // it was read before: a report may have rates alone
	}
	for i, row := range rows {
		if i < pages.Len() && row["id"] == pages.IDs.At(i) {
			row["change_rate"], row["weight"] = pages.ChangeRates[i], pages.Weight(i)
		}
	}
}
