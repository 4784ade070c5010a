package robots

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/queue"
)

// fleetReader reads a fleet policy from JSON.
type fleetReader struct {
	*jsonReader
	fleet  Fleet
	places map[string]int64 // of keys
	model  *FleetModel
	policy *FleetPolicy
}

func readFleetPolicy(text []byte, file string) (*FleetPolicy, error) {
	r := &fleetReader{jsonReader: newJSONReader(text, file), places: map[string]int64{}}
	for _, read := range []func() error{
		r.head, r.readFleet, r.prepare,
		func() error { return r.rows("activate", r.activation) },
		func() error { return r.rows("reactivate", r.reactivation) },
		r.end,
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r.policy, nil
}

func (r *fleetReader) head() error {
	if err := r.expect('{', "an object"); err != nil {
		return err
	}
	if err := r.scalar("format", fleetFormat); err != nil {
		return err
	}
	return r.scalar("version", strconv.Itoa(fleetVersion))
}

// readFleet reads the parameters.
func (r *fleetReader) readFleet() error {
	robots, err := r.numbersOf("robots")
	if err != nil {
		return err
	}
	rates, err := r.numbersOf("lambda")
	if err != nil {
		return err
	}
	if len(robots) != len(rates) {
		return r.fault("%d rates found for %d numbers of robots; as many are allowed", len(rates), len(robots))
	}
	for i, n := range robots {
		if whole(n) < 0 {
			r.before = r.places["robots"]
			return r.fault("robots: %v found; whole numbers are allowed", n)
		}
		r.fleet.Classes = append(r.fleet.Classes, Class{whole(n), rates[i]})
	}
	buffer, err := r.numberOf("buffer")
	if err != nil {
		return err
	}
	if r.fleet.Buffer = whole(buffer); r.fleet.Buffer < 0 {
		return r.fault("buffer: %v found; a whole number is allowed", buffer)
	}
	for _, number := range fleetNumbers(&r.fleet) {
		if *number.value, err = r.numberOf(number.name); err != nil {
			return err
		}
	}
	return r.law()
}

// whole returns a whole number, or −1, which is nowhere allowed.
func whole(x float64) int {
	if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return -1
	}
	return int(x)
}

// law reads the service.
func (r *fleetReader) law() error {
	if err := r.key("service"); err != nil {
		return err
	}
	token, err := r.token()
	if err != nil {
		return err
	}
	name, ok := token.(string)
	if !ok {
		return r.fault("service is %s; the name of a law is allowed", shown(token))
	}
	if r.places["service"] = r.before; name == exponentialLaw {
		return nil
	}
	mean, err := r.numberOf("mean")
	if err != nil {
		return err
	}
	start, err := r.numbersOf("start")
	if err != nil {
		return err
	}
	if err := r.key("generator"); err != nil {
		return err
	}
	if err := r.expect('[', "a list of lists"); err != nil {
		return err
	}
	var generator [][]float64
	for r.decoder.More() {
		row, err := r.numbers("generator")
		if err != nil {
			return err
		}
		generator = append(generator, row)
	}
	if err := r.expect(']', "the end of the lists"); err != nil {
		return err
	}
	if r.fleet.Service, err = queue.NewPhaseType(name, start, generator, mean); err != nil {
		return r.fault("service: %v", err)
	}
	return nil
}

// prepare checks the fleet and makes room for the decisions, of which a file
// cannot hold more than it has bytes.
func (r *fleetReader) prepare() error {
	forecast, err := r.fleet.Forecast()
	if fault, ok := errors.AsType[*ParameterError](err); ok {
		key := fleetKey(fault.Field)
		r.before = r.places[key]
		return r.fault("%s: %v found; allowed is %s", key, fault.Value, fault.Allowed)
	}
	if err != nil {
		return r.fault("%v", err)
	}
	if forecast.States > float64(len(r.text)) {
		return r.fault("a policy for %.3g states does not fit in the %d bytes of the file; smaller numbers are allowed",
			forecast.States, len(r.text))
	}
	if r.model, err = NewFleetModel(r.fleet); err != nil {
		return err
	}
	r.policy = newFleetPolicy(r.model)
	return nil
}

