package main

// The verb rates: its flags, and what the shards of a page list answer.

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/mdpsolve/mdpsolve/distributed/beam/pass"
	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// ratesSpec is what all shards are asked.
type ratesSpec struct {
	Unit   unit.Unit
	Strict bool
	Parts  store.File // how the names of parts begin
	Format string

	Problem  rates.Sharded
	Question rates.Question
}

// ratesReply is what a shard answers.
type ratesReply struct {
	Answer rates.Answer
	Rates  store.File // once the last question was put

	// To the first question:
	Unit     unit.Unit
	Unusable int64
	Faults   []string // the first of those of rows left out
}

var askShard = pass.New("rates", func(ctx context.Context, spec ratesSpec, file store.File) (reply ratesReply, err error) {
	last := spec.Question.Settles()
	options := pagefile.Options{Unit: spec.Unit, Strict: spec.Strict}
	pages, report, err := readShard(ctx, file, options)
	if err != nil {
		return reply, err
	}
	if spec.Question.First() {
		reply.Unit, reply.Unusable = pages.Unit, report.Unusable
		for _, fault := range report.Faults {
			reply.Faults = append(reply.Faults, fault.Error())
		}
	}
	var rates []float64
	if last {
		rates = make([]float64, pages.Len())
	}
	answer, err := spec.Problem.Answer(&spec.Question, pages.Pages, rates, 1)
	if err != nil {
		return reply, shardFault(file, pages, err)
	}
	if last {
		// Each attempt has a file of its own: one that a runner has given up may still write to it.
		reply.Rates = spec.Parts + store.File(rand.Text()+"."+spec.Format)
		if err := writeShard(ctx, reply.Rates, spec.Problem, pages, rates); err != nil {
			return reply, err
		}
	}
	reply.Answer = *answer
	return reply, nil
})

// missing makes a fault of the error that a file is not there.
func missing(ctx context.Context, file store.File, err error) error {
	if file.Gone(ctx) {
		return usageError("--input: %v is not there any more", file)
	}
	return err
}

// shardFault words what is wrong with the pages of a shard.
func shardFault(file store.File, pages *pagefile.Pages, err error) error {
	if page, ok := errors.AsType[*refresh.PageError](err); ok {
		return usageError("%v: page %q: %s %v is not valid: use %s", file, pages.IDs.At(page.Page), page.Field, page.Value, page.Allowed)
	}
	return err
}

// writeShard writes the rates of a shard.
func writeShard(ctx context.Context, file store.File, p rates.Sharded, pages *pagefile.Pages, rates []float64) error {
	objective, err := p.Best()
	if err != nil {
		return err
	}
	freshness := refresh.Freshness(objective, pages.Pages, rates, pages.Weights, 1)
	name := []byte(pages.Unit.String())
	row := func(i int) rateRow {
		return rateRow{pages.IDs.Bytes(i), rates[i], refresh.Interval(rates[i]), freshness[i], name}
	}
	var without []string
	if pages.Unit == unit.Unknown {
		without = []string{"unit"}
	}
	return file.WriteBy(ctx, func(w io.Writer) error {
		target := pagefile.Target{Name: string(file), Writer: w}
		return pagefile.WriteRows(ctx, target, pages.Len(), 1, row, without...)
	})
}

// rateRow is a row of a list of rates, as refresh rates writes it.
type rateRow struct {
	ID        []byte  `parquet:"id,string"`
	Rate      float64 `parquet:"rate"`
	Interval  float64 `parquet:"interval,optional"`
	Freshness float64 `parquet:"freshness"`
	Unit      []byte  `parquet:"unit,string,dict"`
}

// ratesJob is a run of the verb.
type ratesJob struct {
	problem rates.Sharded
	unit    unit.Unit // of --unit
	strict  bool
	allowed float64 // share of rows that may be left out
	shards  []store.File
	out     output

	pages    int
	rates    []store.File // parts, at the end
	found    unit.Unit    // of the rates
	unusable int64
	passes   int
}

