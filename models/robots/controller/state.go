// This file saves and restores the estimates of an Adaptive.

package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wholefile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/robots"
)

const (
	stateFormat  = "adaptive-controller"
	stateVersion = 1
	maxStateFile = 1 << 24
)

// The members of a state as they are written.
type (
	savedState struct {
		Format   string          `json:"format"`
		Version  int             `json:"version"`
		Queue    int             `json:"queue"`
		Active   []int           `json:"active"`
		Arrivals []savedEvidence `json:"arrivals"`
		Services savedEvidence   `json:"services"`

		// Performance was written by earlier versions, and is ignored.
		Performance json.RawMessage `json:"performance,omitempty"`
	}
	savedEvidence struct {
		Guess   float64      `json:"guess"`
		Open    float64      `json:"open"`
		Changes int          `json:"changes"`
		Groups  [][2]float64 `json:"groups"`
	}
)

// Save writes the estimates and the counts to a file of JSON. The file is replaced as a whole
// and survives a loss of power. [RestoreAdaptive] reads it. Errors are those of the file.
func (a *Adaptive) Save(name string) error {
	text, err := json.Marshal(a.saved())
	if err != nil {
		return fmt.Errorf("controller: saving the state: %w", err) // of a clock that is not a number
	}
	return wholefile.WriteDurably(name, 0o644, append(text, '\n'))
}

func (a *Adaptive) saved() savedState {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass()
	s := savedState{
		Format: stateFormat, Version: stateVersion, Queue: a.queue, Active: slices.Clone(a.active),
		Services: a.services.saved(),
	}
	for i := range a.arrivals {
		s.Arrivals = append(s.Arrivals, a.arrivals[i].saved())
	}
	return s
}

func (e *evidence) saved() savedEvidence {
	s := savedEvidence{Guess: e.guess, Open: e.open, Changes: e.changes, Groups: [][2]float64{}}
	for _, g := range e.groups {
		s.Groups = append(s.Groups, [2]float64{float64(g.count), g.exposure})
	}
	return s
}

// RestoreAdaptive is [NewAdaptive] with the state that [Adaptive.Save] wrote: it goes on from
// the estimates and counts, which Reset corrects if they have changed. Robots, buffer, weight
// and costs are those of the parameters. RestoreAdaptive reads the text from r, and errors name
// it as file. Errors are those of NewAdaptive and of r; they name the place of a fault, also of
// classes, a queue or active robots that the parameters do not allow.
func RestoreAdaptive(ctx context.Context, r io.Reader, file string, p robots.Parameters, settings AdaptiveSettings) (*Adaptive, error) {
	a, err := prepareAdaptive(ctx, p, settings, settings.planner())
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxStateFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(text) > maxStateFile {
		return nil, fmt.Errorf("%s: a state of more than %d bytes is not valid", file, maxStateFile)
	}
	var s savedState
	if err := jsonscan.Decode(bytes.NewReader(text), file, true, &s); err != nil {
		return nil, err
	}
	for _, check := range s.checks(a) {
		if !check.valid {
			return nil, filepos.Fault(fmt.Sprint(check.found), check.expected).At(file, jsonscan.PlaceOf(text, check.path...))
		}
	}
	s.restore(a)
	if err := a.begin(); err != nil {
		return nil, err
	}
	return a, nil
}

// check is a condition on a member of a state.
type check struct {
	valid    bool
	found    any
	expected string
	path     []any // to the member
}

func notNegative(x float64, path ...any) check {
	return check{x >= 0, x, "a number of 0 or more", path}
}

// checks returns the conditions on a state for a.
func (s *savedState) checks(a *Adaptive) []check {
	classes := len(a.active)
	list := fmt.Sprintf("a list of %d", classes)
	checks := []check{
		{s.Format == stateFormat, wording.Quote(s.Format), stateFormat, []any{"format"}},
		{s.Version == stateVersion, s.Version, fmt.Sprintf("version %d", stateVersion), []any{"version"}},
		{len(s.Active) == classes, s.Active, list, []any{"active"}},
		{len(s.Arrivals) == classes, fmt.Sprintf("a list of %d", len(s.Arrivals)), list, []any{"arrivals"}},
		{
			a.checkCounts(s.Queue, s.Active) == nil, fmt.Sprintf("%d pages and %v active robots", s.Queue, s.Active),
			fmt.Sprintf("0 to %d pages and 0 to %v robots, by class, not all 0", a.costs.Buffer, a.available),
			[]any{"queue"},
		},
	}
	for c := range s.Arrivals {
		checks = append(checks, s.Arrivals[c].checks("arrivals", c)...)
	}
	return append(checks, s.Services.checks("services")...)
}

// checks returns the conditions on evidence at a path.
func (s *savedEvidence) checks(path ...any) []check {
	at := func(further ...any) []any { return slices.Concat(path, further) }
	checks := []check{
		{s.Guess > 0, s.Guess, "a number above 0", at("guess")},
		notNegative(s.Open, at("open")...),
		notNegative(float64(s.Changes), at("changes")...),
	}
	most := float64(math.MaxInt / (2 * groupsOfSize)) // so that the sum of all is an int
	for i, group := range s.Groups {
		count, exposure := group[0], group[1]
		isPower := count >= 1 && count <= most && math.Exp2(math.Round(math.Log2(count))) == count
		isMany := i >= groupsOfSize && s.Groups[i-groupsOfSize][0] == count
		checks = append(
			checks,
			check{isPower, count, "a power of two, and no more than in the group before", at("groups", i, 0)},
			check{!isMany, count, fmt.Sprintf("at most %d groups of that size", groupsOfSize), at("groups", i, 0)},
			notNegative(exposure, at("groups", i, 1)...),
		)
		most = count
	}
	e := s.evidence(0)
	mean := e.mean()
	return append(checks, check{mean > 0 && !math.IsInf(mean, 1), fmt.Sprintf("evidence of the rate %v", mean), "a positive finite one", path})
}

// evidence is the inverse of saved.
func (s *savedEvidence) evidence(memory int) evidence {
	e := evidence{guess: s.Guess, memory: memory, open: s.Open, changes: s.Changes}
	for _, g := range s.Groups {
		e.groups = append(e.groups, group{int(g[0]), g[1]})
	}
	return e
}

// restore is the inverse of saved.
func (s *savedState) restore(a *Adaptive) {
	a.queue, a.active = s.Queue, s.Active
	for c := range s.Arrivals {
		a.arrivals[c] = s.Arrivals[c].evidence(a.settings.Memory)
	}
	a.services = s.Services.evidence(a.settings.Memory)
}
