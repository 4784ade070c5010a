package robots

import (
	"fmt"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/robots/internal/phases"
	"github.com/mdpsolve/mdpsolve/queue"
)

// Parameters describe a search engine whose robots bring pages to an indexing
// queue: a single server with a finite buffer. Each active robot brings pages as
// a Poisson process. The first five fields are the process of the paper, in
// which robots are all alike, indexing times are exponential, and only starvation
// and losses cost.
//
// The other fields drop these assumptions: robots come in classes, indexing times
// follow a phase-type law, and the operator may also pay for pages that wait, for
// robots that are active and for activations. The cost per unit of time is
//
//	γ·(share of time with an empty queue) + (pages lost per unit of time)
//	+ h·(mean pages in the system) + c·(mean active robots) + a·(activations per unit of time).
//
// An activation is that of an idle robot at a departure, the one that is forced
// when the last page leaves included; sending out again the robot that has just
// delivered is free.
//
// Source: Talim, Liu, Nain and Coffman, Controlling Robots of Web Search
// Engines, 1999, sections 2 and 3.1, and their list of assumptions to be dropped
// in section 5.
type Parameters struct {
	Robots           int     // N ≥ 1, robots that may be active together
	Buffer           int     // K ≥ 2, pages in the system, the one in service included
	ArrivalRate      float64 // λ > 0, pages per unit of time of one active robot
	ServiceRate      float64 // μ > 0, pages indexed per unit of time of service
	StarvationWeight float64 // γ > 0, cost per unit of time with an empty queue; a lost page costs 1

	// Classes take the place of Robots and ArrivalRate, which are then 0, where
	// robots are of several kinds: 1 to MaxClasses.
	Classes        []Class
	Service        queue.Law // law of the indexing time, with mean 1/μ; nil: exponential
	HoldingCost    float64   // h ≥ 0, per page in the system and unit of time
	RobotCost      float64   // c ≥ 0, per active robot and unit of time
	ActivationCost float64   // a ≥ 0, each time a departure activates an idle robot
}

// Class describes robots that are all alike.
type Class struct {
	Robots      int     // N_i ≥ 1, robots of this class that may be active together
	ArrivalRate float64 // λ_i > 0, pages per unit of time of one active robot
}

// MaxClasses is the greatest number of classes of robots.
const MaxClasses = 8

// meanTolerance is how far the mean of a service law may be from 1/μ.
const meanTolerance = 1e-9

// ParameterError says which field of [Parameters] has a value that is not
// allowed.
type ParameterError struct {
	Field   string // name of the field
	Value   any    // the value found
	Allowed string // what is allowed
}

// Error returns a line with the field, the value found and what is allowed.
func (e *ParameterError) Error() string {
	return fmt.Sprintf("robots: %s %s", e.Field, wording.Invalid(e.Value, e.Allowed))
}

// positiveNumber is what is allowed of rates and weights.
const positiveNumber = "a positive finite number"

// Validate returns a [*ParameterError] for the first field whose value is not
// allowed: Robots ≥ 1 and Buffer ≥ 2 are, rates and weight that are positive and
// finite, as is the sum of all rates, costs that are finite and not negative, and
// a service law with the mean 1/ServiceRate to a relative 1e-9.
func (p Parameters) Validate() error {
	if err := p.validateClasses(); err != nil {
		return err
	}
	if p.Buffer < 2 {
		return &ParameterError{"Buffer", p.Buffer, "at least 2"}
	}
	for _, f := range []struct {
		name  string
		value float64
		zero  bool // is allowed
	}{
		{"ServiceRate", p.ServiceRate, false},
		{"StarvationWeight", p.StarvationWeight, false},
		{"HoldingCost", p.HoldingCost, true},
		{"RobotCost", p.RobotCost, true},
		{"ActivationCost", p.ActivationCost, true},
	} {
		if !isPositive(f.value) && !f.zero {
			return &ParameterError{f.name, f.value, positiveNumber}
		}
		if !(f.value >= 0) || math.IsInf(f.value, 1) {
			return &ParameterError{f.name, f.value, "a finite number of 0 or more"}
		}
	}
	total := p.ServiceRate
	for _, class := range p.ClassList() {
		total += float64(class.Robots) * class.ArrivalRate
	}
	if math.IsInf(total, 1) {
		if p.Classes == nil {
			return &ParameterError{"ArrivalRate", p.ArrivalRate, "a number for which λN + μ is finite"}
		}
		return &ParameterError{"Classes", p.Classes, "a list for which the sum of λN, and that and μ, is finite"}
	}
	if p.Service != nil && !(math.Abs(p.Service.Mean()*p.ServiceRate-1) <= meanTolerance) {
		return &ParameterError{
			"Service", fmt.Sprintf("%v with mean %v", p.Service, p.Service.Mean()),
			fmt.Sprintf("a law with mean 1/ServiceRate = %v", 1/p.ServiceRate),
		}
	}
	return nil
}

func (p Parameters) validateClasses() error {
	if p.Classes == nil {
		return Class{p.Robots, p.ArrivalRate}.validate("")
	}
	if n := len(p.Classes); n < 1 || n > MaxClasses {
		return &ParameterError{"Classes", fmt.Sprintf("a list of %d", n), fmt.Sprintf("a list of 1 to %d", MaxClasses)}
	}
	if p.Robots != 0 || p.ArrivalRate != 0 {
		return &ParameterError{"Robots", p.Robots, "0, and ArrivalRate 0, beside Classes"}
	}
	for i, class := range p.Classes {
		if err := class.validate(fmt.Sprintf("Classes[%d].", i)); err != nil {
			return err
		}
	}
	return nil
}

// validate returns an error for a field whose name has the prefix.
func (c Class) validate(prefix string) error {
	if c.Robots < 1 {
		return &ParameterError{prefix + "Robots", c.Robots, "at least 1"}
	}
	if !isPositive(c.ArrivalRate) {
		return &ParameterError{prefix + "ArrivalRate", c.ArrivalRate, positiveNumber}
	}
	return nil
}

func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// ClassList returns the classes of robots: one where Classes is nil.
func (p Parameters) ClassList() []Class {
	if p.Classes != nil {
		return p.Classes
	}
	return []Class{{p.Robots, p.ArrivalRate}}
}

// clone returns a copy that shares no list with p.
func (p Parameters) clone() Parameters {
	p.Classes = slices.Clone(p.Classes)
	return p
}

// IsPlain reports whether the process is that of the paper.
func (p Parameters) IsPlain() bool {
	return len(p.ClassList()) == 1 && phases.IsExponential(p.Service) &&
		p.HoldingCost == 0 && p.RobotCost == 0 && p.ActivationCost == 0
}

// Cost returns the whole cost per unit of time of measures.
func (p Parameters) Cost(m Measures) float64 {
	return p.StarvationWeight*m.Starvation + m.LossRate +
		p.HoldingCost*m.PagesMean + p.RobotCost*m.RobotsMean + p.ActivationCost*m.ActivationRate
}
