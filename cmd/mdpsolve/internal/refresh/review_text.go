package refresh

// The answer of refresh review: for programs, in text, and as a picture.

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/figure"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// within returns half the width of the interval of a standard error.
func (r *dayReview) within(standardError float64) float64 {
	return math.Sqrt2 * math.Erfinv(r.confidence) * standardError
}

// outRow is a row of --out.
type outRow struct {
	Group       []byte   `parquet:"group,string,dict"`
	Name        []byte   `parquet:"name,string"`
	Pages       int64    `parquet:"pages"`
	Weight      float64  `parquet:"weight"`
	Accesses    int64    `parquet:"accesses"`
	Failed      int64    `parquet:"failed"`
	Told        int64    `parquet:"told"`
	Changed     int64    `parquet:"changed"`
	Foreseen    float64  `parquet:"foreseen"`
	Promised    float64  `parquet:"promised"`
	Most        float64  `parquet:"promised_upper"`
	Made        float64  `parquet:"made"`
	Expected    float64  `parquet:"expected"`
	Measured    float64  `parquet:"measured"`
	Lower       float64  `parquet:"lower"`
	Upper       float64  `parquet:"upper"`
	Seen        float64  `parquet:"seen"`
	Factor      float64  `parquet:"factor"`
	FactorLower *float64 `parquet:"factor_lower,optional"`
	FactorUpper *float64 `parquet:"factor_upper,optional"`
}

func (r *dayReview) row(i int) outRow {
	f := r.rows[i]
	half, spread := r.within(f.StandardError), math.Exp(r.within(f.FactorError))
	row := outRow{
		Group: []byte(f.group), Name: []byte(f.name), Pages: int64(f.Pages), Weight: f.Weight,
		Accesses: int64(f.Accesses), Failed: int64(f.Failed), Told: int64(f.Told), Changed: int64(f.Changed), Foreseen: f.Foreseen,
		Promised: f.Promised, Most: f.PromisedUpper, Made: f.Made, Expected: f.Expected, Measured: f.Measured,
		Lower: max(0, f.Measured-half), Upper: min(1, f.Measured+half), Seen: f.Seen, Factor: f.Factor,
	}
	if !math.IsInf(spread, 1) {
		lower, upper := f.Factor/spread, f.Factor*spread
		row.FactorLower, row.FactorUpper = &lower, &upper
	}
	return row
}

// write writes --out.
func (r *dayReview) write(ctx context.Context) error {
	return lists.WriteRows(ctx, r.out, len(r.rows), r.row)
}

// records are rows for programs.
func (r *dayReview) records(rows []reviewRow) []ui.Record {
	records := make([]ui.Record, 0, len(rows))
	for i := range rows {
		o := r.row(i)
		record := ui.Record{{"group", string(o.Group)}, {"name", string(o.Name)}}
		records = append(records, append(record, o.numbers()...))
	}
	return records
}

func (o *outRow) numbers() ui.Record {
	return ui.Record{
		{"pages", int(o.Pages)},
		{"weight", o.Weight},
		{"accesses", int(o.Accesses)},
		{"failed", int(o.Failed)},
		{"told", int(o.Told)},
		{"changed", int(o.Changed)},
		{"foreseen", o.Foreseen},
		{"promised", o.Promised},
		{"promised_upper", o.Most},
		{"made", o.Made},
		{"expected", o.Expected},
		{"measured", o.Measured},
		{"lower", o.Lower},
		{"upper", o.Upper},
		{"seen", o.Seen},
		{"factor", o.Factor},
		{"factor_lower", plain(o.FactorLower)},
		{"factor_upper", plain(o.FactorUpper)},
	}
}

// record is the answer as an object.
func (r *dayReview) record() ui.Record {
	all := r.row(0)
	answer := ui.Record{
		{"from", r.timeAt(r.day.From).Format(time.RFC3339Nano)},
		{"until", r.timeAt(r.day.Until).Format(time.RFC3339Nano)},
		{"unit", r.unit.String()},
		{"confidence", r.confidence},
		{"status", r.verdict()},
	}
	answer = append(answer, all.numbers()...)
	var bandwidths []ui.Record
	for _, b := range r.bandwidths {
		bandwidths = append(bandwidths, ui.Record{{"times", b.times}, {"bandwidth", b.bandwidth}, {"freshness", b.freshness}})
	}
	return append(answer, ui.Field{Name: "groups", Value: r.records(r.rows)[1:]}, ui.Field{Name: "bandwidths", Value: bandwidths})
}

// verdict says whether the promise meets the interval of what was measured.
func (r *dayReview) verdict() string {
	all := r.row(0)
	switch {
	case all.FactorLower == nil:
		return "unknown"
	case all.Promised > all.Upper:
		return "below"
	case all.Most < all.Lower:
		return "above"
	}
	return "as-promised"
}

// percent writes a share as a percentage. +Inf, the width of an interval about which nothing is
// known, is blank.
func percent(x float64) string {
	if math.IsInf(x, 1) {
		return ""
	}
	return fmt.Sprintf("%.2f%%", 100*x)
}

