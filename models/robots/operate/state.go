// This file saves what an Adaptive has learnt, and reads it again.

package operate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

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
		Format      string           `json:"format"`
		Version     int              `json:"version"`
		Queue       int              `json:"queue"`
		Active      []int            `json:"active"`
		Arrivals    []savedEvidence  `json:"arrivals"`
		Services    savedEvidence    `json:"services"`
		Performance savedPerformance `json:"performance"`
	}
	savedEvidence struct {
		Guess   float64      `json:"guess"`
		Open    float64      `json:"open"`
		Changes int          `json:"changes"`
		Groups  [][2]float64 `json:"groups"`
	}
	savedPerformance struct {
		Time        float64   `json:"time"`
		Promised    float64   `json:"promised"`
		Starved     float64   `json:"starved"`
		Lost        float64   `json:"lost"`
		Pages       float64   `json:"pages"`
		Activations float64   `json:"activations"`
		Robots      []float64 `json:"robots"`
		Part        float64   `json:"part"`
		Rest        float64   `json:"rest"`
		Regrets     []float64 `json:"regrets"`
	}
)

// Save writes what was learnt and seen, and the counts, to a file of JSON, which is never
// seen half done and survives a loss of power. [RestoreAdaptive] reads it. Errors are those
// of the file.
func (a *Adaptive) Save(name string) error {
	text, err := json.Marshal(a.saved())
	if err != nil {
		return fmt.Errorf("operate: saving the state: %w", err) // of a clock that is not a number
	}
	return wholefile.WriteDurably(name, 0o644, append(text, '\n'))
}

