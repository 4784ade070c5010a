// This file reads policies from JSON.

package robots

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/queue"
)

// jsonReader reads a policy from JSON, whose members come in the order in which
// they are written: the decisions are checked against the parameters.
type jsonReader struct {
	scan       *jsonscan.Scanner
	file       string
	size       int          // of the file, in bytes
	next       []jsonMember // that are to come
	places     map[string]filepos.Place
	parameters Parameters
	builder    *policyBuilder // nil before the first decision
}

// jsonMember is a member of the object that is a policy.
type jsonMember struct {
	name     string
	read     func() error // reads the value
	optional bool         // it may be missing: the last
}

func (m jsonMember) expected() string {
	if m.optional {
		return "the end of the policy"
	}
	return strconv.Quote(m.name)
}

func readJSON(text []byte, file string) (*Policy, error) {
	r := &jsonReader{
		scan: jsonscan.New(bytes.NewReader(text), file), file: file, size: len(text),
		places: map[string]filepos.Place{},
	}
	r.next = []jsonMember{{name: "format", read: r.format}, {name: "version", read: r.version}}
	err := r.scan.Object("a policy in curly brackets", func(name string) error {
		if len(r.next) == 0 {
			return r.scan.Fail(wording.Quote(name), "the end of the policy")
		}
		member := r.next[0]
		if r.next = r.next[1:]; name != member.name {
			return r.scan.Fail(wording.Quote(name), member.expected())
		}
		r.places[name] = r.scan.Place()
		return member.read()
	})
	if err == nil && len(r.next) > 0 && !r.next[0].optional {
		err = r.scan.Fail("the end of the policy", r.next[0].expected())
	}
	if err == nil {
		err = r.scan.End()
	}
	if err != nil {
		return nil, err
	}
	return r.builder.policy, nil
}

// format reads the format, which says what else there is.
func (r *jsonReader) format() error {
	format, err := r.scan.Text("the name of a format")
	if err != nil {
		return err
	}
	plain := string(format) == plainFormat
	if !plain && string(format) != variantFormat {
		return r.scan.Fail(wording.Quote(string(format)), plainFormat+" or "+variantFormat)
	}
	fields := plainFields(&r.parameters)
	if !plain {
		fields = variantFields(&r.parameters)
		r.next = append(r.next, jsonMember{name: "robots", read: r.robots}, jsonMember{name: "lambda", read: r.lambda})
	}
	for _, field := range fields {
		r.next = append(r.next, jsonMember{name: field.name, read: func() error { return r.field(field) }})
	}
	if !plain {
		r.next = append(r.next, jsonMember{name: "service", read: r.service})
	}
	for _, table := range decisionTables(plain) {
		r.next = append(r.next, jsonMember{name: table.name, read: func() error { return r.decisions(table) }})
	}
	r.next = append(r.next, jsonMember{"chance", func() error { return r.chance(decisionTables(plain)) }, true})
	return nil
}

func (r *jsonReader) version() error {
	version, err := r.scan.Int(math.MaxInt32, "a whole number")
	if err == nil && version != formatVersion {
		err = r.scan.Fail(strconv.Itoa(version), "version "+strconv.Itoa(formatVersion))
	}
	return err
}

func (r *jsonReader) field(field fileField) error {
	word, err := r.scan.Number("a number")
	if err != nil {
		return err
	}
	if expected := field.parse(string(word)); expected != "" || !jsonscan.IsNumber(word) {
		return r.scan.Fail(wording.Quote(string(word)), expected)
	}
	return nil
}

func (r *jsonReader) robots() error {
	r.parameters.Classes = []Class{} // none yet
	return r.scan.Array("a list of numbers of robots", func(int) error {
		robots, err := r.scan.Int(math.MaxInt32, "a whole number")
		r.parameters.Classes = append(r.parameters.Classes, Class{Robots: robots})
		return err
	})
}

func (r *jsonReader) lambda() error {
	rates, err := r.numbers()
	if err != nil {
		return err
	}
	if len(rates) != len(r.parameters.Classes) {
		return r.scan.Fail(fmt.Sprintf("%d rates", len(rates)), fmt.Sprintf("%d, one for each class", len(r.parameters.Classes)))
	}
	for i, rate := range rates {
		r.parameters.Classes[i].ArrivalRate = rate
	}
	return nil
}

