package main

// The verb rates: its flags, and what the shards of a page list answer.

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"gocloud.dev/gcerrors"

	"github.com/mdpsolve/mdpsolve/distributed/beam/pass"
	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// ratesSpec is what all shards are asked.
type ratesSpec struct {
	Unit    unit.Unit
	Strict  bool
	Scratch scratch
	Ask     []byte     // a ratesAsk, or
	AskAt   store.File // the file with one too large for messages
}

// ratesAsk is a question with the problem that it is about.
type ratesAsk struct {
	Problem  rates.Sharded
	Question rates.Question
}

// ratesShard is a file of pages and where its rates go.
type ratesShard struct{ Pages, Rates store.File }

// ratesReply is what a shard answers.
type ratesReply struct {
	Answer   []byte // a rates.Answer
	Unit     unit.Unit
	Unusable int64
	Faults   []string // the first of those of rows left out
}

var askShard = pass.New("rates", func(ctx context.Context, spec ratesSpec, s ratesShard) (reply ratesReply, err error) {
	if spec.Ask == nil {
		if spec.Ask, err = spec.AskAt.Read(ctx); err != nil {
			return reply, err
		}
	}
	var ask ratesAsk
	if err := gob.NewDecoder(bytes.NewReader(spec.Ask)).Decode(&ask); err != nil {
		return reply, err
	}
	first, last := ask.Question.First(), ask.Question.Settles()
	options := pagefile.Options{Unit: spec.Unit, Strict: spec.Strict, Hosts: ask.Problem.Capped}
	pages, err := spec.Scratch.read(ctx, s.Pages, options, first || last)
	if err != nil {
		return reply, err
	}
	reply.Unit, reply.Unusable, reply.Faults = pages.Unit, pages.Unusable, pages.Faults
	var rates []float64
	if last {
		rates = make([]float64, pages.Len())
	}
	answer, err := ask.Problem.Answer(&ask.Question, &pages.Shard, rates, 1)
	if err != nil {
		return reply, shardFault(s.Pages, pages, err)
	}
	if last {
		if err := writeShard(ctx, s.Rates, ask.Problem, pages, rates); err != nil {
			return reply, err
		}
	}
	reply.Answer, err = encode(answer)
	return reply, err
})

// missing makes a fault of the error that a file is not there.
func missing(file store.File, err error) error {
	if errors.Is(err, os.ErrNotExist) || gcerrors.Code(err) == gcerrors.NotFound {
		return usageError("--input: %v is not there any more", file)
	}
	return err
}

// shardFault words what is wrong with the pages of a shard.
func shardFault(file store.File, pages *shardPages, err error) error {
	if page, ok := errors.AsType[*refresh.PageError](err); ok {
		return usageError("%v: page %q: %s %v is not valid: use %s", file, pages.ids.At(page.Page), page.Field, page.Value, page.Allowed)
	}
	return err
}

