package robots

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// WriteJSON writes the policy with its parameters as a JSON object, which
// [ReadPolicy] reads:
//
//	format, version      "robots-policy" and 1
//	robots, buffer       N and K
//	lambda, mu, gamma    λ, μ and γ
//	departure            a list for each q = 1 … K with the action (1 activates
//	                     a robot) at a departure, for each r = 0 … N
//	arrival              a list for each q = 0 … K with the action (1 reactivates
//	                     the robot) at an arrival, for each r = 1 … N
func (p *Policy) WriteJSON(w io.Writer) error {
	out := writing{bufio.NewWriter(w)}
	out.text("{\n  \"format\": ", strconv.Quote(policyFormat), ",\n  \"version\": ", strconv.Itoa(policyVersion))
	parameters := p.parameters
	for _, field := range policyFields(&parameters) {
		out.text(",\n  ", strconv.Quote(field.name), ": ", field.String())
	}
	for _, e := range []Event{Departure, Arrival} {
		out.text(",\n  ", strconv.Quote(e.String()), ": [")
		separator := "\n    ["
		for q := firstQueue(e); q <= parameters.Buffer; q++ {
			out.text(separator)
			separator = ""
			parameters.choiceStates(e, q, func(s State) {
				out.text(separator, action(p.Activates(s)))
				separator = ", "
			})
			separator = "],\n    ["
		}
		out.text("]\n  ]")
	}
	out.text("\n}\n")
	return out.Flush()
}

func firstQueue(e Event) int {
	if e == Departure {
		return 1
	}
	return 0
}

func action(activate bool) string {
	if activate {
		return "1"
	}
	return "0"
}

// policyReader reads a policy from JSON.
type policyReader struct {
	*jsonReader
	policy *Policy
}

func readPolicyJSON(text []byte, file string) (*Policy, error) {
	r := &policyReader{jsonReader: newJSONReader(text, file)}
	if err := r.object(); err != nil {
		return nil, err
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return r.policy, nil
}

// object reads the whole. Keys come in the order in which they are written: the
// decisions are checked against the parameters.
func (r *policyReader) object() error {
	if err := r.expect('{', "an object"); err != nil {
		return err
	}
	if err := r.scalar("format", policyFormat); err != nil {
		return err
	}
	if err := r.scalar("version", strconv.Itoa(policyVersion)); err != nil {
		return err
	}
	var p Parameters
	places := map[string]int64{}
	for _, field := range policyFields(&p) {
		if err := r.key(field.name); err != nil {
			return err
		}
		token, err := r.token()
		if err != nil {
			return err
		}
		number, ok := token.(json.Number)
		if !ok || !field.parse(number.String()) {
			return r.fault("%s is %s; %s is allowed", field.name, shown(token), field.allowed())
		}
		places[field.name] = r.before
	}
	var err error
	if r.policy, err = newUnfilledPolicy(p, len(r.text)); err != nil {
		if parameter, ok := errors.AsType[*ParameterError](err); ok {
			r.before = places[fieldNames[parameter.Field]]
			return r.fault("%s is %v; allowed is %s", fieldNames[parameter.Field], parameter.Value, parameter.Allowed)
		}
		return r.fault("%v", err)
	}
	for _, e := range []Event{Departure, Arrival} {
		if err := r.decisions(e); err != nil {
			return err
		}
	}
	return nil
}

func (r *policyReader) decisions(e Event) error {
	p := r.policy.parameters
	if err := r.key(e.String()); err != nil {
		return err
	}
	if err := r.expect('[', "a list of lists"); err != nil {
		return err
	}
	for q := firstQueue(e); q <= p.Buffer; q++ {
		if err := r.expect('[', fmt.Sprintf("a list for each queue length from %d to %d", firstQueue(e), p.Buffer)); err != nil {
			return err
		}
		var fault error
		p.choiceStates(e, q, func(s State) {
			if fault == nil {
				fault = r.decision(s)
			}
		})
		if fault != nil {
			return fault
		}
		if err := r.expect(']', fmt.Sprintf("the end of the list for queue length %d", q)); err != nil {
			return err
		}
	}
	return r.expect(']', "the end of the lists")
}

func (r *policyReader) decision(s State) error {
	token, err := r.token()
	if err != nil {
		return err
	}
	if text := fmt.Sprint(token); text != "0" && text != "1" || token == text { // a string is no number
		return r.fault("%s found for a %v at queue length %d with %d active robots; 0 or 1 is allowed", shown(token), s.Event, s.Queue, s.Active)
	} else if err := r.policy.decide(s, text == "1"); err != nil {
		return r.fault("%v", err)
	}
	return nil
}

// decide sets a decision, or says why it is not allowed.
func (p *Policy) decide(s State, activate bool) error {
	if s.forced() && !activate {
		return errors.New("0 found where the last page leaves and no robot is active; 1 is allowed")
	}
	p.decisions(s.Event)[p.at(s.Queue, s.Active)] = activate
	return nil
}