// service reads the name of the law; the numbers of one of phase type follow.
func (r *jsonReader) service() error {
	name, err := r.scan.Text("the name of a law")
	if err != nil || string(name) == exponentialLaw {
		return err
	}
	law := string(name)
	var mean float64
	var start []float64
	var generator [][]float64
	r.next = append([]jsonMember{
		{name: "mean", read: func() error { return r.field(fileField{real: &mean}) }},
		{name: "start", read: func() (err error) {
			start, err = r.numbers()
			return err
		}},
		{name: "generator", read: func() error {
			err := r.scan.Array("a list of lists", func(int) error {
				row, err := r.numbers()
				generator = append(generator, row)
				return err
			})
			if err != nil {
				return err
			}
			if r.parameters.Service, err = queue.NewPhaseType(law, start, generator, mean); err != nil {
				return r.scan.Fail(fmt.Sprintf("a law that is not valid: %v", err), "")
			}
			return nil
		}},
	}, r.next...)
	return nil
}

func (r *jsonReader) numbers() (numbers []float64, err error) {
	err = r.scan.Array("a list of numbers", func(int) error {
		var x float64
		err := r.field(fileField{real: &x})
		numbers = append(numbers, x)
		return err
	})
	return numbers, err
}

// decisions reads a table, and before the first checks the parameters.
func (r *jsonReader) decisions(table decisionTable) error {
	if r.builder == nil {
		if len(r.parameters.Classes) == 1 && r.parameters.IsPlain() {
			r.parameters = r.parameters.unlisted()
		}
		var err error
		if r.builder, err = newPolicyBuilder(r.parameters, r.file, r.size, func(name string) filepos.Place { return r.places[name] }); err != nil {
			return err
		}
	}
	layout, row := r.builder.model.layout, table.firstRow
	err := r.scan.Array("a list of lists", func(int) error {
		if row == layout.rows() {
			return r.scan.Unexpected("the end of the lists")
		}
		code := table.first(row)
		err := r.scan.Array("a list of decisions", func(int) error {
			if code == layout.mixes.count {
				return r.scan.Unexpected("the end of the list")
			}
			value, err := r.scan.Int(math.MaxUint8, "a decision (a whole number)")
			if err != nil {
				return err
			}
			if expected := table.set(r.builder, row, code, value); expected != "" {
				return r.scan.Fail(r.at(value, row, code), expected)
			}
			code++
			return nil
		})
		if err == nil && code < layout.mixes.count {
			return r.scan.Fail("the end of a list", fmt.Sprintf("%d decisions", layout.mixes.count-table.first(row)))
		}
		row++
		return err
	})
	if err == nil && row < layout.rows() {
		return r.scan.Fail("the end of the lists", fmt.Sprintf("%d lists", layout.rows()-table.firstRow))
	}
	return err
}

// at returns a decision with its state.
func (r *jsonReader) at(value, row, code int) string {
	layout := r.builder.model.layout
	return fmt.Sprintf("%d at %+v", value, layout.state(make([]int, len(layout.mixes.robots)), row, code))
}

// chance reads the decision that is left to chance.
func (r *jsonReader) chance(tables [2]decisionTable) error {
	place := r.scan.Place()
	c, active, action, table := Chance{}, []int{}, 0, ""
	whole := func(x *int) func() error {
		return func() (err error) {
			*x, err = r.scan.Int(math.MaxInt32, "a whole number")
			return err
		}
	}
	members := map[string]func() error{
		"queue": whole(&c.State.Queue), "phase": whole(&c.State.Phase), "action": whole(&action),
		"active": func() error {
			return r.scan.Array("a list of numbers of robots", func(int) error {
				var robots int
				err := whole(&robots)()
				active = append(active, robots)
				return err
			})
		},
		"table": func() error {
			text, err := r.scan.Text("the name of a table")
			table = string(text)
			return err
		},
		"probability": func() error { return r.field(fileField{real: &c.Probability}) },
	}
	err := r.scan.Object("a decision in curly brackets", func(name string) error {
		read, found := members[name]
		if !found {
			return r.scan.Fail(wording.Quote(name), "queue, phase, active, table, action and probability, once each")
		}
		delete(members, name)
		return read()
	})
	if err != nil {
		return err
	}
	fail := func(found, expected string) error {
		return filepos.Fault(found, expected).At(r.file, place)
	}
	if len(members) > 0 {
		return fail("a decision without all its members", "queue, phase, active, table, action and probability")
	}
	c.State.Active = active
	switch table {
	case tables[Departure].name:
		c.Event, c.Decisions.Activate = Departure, action+NoClass
	case tables[Arrival].name:
		c.Event, c.Decisions.Reactivate = Arrival, ClassSet(min(action, math.MaxUint8))
	default:
		return fail("the table "+wording.Quote(table), tables[Departure].name+" or "+tables[Arrival].name)
	}
	policy, err := r.builder.policy.WithChance(c)
	if err != nil {
		return fail(err.Error(), "a decision of the policy's process")
	}
	r.builder.policy = policy
	return nil
}
