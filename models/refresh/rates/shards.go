package rates

// Pages in shards, looked at on many machines.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Sharded is a [refresh.Problem] whose pages lie in many shards, as plain data that can travel.
//
// [Sharded.Optimize] is the coordinator: it knows no page, and puts a [Question] to all
// shards at a time, four as a rule. Its caller brings the question to the shards, lets each
// answer ([Sharded.Answer]), and adds the answers ([Answer.Merge]). The last question gives
// the pages their rates. The multiplier agrees with that of [Optimize] on all pages at once
// to a relative 1e-12, and the rates to 1e-9 of themselves or the mean rate.
type Sharded struct {
	Objective  string // as ParseObjective reads it
	AccessTime string // as queue.ParseLaw reads it; "" for none
	AccessMean float64
	Bandwidth  float64
	Shards     int // in all, which then share a sample of bounded size; 0 where it is not known
}

// Best returns the objective.
func (p *Sharded) Best() (refresh.Objective, error) {
	if p.Objective == (refresh.Signals{}).String() {
		return nil, fmt.Errorf("%s is not valid for shards: use mdpsolve refresh rates", p.Objective)
	}
	if p.AccessTime == "" {
		return refresh.ParseObjective(p.Objective, nil)
	}
	law, err := queue.ParseLaw(p.AccessTime, p.AccessMean, noFiles)
	if err != nil {
		return nil, err
	}
	return refresh.ParseObjective(p.Objective, law)
}

// noFiles opens no sample of access times: it need not be where the shards are.
func noFiles(name string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s is not valid for shards, as the file is on one machine: use mdpsolve refresh rates", name)
}

// The kinds of questions: how many pages there are; what they ask for at a multiplier or at both
// ends of an interval; and rates.
const (
	askScout = iota
	askLook
	askSettle
)

// Question is put to all shards at a time.
type Question struct {
	Kind  int
	Pages int // in all shards; 0 in the first question
	At    prices
}

// First reports whether the question is the first one, about what pages there are.
func (q *Question) First() bool { return q.Kind == askScout }

// Settles reports whether the question is the last one, which gives the pages their rates.
func (q *Question) Settles() bool { return q.Kind == askSettle }

// Answer is what one shard, or several, answer.
type Answer struct {
	Count  int // pages
	Sample refresh.Pages
	Least  demand // at any price
	Look   look
	Tally  tally
}

// Merge adds another answer to the same question.
func (a *Answer) Merge(other *Answer) {
	a.Count += other.Count
	join(&a.Sample, &other.Sample)
	a.Least.merge(&other.Least)
	a.Look.merge(&other.Look)
	a.Tally.merge(&other.Tally)
}

// Answer looks at the pages of a shard, on several goroutines. To the last question it fills
// rates, one for each page. Errors are those of [refresh.Problem.Validate].
func (p *Sharded) Answer(q *Question, shard refresh.Pages, rates []float64, workers int) (*Answer, error) {
	objective, err := p.Best()
	if err != nil {
		return nil, err
	}
	team := parallel.NewTeam(workers)
	defer team.Close()
	m := newMemory(objective, shard, team)
	m.rates = rates
	a, at := &Answer{}, []prices{q.At}
	switch {
	case q.First():
		problem := refresh.Problem{Pages: shard, Objective: objective, Bandwidth: p.Bandwidth}
		if err := problem.Validate(); err != nil {
			return nil, err
		}
		a.Count, a.Sample = shard.Len(), sample(&shard, p.Shards)
		a.Least = m.floors()[0]
	case q.Settles():
		tallies, _ := m.settle(at) // memory does not fail
		a.Tally = tallies[0]
	default:
		m.all = q.Pages
		looks, _ := m.look(at)
		a.Look = looks[0]
	}
	return a, nil
}

// Optimize puts questions to all shards until they have the best rates. ask returns the
// merged answers of all shards; its errors end the solve. Other errors are those of
// [Optimize]. The solution has no rates: the shards have them.
func (p *Sharded) Optimize(ctx context.Context, ask func(*Question) (*Answer, error)) (*Solution, error) {
	begin := time.Now()
	objective, err := p.Best()
	if err != nil {
		return nil, err
	}
	problem := &refresh.Problem{Objective: objective, Bandwidth: p.Bandwidth}
	if err := problem.Validate(); err != nil {
		return nil, err
	}
	scout, err := ask(&Question{Kind: askScout})
	if err != nil {
		return nil, err
	}
	if scout.Count == 0 {
		return nil, errors.New("rates: no pages")
	}
	team := parallel.NewTeam(1)
	defer team.Close()
	s := &solver{
		objective: objective, bandwidth: p.Bandwidth, pages: &shards{ask, scout}, count: scout.Count,
		caps: []float64{math.Inf(1)}, team: team,
	}
	solution, err := s.solve(ctx)
	if solution != nil {
		solution.Elapsed = time.Since(begin)
	}
	return solution, err
}

// shards is a source of which the pages are in shards, as one group.
type shards struct {
	ask   func(*Question) (*Answer, error)
	scout *Answer
}

// floors implements source.
func (r *shards) floors() []demand { return []demand{r.scout.Least} }

// sample implements source.
func (r *shards) sample() refresh.Pages { return r.scout.Sample }

// look implements source.
func (r *shards) look(at []prices) ([]look, error) {
	a, err := r.ask(&Question{askLook, r.scout.Count, at[0]})
	if err != nil {
		return nil, err
	}
	return []look{a.Look}, nil
}

// settle implements source.
func (r *shards) settle(at []prices) ([]tally, error) {
	a, err := r.ask(&Question{askSettle, r.scout.Count, at[0]})
	if err != nil {
		return nil, err
	}
	return []tally{a.Tally}, nil
}
