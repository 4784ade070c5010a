package pagefile

// This file writes lists of rates, estimates and hosts. The columns of each list are
// the fields of a struct: see writeSheet.

import (
	"context"
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// RateRows are the rows of a list of rates: page i is accessed Rates[i] times per
// unit of time and is fresh for the fraction Freshness[i] of it.
type RateRows struct {
	IDs       *IDs
	Rates     []float64
	Freshness []float64
}

// rateRow is a row of a list of rates.
type rateRow struct {
	ID        []byte  `parquet:"id,string"`
	Rate      float64 `parquet:"rate"`
	Interval  float64 `parquet:"interval,optional"`
	Freshness float64 `parquet:"freshness"`
}

// WriteRates writes a list of rates with the columns id, rate, interval and
// freshness, a row for each page in their order. The interval is 1/rate; a page
// of rate 0 has none: an empty field in CSV, null in JSON and Parquet. Numbers
// are written with as many digits as it takes to read the same float64 again.
// workers goroutines format rows; the file does not depend on their number.
//
// It panics if there is not one rate and one freshness for each name. Rates that are
// not finite numbers of 0 or more, and freshness that is not finite, are an error, and
// no file is left.
func WriteRates(ctx context.Context, target Target, rows RateRows, workers int) error {
	if len(rows.Rates) != rows.IDs.Len() || len(rows.Freshness) != rows.IDs.Len() {
		panic("pagefile: WriteRates needs a rate and a freshness for each page")
	}
	for i, rate := range rows.Rates {
		if !(rate >= 0 && rate <= math.MaxFloat64) {
			return fmt.Errorf("pagefile: page %d (%s) has the rate %v; expected %s", i, wording.Quote(rows.IDs.At(i)), rate, anyExpected)
		}
		if fresh := rows.Freshness[i]; !(math.Abs(fresh) <= math.MaxFloat64) {
			return fmt.Errorf("pagefile: page %d (%s) has the freshness %v; expected a finite number", i, wording.Quote(rows.IDs.At(i)), fresh)
		}
	}
	return writeSheet(ctx, target, rows.IDs.Len(), workers, func(i int) rateRow {
		row := rateRow{rows.IDs.Bytes(i), rows.Rates[i], 1 / rows.Rates[i], rows.Freshness[i]}
		if math.IsInf(row.Interval, 0) { // of 0 and −0, and of rates below 1/MaxFloat64
			row.Interval = 0
		}
		return row
	})
}

// EstimateRows are the rows of a list of estimates, one for each page, and the ends
// of its confidence interval, see [estimate.History.Interval].
type EstimateRows struct {
	IDs       *IDs
	Estimates []estimate.Estimate
	Intervals [][2]float64
}

// estimateRow is a row of a list of estimates.
type estimateRow struct {
	ID              []byte   `parquet:"id,string"`
	ChangeRate      float64  `parquet:"change_rate"`
	StandardError   float64  `parquet:"standard_error"`
	ConfidenceLower float64  `parquet:"confidence_lower"`
	ConfidenceUpper *float64 `parquet:"confidence_upper,optional"`
	Accesses        int64    `parquet:"accesses"`
	Changes         int64    `parquet:"changes"`
	Smoothing       []byte   `parquet:"smoothing,string,dict"`
	MergedLower     float64  `parquet:"merged_lower"`
	MergedUpper     float64  `parquet:"merged_upper"`
}

// WriteEstimates writes a list of estimates with the columns id, change_rate,
// standard_error, confidence_lower, confidence_upper, accesses, changes, smoothing,
// merged_lower and merged_upper (Lower and Upper of the estimate): a page list,
// which [ReadPages] reads. An interval without an upper end has an empty field in
// CSV, null in JSON and Parquet. The rest is as with [WriteRates]. It panics if
// there is not one estimate and one interval for each name.
func WriteEstimates(ctx context.Context, target Target, rows EstimateRows, workers int) error {
	if len(rows.Estimates) != rows.IDs.Len() || len(rows.Intervals) != rows.IDs.Len() {
		panic("pagefile: WriteEstimates needs an estimate and an interval for each page")
	}
	return writeSheet(ctx, target, rows.IDs.Len(), workers, func(i int) estimateRow {
		e, interval := &rows.Estimates[i], &rows.Intervals[i]
		return estimateRow{
			rows.IDs.Bytes(i), e.Rate, e.StandardError, interval[0], finite(&interval[1]),
			e.Accesses, e.Changes, []byte(e.Smoothing.String()), e.Lower, e.Upper,
		}
	})
}

// HostRows are the rows of a list of hosts: of host i the number of its pages, its
// cap (+Inf for none), the accesses per unit of time that its pages get together, and
// the multiplier: what one more access per unit of time would gain.
type HostRows struct {
	Names                   *IDs
	Pages                   []int
	Caps, Used, Multipliers []float64
}

// hostRow is a row of a list of hosts.
type hostRow struct {
	Host       []byte   `parquet:"host,string"`
	Pages      int64    `parquet:"pages"`
	Cap        *float64 `parquet:"cap,optional"`
	Used       float64  `parquet:"used"`
	Multiplier float64  `parquet:"multiplier"`
}

// WriteHosts writes a list of hosts with the columns host, pages, cap, used and
// multiplier; [ReadHostCaps] reads the caps. A host without a cap has an empty
// field in CSV, null in JSON and Parquet. The rest is as with [WriteRates]. It
// panics if one of the slices has another length than Names.
func WriteHosts(ctx context.Context, target Target, rows HostRows, workers int) error {
	n := rows.Names.Len()
	if len(rows.Pages) != n || len(rows.Caps) != n || len(rows.Used) != n || len(rows.Multipliers) != n {
		panic("pagefile: WriteHosts needs pages, cap, use and multiplier of each host")
	}
	return writeSheet(ctx, target, n, workers, func(i int) hostRow {
		return hostRow{rows.Names.Bytes(i), int64(rows.Pages[i]), finite(&rows.Caps[i]), rows.Used[i], rows.Multipliers[i]}
	})
}

// finite returns nil for +Inf, which stands for an absent number.
func finite(x *float64) *float64 {
	if math.IsInf(*x, 1) {
		return nil
	}
	return x
}
