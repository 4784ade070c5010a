package refresh

// What refresh estimate writes and prints.

import (
	"context"
	"reflect"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

// The rows of the list of estimates: what all have, and what is added without a prior, with
// one, and with change signals.
type (
	estimateRow struct {
		ID              []byte   `parquet:"id,string"`
		ChangeRate      float64  `parquet:"change_rate"`
		StandardError   float64  `parquet:"standard_error"`
		ConfidenceLower float64  `parquet:"confidence_lower"`
		ConfidenceUpper *float64 `parquet:"confidence_upper,optional"`
		Accesses        int64    `parquet:"accesses"`
		Changes         int64    `parquet:"changes"`
	}
	plainRow struct {
		estimateRow
		Smoothing   []byte  `parquet:"smoothing,string,dict"`
		MergedLower float64 `parquet:"merged_lower"`
		MergedUpper float64 `parquet:"merged_upper"`
	}
	priorRow struct {
		estimateRow
		Prior []byte `parquet:"prior,string,dict"`
	}
	signalRow struct {
		priorRow
		Recall    float64 `parquet:"recall"`
		FalseRate float64 `parquet:"false_rate"`
	}
	// rowInUnit is one whose unit is known.
	plainRowInUnit struct {
		plainRow
		Unit []byte `parquet:"unit,string,dict"`
	}
	priorRowInUnit struct {
		priorRow
		Unit []byte `parquet:"unit,string,dict"`
	}
	signalRowInUnit struct {
		signalRow
		Unit []byte `parquet:"unit,string,dict"`
	}
)

func (e *estimates) row(i int) estimateRow {
	known := &e.known[i]
	return estimateRow{
		ID:              e.ids.Bytes(i),
		ChangeRate:      known.rate,
		StandardError:   known.standardError,
		ConfidenceLower: known.lower,
		ConfidenceUpper: lists.Finite(&known.upper),
		Accesses:        known.accesses,
		Changes:         known.changes,
	}
}

func (e *estimates) plainRow(i int) plainRow {
	known := &e.known[i]
	return plainRow{e.row(i), []byte(known.smoothing.String()), known.mergedLower, known.mergedUpper}
}

func (e *estimates) priorRow(i int) priorRow {
	kind := priorAll
	if e.known[i].byHost {
		kind = priorHost
	}
	return priorRow{e.row(i), []byte(kind)}
}

func (e *estimates) signalRow(i int) signalRow {
	return signalRow{e.priorRow(i), e.overall.Recall, e.overall.FalseRate}
}

// write writes the list of estimates.
func (e *estimates) write(ctx context.Context, out lists.Out) error {
	switch n := len(e.known); {
	case e.prior == priorNone:
		return lists.WriteInUnit(ctx, out, e.unit, n, e.plainRow, func(r plainRow, unit []byte) plainRowInUnit { return plainRowInUnit{r, unit} })
	case e.signals > 0:
		return lists.WriteInUnit(ctx, out, e.unit, n, e.signalRow, func(r signalRow, unit []byte) signalRowInUnit { return signalRowInUnit{r, unit} })
	default:
		return lists.WriteInUnit(ctx, out, e.unit, n, e.priorRow, func(r priorRow, unit []byte) priorRowInUnit { return priorRowInUnit{r, unit} })
	}
}

// records are the rows, for formats in which a list is printed and not written.
func (e *estimates) records() []ui.Record {
	records := make([]ui.Record, len(e.known))
	for i := range records {
		switch {
		case e.prior == priorNone:
			records[i] = fields(nil, reflect.ValueOf(e.plainRow(i)))
		case e.signals > 0:
			records[i] = fields(nil, reflect.ValueOf(e.signalRow(i)))
		default:
			records[i] = fields(nil, reflect.ValueOf(e.priorRow(i)))
		}
		records[i] = append(records[i], ui.Field{Name: "unit", Value: lists.UnitValue(e.unit)})
	}
	return records
}

// fields appends the columns of a row to a record.
func fields(record ui.Record, row reflect.Value) ui.Record {
	for column, value := range row.Fields() {
		if column.Anonymous {
			record = fields(record, value)
			continue
		}
		name, _, _ := strings.Cut(column.Tag.Get("parquet"), ",")
		record = append(record, ui.Field{Name: name, Value: plain(value.Interface())})
	}
	return record
}

// plain returns what a column holds as a value of a record.
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
		{"signals", int(e.signals)},
		{"prior", e.prior},
	}
	if e.prior != priorNone {
		record = append(record, ui.Record{
			{"prior_shape", e.overall.Shape},
			{"prior_mean", e.overall.Mean()},
			{"hosts", e.hosts},
		}...)
	}
	if e.signals > 0 {
		record = append(record, ui.Record{{"recall", e.overall.Recall}, {"false_rate", e.overall.FalseRate}}...)
	}
	return record
}

func printEstimates(s *ui.Screen, e *estimates, out string) {
	s.Heading("Change rates of pages")
	s.Item("pages", "%d, in %s", e.pages, ui.Count(int(e.rows), "row"))
	if e.failed > 0 {
		s.Item("failed", "%s; what failed says nothing of the page", countOf(int(e.failed), "access", "accesses"))
	}
	if e.gone > 0 {
		s.Item("gone", "%s, left out", ui.Count(e.gone, "page"))
	}
	if e.prior == priorNone {
		s.Item("estimated", "%d, written to %s; %d of them smoothed: all accesses saw a change, or none", len(e.known), out, e.smoothed)
	} else {
		s.Item("estimated", "%d, written to %s; %d of them had no two accesses", len(e.known), out, len(e.known)-e.informed)
	}
	s.Item("rates", "changes %s", e.unit.Per())
	switch e.prior {
	case priorAll:
		s.Item("prior", "%s", priorText(e))
	case priorHost:
		s.Item("prior", "by host, of %d; that of all pages: %s", e.hosts, priorText(e))
	}
	if e.signals > 0 {
		s.Item("signals", "%d; they announce %s of the changes, and each page has %s false ones %s",
			e.signals, ui.PercentText(e.overall.Recall), ui.PlainText(e.overall.FalseRate), e.unit.Per())
	}
	s.Item("intervals", "hold with confidence %s", ui.PercentText(e.confidence))
	if e.unusable > 0 {
		s.Item("left out", "%s that could not be used", s.Styled(ui.Red, ui.Count(int(e.unusable), "row")))
	}
}

// priorText says what the prior of all pages is.
func priorText(e *estimates) string {
	return "gamma law, mean " + ui.PlainText(e.overall.Mean()) + ", shape " + ui.PlainText(e.overall.Shape)
}