func (a *Adaptive) saved() savedState {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pass()
	r := &a.record
	s := savedState{
		Format: stateFormat, Version: stateVersion, Queue: a.queue, Active: slices.Clone(a.active),
		Services: a.services.saved(),
		Performance: savedPerformance{
			Time: r.time, Promised: r.promised, Starved: r.sums.Starvation, Lost: r.sums.LossRate,
			Pages: r.sums.PagesMean, Activations: r.sums.ActivationRate, Robots: slices.Clone(r.sums.RobotsMeanByClass),
			Part: r.length, Rest: r.rest, Regrets: slices.Clone(r.parts),
		},
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

// RestoreAdaptive is [NewAdaptive] with what [Adaptive.Save] has written: it goes on from
// what was learnt and seen, and from the counts, which Reset sets right where they are no
// longer those. Robots, buffer, weight and costs are those of the parameters. The
// text is read from r, and errors name it as file. They are those of NewAdaptive and of
// r, and a [*robots.FileError] for what is not valid: classes, a queue or active
// robots that the parameters do not allow included.
func RestoreAdaptive(ctx context.Context, r io.Reader, file string, p robots.Parameters, settings AdaptiveSettings) (*Adaptive, error) {
	a, err := prepareAdaptive(ctx, p, settings, solveWarm)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxStateFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", file, err)
	}
	if len(text) > maxStateFile {
		return nil, fmt.Errorf("%s is larger than %d bytes, the most that a state may be", file, maxStateFile)
	}
	err = (&stateReader{jsonscan.New(bytes.NewReader(text), file)}).state(a)
	if fault, ok := errors.AsType[*filepos.Error](err); ok {
		err = (*robots.FileError)(fault)
	}
	if err != nil {
		return nil, err
	}
	if err := a.begin(); err != nil {
		return nil, err
	}
	return a, nil
}

// stateReader reads a state.
type stateReader struct{ scan *jsonscan.Scanner }

// members are the members of an object, each with what reads its value.
type members map[string]func() error

// object reads an object with all the members, in any order.
func (r *stateReader) object(all members) error {
	expected := func() string {
		var names []string
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		return wording.List(names)
	}
	err := r.scan.Object("an object in curly brackets", func(name string) error {
		read, ok := all[name]
		if !ok {
			return r.scan.Fail(wording.Quote(name), expected())
		}
		delete(all, name)
		return read()
	})
	if err == nil && len(all) > 0 {
		err = r.scan.Fail("the end of an object", expected())
	}
	return err
}

// number reads a finite number of least or more.
func (r *stateReader) number(to *float64, least float64) func() error {
	return func() error {
		expected := "a finite number"
		if !math.IsInf(least, -1) {
			expected += " of " + strconv.FormatFloat(least, 'g', -1, 64) + " or more"
		}
		word, err := r.scan.Number(expected)
		if err != nil {
			return err
		}
		x, err := strconv.ParseFloat(string(word), 64)
		if err != nil || !jsonscan.IsNumber(word) || !(x >= least) {
			return r.scan.Fail(wording.Quote(string(word)), expected)
		}
		*to = x
		return nil
	}
}

// positive reads a number above 0.
func (r *stateReader) positive(to *float64) func() error {
	return func() error {
		if err := r.number(to, 0)(); err != nil || *to > 0 {
			return err
		}
		return r.scan.Fail("0", "a number above 0")
	}
}

// whole reads a whole number from 0 to most.
func (r *stateReader) whole(to *int, most int) func() error {
	return func() (err error) {
		*to, err = r.scan.Int(most, fmt.Sprintf("a whole number from 0 to %d", most))
		return err
	}
}

// list reads a list of a number of elements.
func (r *stateReader) list(count int, element func(i int) error) func() error {
	return func() error {
		read := 0
		err := r.scan.Array("a list", func(i int) error {
			if read++; i == count {
				return r.scan.Unexpected(fmt.Sprintf("the end of a list of %d", count))
			}
			return element(i)
		})
		if err == nil && read < count {
			err = r.scan.Fail(fmt.Sprintf("the end of a list of %d", read), fmt.Sprintf("one of %d", count))
		}
		return err
	}
}

// state reads the whole text into a.
func (r *stateReader) state(a *Adaptive) error {
	classes, version := len(a.active), 0
	var counts filepos.Place
	err := r.object(members{
		"format": func() error {
			format, err := r.scan.Text("the name of a format")
			if err == nil && string(format) != stateFormat {
				err = r.scan.Fail(wording.Quote(string(format)), stateFormat)
			}
			return err
		},
		"version": func() error {
			err := r.whole(&version, math.MaxInt32)()
			if err == nil && version != stateVersion {
				err = r.scan.Fail(strconv.Itoa(version), "version "+strconv.Itoa(stateVersion))
			}
			return err
		},
		"queue": r.whole(&a.queue, a.costs.Buffer),
		"active": func() error {
			counts = r.scan.Place()
			return r.list(classes, func(i int) error { return r.whole(&a.active[i], a.available[i])() })()
		},
		"arrivals":    r.list(classes, func(i int) error { return r.evidence(&a.arrivals[i]) }),
		"services":    func() error { return r.evidence(&a.services) },
		"performance": func() error { return r.performance(&a.record) },
	})
	if err == nil && a.checkCounts(a.queue, a.active) != nil {
		err = r.scan.FailAt(counts, "no active robot and an empty queue", "one of them")
	}
	if err == nil {
		err = r.scan.End()
	}
	return err
}

// evidence reads evidence of a rate that is a positive finite number.
func (r *stateReader) evidence(e *evidence) error {
	place := r.scan.Place()
	err := r.object(members{
		"guess":   r.positive(&e.guess),
		"open":    r.number(&e.open, 0),
		"changes": r.whole(&e.changes, math.MaxInt32),
		"groups": func() error {
			return r.scan.Array("a list of groups", func(i int) error {
				var g group
				err := r.list(2, func(member int) error {
					if member == 1 {
						return r.number(&g.exposure, 0)()
					}
					if err := r.whole(&g.count, math.MaxInt32)(); err != nil {
						return err
					}
					most := math.MaxInt / (2 * groupsOfSize) // so that the sum of all is an int
					if i > 0 {
						most = e.groups[i-1].count
					}
					if i >= groupsOfSize && e.groups[i-groupsOfSize].count == g.count {
						return r.scan.Fail(strconv.Itoa(g.count), fmt.Sprintf("at most %d groups of that size", groupsOfSize))
					}
					if g.count == 0 || g.count&(g.count-1) != 0 || g.count > most {
						return r.scan.Fail(strconv.Itoa(g.count), "a power of two, and no more than in the group before")
					}
					return nil
				})()
				e.groups = append(e.groups, g)
				return err
			})
		},
	})
	if mean := e.mean(); err == nil && !(mean > 0 && !math.IsInf(mean, 1)) {
		err = r.scan.FailAt(place, fmt.Sprintf("evidence of the rate %v", mean), "a positive finite one")
	}
	return err
}

func (r *stateReader) performance(to *record) error {
	least := math.Inf(-1)
	return r.object(members{
		"time":        r.number(&to.time, 0),
		"promised":    r.number(&to.promised, least),
		"starved":     r.number(&to.sums.Starvation, 0),
		"lost":        r.number(&to.sums.LossRate, 0),
		"pages":       r.number(&to.sums.PagesMean, 0),
		"activations": r.number(&to.sums.ActivationRate, 0),
		"robots": r.list(len(to.sums.RobotsMeanByClass), func(i int) error {
			return r.number(&to.sums.RobotsMeanByClass[i], 0)()
		}),
		"part": r.positive(&to.length),
		"rest": r.number(&to.rest, least),
		"regrets": func() error {
			return r.scan.Array("a list of numbers", func(i int) error {
				if i == mostParts {
					return r.scan.Unexpected(fmt.Sprintf("the end of a list of at most %d", mostParts))
				}
				to.parts = append(to.parts, 0)
				return r.number(&to.parts[i], least)()
			})
		},
	})
}
