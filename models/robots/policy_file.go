package robots

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/queue"
)

// The form of files of fleet policies.
const (
	fleetFormat    = "robots-fleet-policy"
	fleetVersion   = 1
	exponentialLaw = "exponential"
)

// WriteJSON writes the policy with its fleet as a JSON object, which
// [ReadFleetPolicy] reads:
//
//	format, version      "robots-fleet-policy" and 1
//	robots, lambda       lists of N_i and λ_i, by class
//	buffer, mu, gamma    K, μ and γ
//	holding_cost, robot_cost, activation_cost
//	service              the name of the law: exponential, or that of the next
//	mean, start, generator
//	                     of a law of phase type: its mean, α and the rows of T;
//	                     missing where services are exponential
//	activate             a list for each row of states with the class that a
//	                     departure activates, from 1, or 0 for none, for each mix
//	reactivate           likewise with the classes of which a robot that delivers
//	                     is sent out again: the sum of 2^(i−1) over these classes i
//
// The rows are the empty queue, and then each phase that a service may be in for
// each queue length 1 … K; the mixes (r_1, r_2, …) of active robots are in order
// of r_1 + (N_1+1)·(r_2 + (N_2+1)·(r_3 + …)), without that of none in the first
// row. A decision without effect is 0.
func (p *FleetPolicy) WriteJSON(w io.Writer) error {
	out := writing{bufio.NewWriter(w)}
	out.text("{\n  \"format\": ", strconv.Quote(fleetFormat), ",\n  \"version\": ", strconv.Itoa(fleetVersion))
	f := p.fleet
	var numbers, rates []string
	for _, class := range f.Classes {
		numbers, rates = append(numbers, strconv.Itoa(class.Robots)), append(rates, decimal(class.ArrivalRate))
	}
	out.field("robots", list(numbers))
	out.field("lambda", list(rates))
	out.field("buffer", strconv.Itoa(f.Buffer))
	for _, number := range fleetNumbers(&f) {
		out.field(number.name, decimal(*number.value))
	}
	if err := out.law(f); err != nil {
		return err
	}
	out.decisions(p, "activate", func(d Decisions) int { return d.Activate - NoClass })
	out.decisions(p, "reactivate", func(d Decisions) int { return int(d.Reactivate) })
	out.text("\n}\n")
	return out.Flush()
}

// fleetNumber is one of the numbers of a fleet, under the name that it has in
// files and in [ParameterError].
type fleetNumber struct {
	name, goName string
	value        *float64
}

func fleetNumbers(f *Fleet) []fleetNumber {
	return []fleetNumber{
		{"mu", "ServiceRate", &f.ServiceRate},
		{"gamma", "StarvationWeight", &f.StarvationWeight},
		{"holding_cost", "HoldingCost", &f.HoldingCost},
		{"robot_cost", "RobotCost", &f.RobotCost},
		{"activation_cost", "ActivationCost", &f.ActivationCost},
	}
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func decimals(numbers []float64) []string {
	texts := make([]string, len(numbers))
	for i, x := range numbers {
		texts[i] = decimal(x)
	}
	return texts
}

func list(elements []string) string { return "[" + strings.Join(elements, ", ") + "]" }

func (w writing) field(name, value string) { w.text(",\n  ", strconv.Quote(name), ": ", value) }

// law writes the service.
func (w writing) law(f Fleet) error {
	if f.exponential() {
		w.field("service", strconv.Quote(exponentialLaw))
		return nil
	}
	law, err := queue.PhaseTypeOf(f.Service)
	if err != nil {
		return fmt.Errorf("robots: Service: %w", err)
	}
	w.field("service", strconv.Quote(strings.TrimPrefix(law.String(), "ph:")))
	w.field("mean", decimal(law.Mean()))
	w.field("start", list(decimals(law.Start())))
	var rows []string
	for _, row := range law.Generator() {
		rows = append(rows, "\n    "+list(decimals(row)))
	}
	w.field("generator", "["+strings.Join(rows, ",")+"\n  ]")
	return nil
}

// decisions writes what is decided in every state, a row in a line.
func (w writing) decisions(p *FleetPolicy, name string, number func(Decisions) int) {
	w.field(name, "[")
	for row := range p.rows() {
		if row > 0 {
			w.text(",")
		}
		w.text("\n    [")
		for code := range p.count {
			if row+code == 0 {
				continue
			}
			if row+code > 1 && code > 0 {
				w.text(", ")
			}
			w.text(strconv.Itoa(number(p.decisions(row, code))))
		}
		w.text("]")
	}
	w.text("\n  ]")
}

// ReadFleetPolicy reads a policy that [FleetPolicy.WriteJSON] has written, or one
// of the plain process that [ReadPolicy] reads, as that of a fleet of one class.
// Everything is checked, and decisions as by [NewFleetPolicy]. Errors are a
// [*FileError] with the place, or those of [ReadPolicy] and [NewFleetModel].
// Rates of a law of phase type may differ from those written by rounding.
func ReadFleetPolicy(r io.Reader, file string) (*FleetPolicy, error) {
	text, err := policyText(r, file)
	if err != nil {
		return nil, err
	}
	if !isFleetPolicy(text) {
		policy, err := parsePolicy(text, file)
		if err != nil {
			return nil, err
		}
		return policy.FleetPolicy()
	}
	return readFleetPolicy(text, file)
}

// isFleetPolicy says whether a text begins as one of this form.
func isFleetPolicy(text []byte) bool {
	r := newJSONReader(text, "")
	if r.expect('{', "") != nil || r.key("format") != nil {
		return false
	}
	token, err := r.token()
	return err == nil && token == fleetFormat
}