// ask puts a question to all shards, as one pipeline.
func (j *ratesJob) ask(ctx context.Context, q *rates.Question) (*rates.Answer, error) {
	spec := ratesSpec{
		Unit: j.unit, Strict: j.strict, Parts: j.out.parts(), Format: j.out.format,
		Problem: j.problem, Question: *q,
	}
	j.passes++
	replies, err := askShard.Run(ctx, j.out.parts(), spec, j.shards)
	if err != nil {
		return nil, err
	}
	if q.First() {
		if err := j.checkRows(replies); err != nil {
			return nil, err
		}
	}
	all := &rates.Answer{}
	j.rates = nil
	for i := range replies {
		if q.Settles() {
			j.rates = append(j.rates, replies[i].Rates)
		}
		all.Merge(&replies[i].Answer)
	}
	if q.First() {
		j.pages = all.Count
		return all, j.checkLeftOut()
	}
	return all, nil
}

// checkRows looks at the units of the shards, and reports rows left out.
func (j *ratesJob) checkRows(replies []ratesReply) error {
	left := 0
	for i, reply := range replies {
		if reply.Unit != j.found {
			return usageError("--input: the rates in %v are %s, those in %v %s: add --unit", j.shards[i], reply.Unit.Per(), j.shards[0], j.found.Per())
		}
		j.unusable += reply.Unusable
		for _, fault := range reply.Faults {
			if left++; left <= pagefile.KeptFaults {
				fmt.Fprintln(os.Stderr, "refreshbeam: left out: "+fault)
			}
		}
	}
	if more := j.unusable - int64(min(left, pagefile.KeptFaults)); more > 0 {
		fmt.Fprintf(os.Stderr, "refreshbeam: left out: %d more unusable rows\n", more)
	}
	return nil
}

// checkLeftOut refuses a list of which too much is left out.
func (j *ratesJob) checkLeftOut() error {
	if j.pages == 0 {
		return usageError("--input: there is no page that can be used: give one or more")
	}
	all := int64(j.pages) + j.unusable
	if share := float64(j.unusable) / float64(all); share > j.allowed {
		return usageError("--allow-left-out: %d of %d rows cannot be used, a share of %.3g; %v may be: mend the files, or allow more", j.unusable, all, share, j.allowed)
	}
	return nil
}

// run does what the flags say.
func (f *ratesFlags) run(ctx context.Context) error {
	begin := time.Now()
	job, err := f.job(ctx)
	if err != nil {
		return err
	}
	s, err := job.problem.Optimize(ctx, func(q *rates.Question) (*rates.Answer, error) { return job.ask(ctx, q) })
	failed := err
	if s != nil && errors.Is(err, rates.ErrPrecision) {
		failed = nil
	}
	if err := job.out.finish(ctx, job.rates, failed); err != nil {
		return err
	}
	if err := f.print(job, s, time.Since(begin)); err != nil {
		return err
	}
	if err != nil {
		return &pass.FinalError{Status: exitLimit, Text: err.Error()}
	}
	return nil
}

// print prints what the rates achieve.
func (f *ratesFlags) print(j *ratesJob, s *rates.Solution, elapsed time.Duration) error {
	if f.output == "json" {
		text, err := json.MarshalIndent(map[string]any{
			"pages": j.pages, "active": s.Active, "bandwidth": j.problem.Bandwidth, "unit": orNil(j.found.String(), j.found == unit.Unknown),
			"objective": j.problem.Objective, "value": finite(s.Value), "bound": finite(s.Bound), "multiplier": finite(s.Multiplier),
			"used": s.Used, "residual": finite(s.Residual), "unusable": j.unusable, "passes": j.passes, "shards": len(j.shards), "seconds": elapsed.Seconds(),
		}, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Println(string(text))
		return err
	}
	_, err := fmt.Printf("%d pages in %d files, %d of them accessed, in total %v times %s\nvalue %v (at most %v by duality; for a cost, at least)\n%d pipelines, %.1f s: %v\n",
		j.pages, len(j.shards), s.Active, s.Used, j.found.Per(), s.Value, s.Bound, j.passes, elapsed.Seconds(), j.out.prefix+"-*")
	return err
}

// finite returns a number as JSON has it, null for one that is not finite.
func finite(x float64) any { return orNil(x, math.IsInf(x, 0) || math.IsNaN(x)) }

func orNil[T any](value T, none bool) any {
	if none {
		return nil
	}
	return value
}