// fleetKey returns the key under which a file has a field of a fleet.
func fleetKey(field string) string {
	for _, number := range fleetNumbers(new(Fleet)) {
		if number.goName == field {
			return number.name
		}
	}
	switch {
	case field == "Buffer":
		return "buffer"
	case field == "Service":
		return "service"
	case strings.HasSuffix(field, ".ArrivalRate"):
		return "lambda"
	}
	return "robots"
}

// rows reads the decisions of all states.
func (r *fleetReader) rows(key string, decide func(row, code, number int) error) error {
	if err := r.key(key); err != nil {
		return err
	}
	if err := r.expect('[', "a list of lists"); err != nil {
		return err
	}
	for row := range r.model.rows() {
		if err := r.expect('[', fmt.Sprintf("a list for each of %d rows of states", r.model.rows())); err != nil {
			return err
		}
		for code := range r.model.count {
			if row+code == 0 {
				continue
			}
			number, err := r.number(key)
			if err == nil {
				err = decide(row, code, whole(number))
			}
			if err != nil {
				return err
			}
		}
		if err := r.expect(']', fmt.Sprintf("the end of the list of row %d", row+1)); err != nil {
			return err
		}
	}
	return r.expect(']', "the end of the lists")
}

func (r *fleetReader) activation(row, code, number int) error {
	state, class := r.model.state(row, code), number+NoClass
	queue, phase := r.model.place(row)
	switch {
	case number < 0:
		return r.fault("no class found at %+v; a whole number from 0 up is allowed", state)
	case queue == 0 || r.model.service.exits[phase] == 0:
		if class != NoClass {
			return r.fault("class %d found at %+v, where no departure comes next; 0 is allowed", number, state)
		}
	default:
		if r.model.checkActivation(state, code, class) != nil {
			return r.fault("%d found at %+v; a class with an idle robot, from 1, or 0 is allowed, "+
				"and not 0 where the last page leaves and no robot is active", number, state)
		}
	}
	r.policy.set(row, code, Decisions{Activate: class})
	return nil
}

func (r *fleetReader) reactivation(row, code, number int) error {
	allowed := 0
	for c := range r.fleet.Classes {
		if r.model.active(code, c) > 0 {
			allowed |= 1 << c
		}
	}
	if number < 0 || number&^allowed != 0 {
		return r.fault("no set of classes found at %+v; sums of 2^(i−1) over classes i with active robots, at most %d, are allowed",
			r.model.state(row, code), allowed)
	}
	d := r.policy.decisions(row, code)
	d.Reactivate = ClassSet(number)
	r.policy.set(row, code, d)
	return nil
}

// numberOf reads a key with a number.
func (r *fleetReader) numberOf(key string) (float64, error) {
	if err := r.key(key); err != nil {
		return 0, err
	}
	x, err := r.number(key)
	r.places[key] = r.before
	return x, err
}

// numbersOf reads a key with a list of numbers.
func (r *fleetReader) numbersOf(key string) ([]float64, error) {
	if err := r.key(key); err != nil {
		return nil, err
	}
	r.places[key] = r.decoder.InputOffset()
	return r.numbers(key)
}

func (r *fleetReader) number(what string) (float64, error) {
	token, err := r.token()
	if err != nil {
		return 0, err
	}
	number, ok := token.(json.Number)
	if !ok {
		return 0, r.fault("%s: %s found; a number is allowed", what, shown(token))
	}
	x, err := number.Float64()
	if err != nil {
		return 0, r.fault("%s: %s found; a number that float64 holds is allowed", what, shown(token))
	}
	return x, nil
}

func (r *fleetReader) numbers(what string) ([]float64, error) {
	if err := r.expect('[', "a list of numbers"); err != nil {
		return nil, err
	}
	var numbers []float64
	for r.decoder.More() {
		x, err := r.number(what)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, x)
	}
	return numbers, r.expect(']', "the end of the list")
}
