package robots

import (
	"fmt"
	"math"

	"github.com/mdpsolve/mdpsolve/queue"
)

// MaxClasses is the greatest number of classes of robots in a [Fleet].
const MaxClasses = 8

// meanTolerance is how far the mean of a service law may be from 1/μ.
const meanTolerance = 1e-9

// Class describes robots that are all alike.
type Class struct {
	Robots      int     // N_i ≥ 1, robots of this class that may be active together
	ArrivalRate float64 // λ_i > 0, pages per unit of time of one active robot
}

// Fleet describes a search engine as [Parameters] do, without their
// assumptions that robots are all alike, that indexing times are exponential
// and that only starvation and losses cost: robots come in classes, indexing
// times follow a phase-type law, and the operator may also pay for pages that
// wait, for robots that are active and for activations. The cost per unit of
// time is
//
//	γ·(share of time with an empty queue) + (pages lost per unit of time)
//	+ h·(mean pages in the system) + c·(mean active robots) + a·(activations per unit of time).
//
// An activation is that of an idle robot at a departure, the one that is forced
// when the last page leaves included; sending out again the robot that has just
// delivered is free.
//
// Source: Talim, Liu, Nain and Coffman, section 3.1, and their list of
// assumptions to be dropped in section 5.
type Fleet struct {
	Classes          []Class   // 1 to MaxClasses
	Buffer           int       // K ≥ 2, pages in the system, the one in service included
	ServiceRate      float64   // μ > 0, pages indexed per unit of time of service
	Service          queue.Law // law of the indexing time, with mean 1/μ; nil: exponential
	StarvationWeight float64   // γ > 0, cost per unit of time with an empty queue; a lost page costs 1
	HoldingCost      float64   // h ≥ 0, per page in the system and unit of time
	RobotCost        float64   // c ≥ 0, per active robot and unit of time
	ActivationCost   float64   // a ≥ 0, each time a departure activates an idle robot
}

// Fleet returns the parameters as a fleet of one class.
func (p Parameters) Fleet() Fleet {
	return Fleet{
		Classes:          []Class{{p.Robots, p.ArrivalRate}},
		Buffer:           p.Buffer,
		ServiceRate:      p.ServiceRate,
		StarvationWeight: p.StarvationWeight,
	}
}

// Validate returns a [*ParameterError] for the first field whose value is not
// allowed: rates and weight are to be positive and finite, costs finite and not
// negative, the mean of the service law 1/ServiceRate to a relative 1e-9.
func (f Fleet) Validate() error {
	if n := len(f.Classes); n < 1 || n > MaxClasses {
		return &ParameterError{"Classes", fmt.Sprintf("a list of %d", n), fmt.Sprintf("a list of 1 to %d", MaxClasses)}
	}
	total := 0.0
	for i, class := range f.Classes {
		if class.Robots < 1 || class.Robots > math.MaxInt32 {
			return &ParameterError{fmt.Sprintf("Classes[%d].Robots", i), class.Robots, "from 1 to 2147483647"}
		}
		if !isPositive(class.ArrivalRate) {
			return &ParameterError{fmt.Sprintf("Classes[%d].ArrivalRate", i), class.ArrivalRate, "a positive finite number"}
		}
		total += float64(class.Robots) * class.ArrivalRate
	}
	if f.Buffer < 2 || f.Buffer > math.MaxInt32 {
		return &ParameterError{"Buffer", f.Buffer, "from 2 to 2147483647"}
	}
	if !isPositive(f.ServiceRate) {
		return &ParameterError{"ServiceRate", f.ServiceRate, "a positive finite number"}
	}
	if math.IsInf(total+f.ServiceRate, 1) {
		return &ParameterError{"Classes", f.Classes, "a list for which the sum of λN, and that and μ, is finite"}
	}
	if f.Service != nil && !(math.Abs(f.Service.Mean()*f.ServiceRate-1) <= meanTolerance) {
		return &ParameterError{
			"Service", fmt.Sprintf("%v with mean %v", f.Service, f.Service.Mean()),
			fmt.Sprintf("a law with mean 1/ServiceRate = %v", 1/f.ServiceRate),
		}
	}
	return f.validateCosts()
}

func (f Fleet) validateCosts() error {
	if !isPositive(f.StarvationWeight) {
		return &ParameterError{"StarvationWeight", f.StarvationWeight, "a positive finite number"}
	}
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"HoldingCost", f.HoldingCost},
		{"RobotCost", f.RobotCost},
		{"ActivationCost", f.ActivationCost},
	} {
		if !(c.value >= 0) || math.IsInf(c.value, 1) {
			return &ParameterError{c.name, c.value, "a finite number of 0 or more"}
		}
	}
	return nil
}

func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// Robots returns the number of robots of all classes together.
func (f Fleet) Robots() int {
	n := 0
	for _, class := range f.Classes {
		n += class.Robots
	}
	return n
}

// exponential reports whether services are without memory.
func (f Fleet) exponential() bool {
	if f.Service == nil {
		return true
	}
	_, ok := f.Service.(queue.Exponential)
	return ok
}

// parameters returns the plain parameters of a fleet of one class, without the
// costs and the law that they do not have.
func (f Fleet) parameters() Parameters {
	return Parameters{
		Robots:           f.Classes[0].Robots,
		Buffer:           f.Buffer,
		ArrivalRate:      f.Classes[0].ArrivalRate,
		ServiceRate:      f.ServiceRate,
		StarvationWeight: f.StarvationWeight,
	}
}