// print prints the answer as text.
func (r *dayReview) print(s *ui.Screen) {
	all := r.row(0)
	s.Heading("Freshness from %s to %s", r.timeAt(r.day.From).Format(time.RFC3339), r.timeAt(r.day.Until).Format(time.RFC3339))
	s.Printf("  %s   %s, %d failed; %d told whether their page had changed, %d had\n\n",
		wording.Count(int(all.Pages), "page"), wording.Count(int(all.Accesses), "access"), all.Failed, all.Told, all.Changed)
	promised := percent(all.Promised)
	if most := percent(all.Most); most != promised {
		promised += " to " + most
	}
	s.Item("promised", "%s of the pages, by weight, up to date on average", promised)
	s.Item("made", "%s with the accesses of the log, if as many fail as before", percent(all.Made))
	s.Item("expected", "%s with those that did not fail", percent(all.Expected))
	verdict := map[string]string{
		"below": "less than promised", "above": "more than promised", "as-promised": "the promise is within the interval",
	}[r.verdict()]
	if all.FactorLower == nil {
		s.Item("measured", "not known: no access tells whether a page with a change rate had changed (columns changed or digest)")
	} else {
		s.Item("measured", "%s, %s to %s (%s confidence): %s", s.Styled(ui.Bold, percent(all.Measured)), percent(all.Lower), percent(all.Upper),
			ui.PercentText(r.confidence), verdict)
	}
	s.Item("seen", "%s of the time; the rest is expected, with corrected rates", percent(all.Seen))
	if all.FactorLower != nil {
		s.Item("changes", "%d seen, %s foreseen: true rates are %s (%s to %s) times the given ones", all.Changed, ui.ShortText(all.Foreseen, 4),
			ui.ShortText(all.Factor, 3), ui.ShortText(*all.FactorLower, 3), ui.ShortText(*all.FactorUpper, 3))
	}
	s.Printf("\n")
	s.Records(r.shown("rate", "changes\n"+r.unit.Per(), math.MaxInt))
	if hosts := r.shown("host", "host", 10); len(hosts) > 0 {
		s.Printf("\n  Hosts that lose most\n\n")
		s.Records(hosts)
	}
	s.Printf("\n  What the best rates of another bandwidth would give\n\n")
	var rows []ui.Record
	for _, b := range r.bandwidths {
		rows = append(rows, ui.Record{
			{"times", ui.Shown("of that\nday", b.times)},
			{"bandwidth", ui.Shown("accesses\n"+r.unit.Per(), b.bandwidth, ui.Digits(6))},
			{"freshness", ui.Shown("freshness", b.freshness, percent)},
		})
	}
	s.Records(rows)
}

// shown returns the first rows of a group for people; of hosts, only those that lose. If the
// measured freshness of a row is clearly below the promised one, the last column has the cause, of
// three, that accounts for most of the loss.
func (r *dayReview) shown(group, heading string, most int) (records []ui.Record) {
	for i, row := range r.rows {
		if row.group != group || len(records) == most || group == "host" && row.loss() <= 0 {
			continue
		}
		o := r.row(i)
		const fewest = 10 // accesses that told, for a clear case
		cause := ""
		if o.Told >= fewest && o.Promised > o.Upper {
			late, failed, rates := o.Promised-o.Made, o.Made-o.Expected, o.Expected-o.Measured
			switch max(late, failed, rates) {
			case late:
				cause = "late accesses"
			case failed:
				cause = "failed accesses"
			default:
				cause = "change rates"
			}
		}
		records = append(records, ui.Record{
			{"name", ui.ShownLeft(heading, row.name)},
			{"pages", ui.Shown("pages", float64(o.Pages))},
			{"told", ui.Shown("told", float64(o.Told))},
			{"changed", ui.Shown("changed", float64(o.Changed))},
			{"foreseen", ui.Shown("foreseen", o.Foreseen, ui.Digits(3))},
			{"promised", ui.Shown("promised", o.Promised, percent)},
			{"made", ui.Shown("made", o.Made, percent)},
			{"expected", ui.Shown("expected", o.Expected, percent)},
			{"measured", ui.Shown("measured", o.Measured, percent)},
			{"within", ui.Shown("±", r.within(row.StandardError), percent)},
			{"cause", ui.ShownLeft("below, by", cause)},
		})
	}
	return records
}

// panels draws the calibration of the change rates, and the freshness of their classes.
func (r *dayReview) panels() []figure.Panel {
	given := wording.Count(r.all.Pages, "page") + ", " + r.timeAt(r.day.From).Format(time.RFC3339) + " to " + r.timeAt(r.day.Until).Format(time.RFC3339)
	calibration := figure.Panel{
		Title: "Accesses that saw a change", Given: given,
		X: figure.Axis{Label: "share foreseen", Zero: true}, Y: figure.Axis{Label: "share seen", Zero: true},
	}
	freshness := figure.Panel{
		Title: "Freshness of classes of change rates", Given: given,
		X: figure.Axis{Label: "class, by change rate", Whole: true}, Y: figure.Axis{Label: "share of time up to date", Zero: true},
	}
	seen := figure.Curve{Name: "classes of change rates", Kind: figure.Dots}
	promised, expected := figure.Curve{Name: "promised"}, figure.Curve{Name: "expected"}
	measured := figure.Curve{Name: "measured", Kind: figure.Dots}
	class := 0.
	for _, row := range r.rows {
		if row.group != "rate" {
			continue
		}
		class++
		if told := float64(row.Told); told > 0 {
			seen.Points = append(seen.Points, figure.XY{X: row.Foreseen / told, Y: float64(row.Changed) / told})
		}
		promised.Points = append(promised.Points, figure.XY{X: class, Y: row.Promised})
		expected.Points = append(expected.Points, figure.XY{X: class, Y: row.Expected})
		measured.Points = append(measured.Points, figure.XY{X: class, Y: row.Measured})
	}
	right := figure.Curve{Name: "right rates", Points: []figure.XY{{X: 0, Y: 0}, {X: 1, Y: 1}}}
	calibration.Curves = []figure.Curve{right, seen}
	freshness.Curves = []figure.Curve{promised, expected, measured}
	return []figure.Panel{calibration, freshness}
}
