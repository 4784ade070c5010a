package main

// The flags of the verb rates.

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// ratesFlags are the flags as they are given.
type ratesFlags struct {
	input, out, format, bandwidth, unit, objective, accessTime, accessMean, output string
	strict                                                                         bool
	allowed                                                                        float64
}

func readRatesFlags(flags *flag.FlagSet) *ratesFlags {
	f := &ratesFlags{}
	flags.StringVar(&f.input, "input", "", "read pages from the files that match `GLOB`, a path or a URL; ids are compared only within a file")
	flags.StringVar(&f.out, "out", "", "write the rates to PREFIX-00000-of-00007.csv and so on, one file for each of --input; `PREFIX` is a path or a URL")
	flags.StringVar(&f.format, "format", "csv", "write files in `FORMAT`: csv, jsonl or parquet, or one of these with .gz or .zst, as in csv.gz")
	flags.StringVar(&f.bandwidth, "bandwidth", "", "make `R` accesses per unit of time, as in 12 or 20000/day")
	flags.StringVar(&f.unit, "unit", "", "`UNIT` of numbers that have none, and of written rates: second, minute, hour or day")
	flags.StringVar(&f.objective, "objective", "fixed-order", "optimise `O`, as in mdpsolve refresh rates")
	flags.StringVar(&f.accessTime, "access-time", "", "`LAW` of access times, for coffman and coffman-randomized (default constant)")
	flags.StringVar(&f.accessMean, "access-mean", "", "mean `TIME` of an access, as in 250ms (default 1/bandwidth)")
	flags.StringVar(&f.output, "output", "text", "print the summary as `FORMAT`: text or json")
	flags.BoolVar(&f.strict, "strict", false, "refuse files with unusable rows")
	flags.Float64Var(&f.allowed, "allow-left-out", 0.01, "leave out up to this `SHARE` of unusable rows")
	return f
}

// job reads the flags, and the unit of the first file if no flag gives one.
func (f *ratesFlags) job(ctx context.Context) (*ratesJob, error) {
	j := &ratesJob{strict: f.strict, allowed: f.allowed}
	if f.output != "text" && f.output != "json" {
		return nil, usageError("--output: %q is not valid: use text or json", f.output)
	}
	if f.bandwidth == "" || f.out == "" || f.input == "" {
		return nil, usageError("--input, --bandwidth and --out: give all three")
	}
	var err error
	if f.unit != "" {
		if j.unit, err = unit.Parse(f.unit); err != nil {
			return nil, usageError("--unit: %v", err)
		}
	}
	files, err := inputFiles(ctx, f.input)
	if err != nil {
		return nil, err
	}
	if j.out, err = newOutput(f.out, len(files), f.format); err != nil {
		return nil, err
	}
	j.shards = files
	if j.found = j.unit; j.unit == unit.Unknown {
		first, _, err := readShard(ctx, files[0], pagefile.Options{Strict: f.strict})
		if err != nil {
			return nil, err
		}
		j.found = first.Unit
	}
	p := &j.problem
	p.Shards = len(files)
	p.Objective = f.objective
	if p.Bandwidth, err = f.rate("bandwidth", f.bandwidth, j.found); err != nil {
		return nil, err
	}
	if err := f.readLaw(p, j.found); err != nil {
		return nil, err
	}
	if _, err := p.Best(); err != nil {
		return nil, usageError("--objective: %s", strings.TrimPrefix(err.Error(), "refresh: objective: "))
	}
	return j, nil
}

// rate reads a rate and returns it in a unit.
func (f *ratesFlags) rate(flag, text string, in unit.Unit) (float64, error) {
	x, own, err := unit.ParseRate(text)
	if err == nil && !(x >= refresh.LeastNumber && x <= refresh.GreatestNumber) {
		err = fmt.Errorf("%s is not valid: use a rate above 0, such as 12 or 20000/day", text)
	}
	if err != nil {
		return 0, usageError("--%s: %v", flag, err)
	}
	return f.convert(flag, text, x, own, in, unit.Rate)
}

// convert converts a number of a flag to the unit of the lists, and refuses to mix numbers
// with a unit and without.
func (f *ratesFlags) convert(flag, text string, x float64, own, in unit.Unit, convert func(x float64, from, to unit.Unit) float64) (float64, error) {
	switch {
	case own == unit.Unknown && in != unit.Unknown && f.unit == "":
		return 0, usageError("--%s: %s has no unit, and the rates in --input are %s: add a unit, or --unit", flag, text, in.Per())
	case own != unit.Unknown && in == unit.Unknown:
		return 0, usageError("--%s: %s has a unit, and the rates in --input have none: add --unit, the unit of these rates", flag, text)
	case own == unit.Unknown:
		return x, nil
	}
	return convert(x, own, in), nil
}

// readLaw reads the law of access times, if the objective needs one.
func (f *ratesFlags) readLaw(p *rates.Sharded, in unit.Unit) error {
	needed := p.Objective == refresh.Coffman{}.String() || p.Objective == refresh.CoffmanRandomized{}.String()
	if !needed {
		if f.accessTime != "" || f.accessMean != "" {
			return usageError("--access-time and --access-mean: only with --objective coffman or coffman-randomized")
		}
		return nil
	}
	p.AccessTime, p.AccessMean = "constant", 1/p.Bandwidth
	if f.accessTime != "" {
		p.AccessTime = f.accessTime
	}
	if f.accessMean == "" {
		return nil
	}
	x, own, err := unit.ParseDuration(f.accessMean)
	if err == nil {
		p.AccessMean, err = f.convert("access-mean", f.accessMean, x, own, in, unit.Duration)
	}
	if err != nil {
		return usageError("--access-mean: %v", err)
	}
	if !(p.AccessMean*p.Bandwidth <= 1+1e-9) { // the quotient may be rounded
		return usageError("--access-mean: %s is not valid: use at most 1/bandwidth, because accesses come one after the other", f.accessMean)
	}
	return nil
}