// writeShard writes the rates of a shard.
func writeShard(ctx context.Context, file store.File, p rates.Sharded, pages *shardPages, rates []float64) error {
	objective, err := p.Best()
	if err != nil {
		return err
	}
	freshness := refresh.Freshness(objective, pages.Pages, rates, 1)
	name := []byte(pages.Unit.String())
	row := func(i int) rateRow {
		return rateRow{pages.ids.Bytes(i), rates[i], refresh.Interval(rates[i]), freshness[i], name}
	}
	var without []string
	if pages.Unit == unit.Unknown {
		without = []string{"unit"}
	}
	return file.Write(ctx, func(w io.Writer) error {
		target := pagefile.Target{Name: file.Key, Writer: w}
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

func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(value)
	return text.Bytes(), err
}

// ratesJob is a run of the verb.
type ratesJob struct {
	problem rates.Sharded
	unit    unit.Unit // of --unit
	strict  bool
	allowed float64 // share of rows that may be left out
	shards  []ratesShard
	out     output
	scratch scratch

	found    unit.Unit // of the rates
	unusable int64
	passes   int
}

// largest is the greatest question that travels in a pipeline itself; runners end at 4 MB.
const largest = 1 << 20

// ask puts a question to all shards, as one pipeline.
func (j *ratesJob) ask(ctx context.Context, q *rates.Question) (*rates.Answer, error) {
	text, err := encode(ratesAsk{j.problem, *q})
	if err != nil {
		return nil, err
	}
	spec := ratesSpec{Unit: j.unit, Strict: j.strict, Scratch: j.scratch, Ask: text}
	if len(text) > largest {
		spec.Ask, spec.AskAt = nil, j.out.prefix.With(".question")
		if err := spec.AskAt.WriteAll(ctx, text); err != nil {
			return nil, err
		}
		defer func() { _ = spec.AskAt.Remove(context.WithoutCancel(ctx)) }() // it is in the way of nobody
	}
	j.passes++
	replies, err := askShard.Run(ctx, j.out.prefix, spec, j.shards)
	if err != nil {
		return nil, err
	}
	if q.First() {
		if err := j.checkRows(replies); err != nil {
			return nil, err
		}
	}
	all := &rates.Answer{}
	for i := range replies {
		var answer rates.Answer
		if err := gob.NewDecoder(bytes.NewReader(replies[i].Answer)).Decode(&answer); err != nil {
			return nil, err
		}
		all.Merge(&answer)
	}
	if q.First() {
		return all, j.checkLeftOut(all.Count)
	}
	return all, nil
}

// checkRows looks at the units of the shards, and reports rows left out.
func (j *ratesJob) checkRows(replies []ratesReply) error {
	left := 0
	for i, reply := range replies {
		if reply.Unit != j.found {
			return usageError("--input: the rates in %v are %s, those in %v %s: add --unit", j.shards[i].Pages, reply.Unit.Per(), j.shards[0].Pages, j.found.Per())
		}
		j.unusable += reply.Unusable
		for _, fault := range reply.Faults {
			if left++; left <= pagefile.KeptFaults {
				fmt.Fprintln(os.Stderr, "refreshbeam: left out: "+fault)
			}
		}
	}
	if more := j.unusable - int64(min(left, pagefile.KeptFaults)); more > 0 {
		fmt.Fprintf(os.Stderr, "refreshbeam: left out: %d more rows that cannot be used\n", more)
	}
	return nil
}

// checkLeftOut refuses a list of which too much is left out.
func (j *ratesJob) checkLeftOut(pages int) error {
	if pages == 0 {
		return usageError("--input: there is no page that can be used: give one or more")
	}
	all := int64(pages) + j.unusable
	if share := float64(j.unusable) / float64(all); share > j.allowed {
		return usageError("--allow-left-out: %d of %d rows cannot be used, a share of %.3g; %v may be: mend the files, or allow more", j.unusable, all, share, j.allowed)
	}
	return nil
}

func ratesVerb(flags *flag.FlagSet) func(context.Context) error {
	f := readRatesFlags(flags)
	return func(ctx context.Context) error {
		begin := time.Now()
		scratch, remove, err := newScratch()
		if err != nil {
			return err
		}
		defer remove()
		job, err := f.job(ctx, scratch)
		if err != nil {
			return err
		}
		s, err := job.problem.Optimize(ctx, func(q *rates.Question) (*rates.Answer, error) { return job.ask(ctx, q) })
		if infeasible, ok := errors.AsType[*rates.InfeasibleError](err); ok {
			flag := "bandwidth"
			if infeasible.Host >= 0 {
				flag = "host-cap"
			}
			err = usageError("--%s: %v", flag, infeasible)
		}
		failed := err
		if s != nil && errors.Is(err, rates.ErrPrecision) {
			failed = nil
		}
		if err := job.out.finish(ctx, failed); err != nil {
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
}

// print prints what the rates achieve.
func (f *ratesFlags) print(j *ratesJob, s *rates.ShardedSolution, elapsed time.Duration) error {
	if f.output == "json" {
		text, err := json.MarshalIndent(map[string]any{
			"pages": s.Pages, "active": s.Active, "bandwidth": j.problem.Bandwidth, "unit": orNil(j.found.String(), j.found == unit.Unknown),
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
		s.Pages, len(j.shards), s.Active, s.Used, j.found.Per(), s.Value, s.Bound, j.passes, elapsed.Seconds(), j.out)
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
