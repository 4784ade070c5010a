package model

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/mdp/exact"
)

// Where floating point comes to its limit on a small model, fractions are the last
// resort: up to so many transitions, and for so long.
const (
	resortTransitions = 4096
	resortTime        = 5 * time.Second

	// tinyBytes is the size of files up to which the numbers of a model are kept
	// exactly for that.
	tinyBytes = 1 << 18
)

// isTiny reports whether the numbers of a model are to be kept exactly whatever the
// method.
func isTiny(path string) bool { return isNoLarger(path, tinyBytes) }

// resort solves once more in fractions where no method was asked for, and reports
// whether it has an answer.
func (s *solution) resort(c *cli.Context, m ui.Method) bool {
	if m.Name != ui.MethodAuto || !s.model.IsExact() || s.model.NumTransitions() > resortTransitions {
		return false
	}
	limit := resortTime
	if asked := m.Settings.TimeLimit; asked > 0 {
		limit = min(limit, asked)
	}
	ctx, cancel := context.WithTimeout(c.Context, limit)
	defer cancel()
	begin := time.Now()
	model, err := interruptible(ctx, func() (*exact.Model, error) { return s.model.Exact(s.question.reward) })
	if err != nil {
		return false
	}
	answer, err := s.question.exactly(ctx, model, s.model)
	if err != nil || s.keepExact(answer, m.Settings.Tolerance, time.Since(begin)) != nil {
		return false
	}
	s.result.Choice = "floating point came to its limit"
	return true
}
