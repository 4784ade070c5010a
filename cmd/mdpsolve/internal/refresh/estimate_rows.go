package refresh

// The output of refresh estimate.

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// estimateRow is a row of the list of estimates, with all columns that it can have.
type estimateRow struct {
	ID              []byte   `parquet:"id,string"`
	ChangeRate      float64  `parquet:"change_rate"`
	StandardError   float64  `parquet:"standard_error"`
	ConfidenceLower float64  `parquet:"confidence_lower"`
	ConfidenceUpper *float64 `parquet:"confidence_upper,optional"`
	Accesses        int64    `parquet:"accesses"`
	Changes         int64    `parquet:"changes"`

	// Without a prior.
	Smoothing []byte `parquet:"smoothing,string,dict"`

	// With one.
	Prior []byte `parquet:"prior,string,dict"`

	Unit []byte `parquet:"unit,string,dict"`
}

// without returns the columns that the list does not have.
func (e *estimates) without() []string {
	if e.prior == priorNone {
		return []string{"prior"}
	}
	return []string{"smoothing"}
}

func (e *estimates) row(i int) estimateRow {
	known, kind := &e.known[i], priorAll
	if known.ByHost {
		kind = priorHost
	}
	return estimateRow{
		ID:              e.ids.Bytes(i),
		ChangeRate:      known.Rate,
		StandardError:   known.StandardError,
		ConfidenceLower: known.Lower,
		ConfidenceUpper: lists.Finite(&known.Upper),
		Accesses:        known.Accesses,
		Changes:         known.Changes,
		Smoothing:       []byte(known.Smoothing.String()),
		Prior:           []byte(kind),
		Unit:            []byte(e.unit.String()),
	}
}

// write writes the list of estimates.
func (e *estimates) write(ctx context.Context, out lists.Out) error {
	return lists.WriteInUnit(ctx, out, e.unit, len(e.known), e.row, e.without()...)
}

// records are the rows, for formats that are printed as an answer.
func (e *estimates) records() []ui.Record {
	records, without := make([]ui.Record, len(e.known)), append(e.without(), "unit")
	for i := range records {
		for column, value := range reflect.ValueOf(e.row(i)).Fields() {
			name, _, _ := strings.Cut(column.Tag.Get("parquet"), ",")
			if !slices.Contains(without, name) {
				records[i] = append(records[i], ui.Field{Name: name, Value: plain(value.Interface())})
			}
		}
		records[i] = append(records[i], ui.Field{Name: "unit", Value: lists.UnitValue(e.unit)})
	}
	return records
}

// plain returns the content of a column as a value of a record.
func plain(cell any) any {
	switch cell := cell.(type) {
	case []byte:
		return string(cell)
	case int64:
		return int(cell)
	case *float64:
		if cell == nil {
			return nil
		}
		return *cell
	}
	return cell
}

func (e *estimates) summary() ui.Record {
	record := ui.Record{
		{"pages", e.pages},
		{"estimated", len(e.known)},
		{"smoothed", e.smoothed},
		{"confidence", e.confidence},
		{"unit", lists.UnitValue(e.unit)},
		{"accesses", int(e.rows)},
		{"unusable", int(e.unusable)},
		{"failed", int(e.failed)},
		{"gone", e.gone},
		{"prior", e.prior},
	}
	if e.prior != priorNone {
		record = append(record, ui.Record{
			{"prior_shape", e.priors.Overall.Shape},
			{"prior_mean", e.priors.Overall.Mean()},
			{"prior_tail", e.priors.Overall.Tail},
			{"hosts", e.hosts},
		}...)
	}
	return record
}

func printEstimates(s *ui.Screen, e *estimates, out string) {
	s.Heading("Change rates of pages")
	s.Item("pages", "%d, in %s", e.pages, wording.Count(int(e.rows), "row"))
	if e.failed > 0 {
		s.Item("failed", "%s, ignored", wording.Count(int(e.failed), "access"))
	}
	if e.gone > 0 {
		s.Item("gone", "%s, left out", wording.Count(e.gone, "page"))
	}
	if e.prior == priorNone {
		s.Item("estimated", "%d, written to %s; %d smoothed, because every access saw a change or none did", len(e.known), out, e.smoothed)
	} else {
		s.Item("estimated", "%d, written to %s; %d with fewer than two accesses", len(e.known), out, len(e.known)-e.informed)
	}
	s.Item("rates", "changes %s", e.unit.Per())
	switch e.prior {
	case priorAll:
		s.Item("prior", "%s", priorText(e))
	case priorHost:
		s.Item("prior", "one for each of %d hosts; that of all pages: %s", e.hosts, priorText(e))
	}
	s.Item("intervals", "%s confidence", ui.PercentText(e.confidence))
	if e.unusable > 0 {
		s.Item("left out", "%s that could not be used", s.Styled(ui.Red, wording.Count(int(e.unusable), "row")))
	}
}

// priorText describes the prior of all pages.
func priorText(e *estimates) string {
	p := e.priors.Overall
	text := "mean " + ui.PlainText(p.Mean()) + ", shape " + ui.PlainText(p.Shape)
	if p.Tail > 0 {
		return "law with a heavy tail, " + text + ", tail " + ui.PlainText(p.Tail)
	}
	return "gamma law, " + text
}
