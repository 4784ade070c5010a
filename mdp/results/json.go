// This file writes and reads results in JSON.

package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

// document is a [Result] as files hold it. What is nil or empty is left out.
type document struct {
	Criterion      string             `json:"criterion"`
	Sense          string             `json:"sense"`
	Reward         string             `json:"reward,omitempty"`
	Target         string             `json:"target,omitempty"`
	Discount       *float64           `json:"discount,omitempty"`
	ExactDiscount  *numbers           `json:"exact_discount,omitempty"`
	Horizon        *int               `json:"horizon,omitempty"`
	Evaluated      bool               `json:"evaluated,omitempty"`
	Status         string             `json:"status,omitempty"`
	Method         string             `json:"method,omitempty"`
	Choice         string             `json:"choice,omitempty"`
	Iterations     int                `json:"iterations"`
	Seconds        float64            `json:"elapsed_seconds,omitempty"`
	Tolerance      *float64           `json:"tolerance,omitempty"`
	Classification string             `json:"classification,omitempty"`
	Aperiodic      *bool              `json:"aperiodic,omitempty"`
	Initial        int                `json:"initial"`
	Value          *numbers           `json:"value,omitempty"`
	ExactValue     *numbers           `json:"exact_value,omitempty"`
	Values         *numbers           `json:"values,omitempty"`
	Lower          *numbers           `json:"lower,omitempty"`
	Upper          *numbers           `json:"upper,omitempty"`
	ExactValues    *numbers           `json:"exact_values,omitempty"`
	RelativeValues *numbers           `json:"relative_values,omitempty"`
	Policy         *[]int32           `json:"policy,omitempty"`
	Certificate    *certificateObject `json:"certificate,omitempty"`
}

type certificateObject struct {
	Lower  *witnessObject `json:"lower,omitempty"`
	Upper  *witnessObject `json:"upper,omitempty"`
	Policy *[]int32       `json:"policy,omitempty"`
	Scale  *witnessObject `json:"scale,omitempty"`
	Cycle  *cycleObject   `json:"cycle,omitempty"`
}

type witnessObject struct {
	Gain     *numbers `json:"gain,omitempty"`
	GainLow  *numbers `json:"gain_low,omitempty"`
	Value    *numbers `json:"value,omitempty"`
	ValueLow *numbers `json:"value_low,omitempty"`
}

type cycleObject struct {
	Policy   []int32  `json:"policy"`
	Value    *numbers `json:"value,omitempty"`
	ValueLow *numbers `json:"value_low,omitempty"`
}

// Write writes a result as a JSON object. Its members are those of [Result] in
// small letters, but elapsed_seconds for Seconds, relative_values for Relative, and
// exact_value and exact_values, texts such as "95/219", for Exact; values, lower,
// upper, policy and those lists are arrays by state. What is not set is left out.
// Numbers are the shortest decimals that read back the same; infinite values are
// the texts "Infinity" and "-Infinity".
//
// The member certificate is an object with members lower and upper and, where
// they are there, policy, scale and cycle. lower, upper and scale have members
// gain and value, cycle has policy and value: arrays by state, or a number that
// stands for all states. gain_low and value_low are added to them. Fractions are
// texts such as "95/219", and a vector that has any is exact. Missing vectors
// stand for zeros.
func Write(w io.Writer, r *Result) error {
	if err := r.Validate(); err != nil {
		return err
	}
	text, err := json.Marshal(documentOf(r))
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if _, err := w.Write(append(inLines(text), '\n')); err != nil {
		return fmt.Errorf("results: writing: %w", err)
	}
	return nil
}

// inLines returns a JSON text with spaces and a line for each member, for people. No
// list has an object in it.
func inLines(text []byte) []byte {
	lines := make([]byte, 0, len(text)+len(text)/4)
	quoted, escaped, listed, from := false, false, false, 0
	for i, c := range text {
		if c == '"' && !escaped {
			quoted = !quoted
		}
		escaped = c == '\\' && !escaped
		switch {
		case quoted:
		case c == '[' || c == ']':
			listed = c == '['
		case c == ',' && !listed:
			lines, from = append(append(lines, text[from:i+1]...), '\n'), i+1
		case c == ',' || c == ':':
			lines, from = append(append(lines, text[from:i+1]...), ' '), i+1
		}
	}
	return append(lines, text[from:]...)
}

// WriteFile writes a result to a file, compressed where its name ends in .gz. A
// file of that name is overwritten.
func WriteFile(path string, r *Result) error {
	return gzfile.Write(path, func(w io.Writer) error { return Write(w, r) })
}

// ReadFile reads a result from a file, which is compressed where its name ends in
// .gz.
func ReadFile(path string) (*Result, error) {
	return gzfile.Read(path, func(r io.Reader) (*Result, error) { return Read(r, path) })
}

// Read reads a result as [Write] writes it, its members in any order. name is what
// errors call the file. A fault of the syntax is a [*mdpio.SyntaxError]; other errors
// name the member.
func Read(r io.Reader, name string) (*Result, error) {
	var d document
	err := jsonscan.Decode(r, name, true, &d)
	if errors.Is(err, jsonscan.ErrUnknown) {
		return nil, fmt.Errorf("%w: use a result, such as solve --out writes", err)
	}
	if err != nil {
		return nil, exported(err)
	}
	result, err := d.result()
	if err == nil {
		err = result.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

// documentOf returns a result as a file holds it.
func documentOf(r *Result) *document {
	d := &document{
		Criterion: r.Criterion, Sense: r.Sense, Reward: r.Reward, Target: r.Target, Evaluated: r.Evaluated,
		Status: r.Status, Method: r.Method, Choice: r.Choice, Iterations: r.Iterations, Seconds: r.Seconds,
		Classification: r.Classification, Aperiodic: &r.Aperiodic, Initial: r.Initial,
		Values: list(r.Values), Lower: list(r.Lower), Upper: list(r.Upper), RelativeValues: list(r.Relative),
		Policy: pointerTo(r.Policy), Certificate: r.Certificate.object(),
	}
	if r.Criterion == "discounted" || r.Discount != 0 {
		d.Discount = &r.Discount
	}
	if r.ExactDiscount != nil && r.ExactDiscount.Cmp(shortestDecimal(r.Discount)) != 0 {
		d.ExactDiscount = &numbers{floats: []float64{r.Discount}, exact: []*big.Rat{r.ExactDiscount}, single: true}
	}
	if r.Criterion == "finite" || r.Horizon != 0 {
		d.Horizon = &r.Horizon
	}
	if r.Tolerance != 0 || r.ZeroTolerance {
		d.Tolerance = &r.Tolerance
	}
	if r.Values != nil {
		d.Value = &numbers{floats: []float64{r.Value}, single: true}
	}
	if r.Exact != nil {
		d.ExactValues = &numbers{floats: r.Values, exact: r.Exact}
		d.ExactValue = &numbers{floats: r.Values[r.Initial : r.Initial+1], exact: r.Exact[r.Initial : r.Initial+1], single: true}
	}
	return d
}

// result returns the result that a file holds, or what it lacks to be one.
func (d *document) result() (*Result, error) {
	r := &Result{
		Criterion: d.Criterion, Sense: d.Sense, Reward: d.Reward, Target: d.Target, Evaluated: d.Evaluated,
		Discount: valueOf(d.Discount), Horizon: valueOf(d.Horizon), Status: d.Status, Method: d.Method, Choice: d.Choice,
		Iterations: d.Iterations, Seconds: d.Seconds, Tolerance: valueOf(d.Tolerance) + 0, // −0 becomes 0
		ZeroTolerance: d.Tolerance != nil && *d.Tolerance == 0, Classification: d.Classification,
		Aperiodic: valueOf(d.Aperiodic), Initial: d.Initial, Policy: valueOf(d.Policy), Exact: d.ExactValues.rationals(),
	}
	for _, list := range []struct {
		name string
		from *numbers
		to   *[]float64
	}{{"values", d.Values, &r.Values}, {"lower", d.Lower, &r.Lower}, {"upper", d.Upper, &r.Upper}, {"relative_values", d.RelativeValues, &r.Relative}} {
		if list.from == nil {
			continue
		}
		if *list.to = list.from.floats; list.from.exact != nil || list.from.single {
			return nil, fmt.Errorf(`%s: expected a list of numbers, "Infinity" and "-Infinity"`, list.name)
		}
	}
	switch {
	case d.Criterion == "discounted" && d.Discount == nil:
		return nil, errors.New(`found a result without discount; expected a member "discount", a number from 0 to below 1`)
	case d.Criterion == "finite" && d.Horizon == nil:
		return nil, errors.New(`found a result without horizon; expected a member "horizon", a number of steps`)
	case d.Classification != "" && d.Aperiodic == nil:
		return nil, errors.New(`found a result without aperiodic; expected a member "aperiodic", true or false`)
	}
	if d.ExactDiscount != nil {
		if r.ExactDiscount = d.ExactDiscount.one(); r.ExactDiscount == nil {
			return nil, errors.New(`exact_discount: expected a fraction such as "2/3"`)
		}
	}
	if s := r.Initial; 0 <= s && s < len(r.Values) {
		r.Value = r.Values[s]
		if x := d.Value; x != nil && (!x.single || x.exact != nil || x.floats[0] != r.Value) {
			return nil, fmt.Errorf("value: expected that of the initial state in values, %v", r.Value)
		}
		if x := d.ExactValue; x != nil && (!x.single || s >= len(r.Exact) || x.floats[0] != r.Value || !sameRat(x.one(), r.Exact[s])) {
			return nil, errors.New("exact_value: expected that of the initial state in exact_values")
		}
	}
	var err error
	r.Certificate, err = d.Certificate.certificate()
	return r, err
}

// object returns a certificate as a file holds it, nil for none.
func (c *Certificate) object() *certificateObject {
	if c == nil {
		return nil
	}
	o := &certificateObject{Lower: c.Lower.object(), Upper: c.Upper.object(), Policy: pointerTo(c.Policy)}
	if c.Scale != nil {
		o.Scale = c.Scale.object()
	}
	if c.Cycle != nil {
		o.Cycle = &cycleObject{c.Cycle.Policy, c.Cycle.Value.numbers(), list(c.Cycle.Value.Low)}
	}
	return o
}

func (w *Witness) object() *witnessObject {
	return &witnessObject{w.Gain.numbers(), list(w.Gain.Low), w.Value.numbers(), list(w.Value.Low)}
}

// numbers returns the numbers of a vector as a file holds them, nil for an empty one.
func (v *Vector) numbers() *numbers {
	if len(v.High) == 0 {
		return nil
	}
	return &numbers{floats: v.High, exact: v.Exact, single: len(v.High) == 1}
}

// certificate returns the certificate that a file holds, nil for none.
func (o *certificateObject) certificate() (*Certificate, error) {
	if o == nil {
		return nil, nil //nolint:nilnil // no certificate is none at fault
	}
	c := &Certificate{Policy: valueOf(o.Policy)}
	var err error
	read := func(name string, high, low *numbers) Vector {
		v := Vector{}
		if high != nil {
			v.High, v.Exact = high.floats, high.exact
		}
		if low != nil {
			if v.Low = low.floats; low.exact != nil {
				err = fmt.Errorf("certificate: %s_low: found a fraction; expected decimals", name)
			}
		}
		return v
	}
	witness := func(side string, w *witnessObject) Witness {
		if w == nil {
			return Witness{}
		}
		return Witness{read(side+".gain", w.Gain, w.GainLow), read(side+".value", w.Value, w.ValueLow)}
	}
	c.Lower, c.Upper = witness("lower", o.Lower), witness("upper", o.Upper)
	if o.Scale != nil {
		scale := witness("scale", o.Scale)
		c.Scale = &scale
	}
	if o.Cycle != nil {
		c.Cycle = &Cycle{o.Cycle.Policy, read("cycle.value", o.Cycle.Value, o.Cycle.ValueLow)}
	}
	return c, err
}

// numbers is a list of numbers, or one number, in a file: decimals, which stand for
// float64, "Infinity" and "-Infinity", and fractions such as "95/219". exact is nil
// where there is no fraction, and otherwise holds all that are finite.
type numbers struct {
	floats []float64
	exact  []*big.Rat
	single bool
}

// Expected says what numbers are in a file.
func (*numbers) Expected() string {
	return `a number, a fraction such as "95/219", "Infinity" or "-Infinity", or a list of these`
}

// MarshalJSON writes the numbers.
func (n *numbers) MarshalJSON() ([]byte, error) {
	var text []byte
	for s, x := range n.floats {
		if s > 0 {
			text = append(text, ',')
		}
		switch {
		case len(n.exact) > 0 && n.exact[s] != nil:
			text = append(append(append(text, '"'), n.exact[s].RatString()...), '"')
		case math.IsInf(x, 1):
			text = append(text, `"Infinity"`...)
		case math.IsInf(x, -1):
			text = append(text, `"-Infinity"`...)
		default:
			text = strconv.AppendFloat(text, x, 'g', -1, 64)
		}
	}
	if !n.single {
		text = append(append([]byte{'['}, text...), ']')
	}
	return text, nil
}

// UnmarshalJSON reads numbers. The text is valid JSON.
func (n *numbers) UnmarshalJSON(text []byte) error {
	n.single = text[0] != '['
	content := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("[")), []byte("]")))
	n.floats = []float64{}
	if len(content) == 0 {
		return nil
	}
	n.floats = make([]float64, 0, 1+bytes.Count(content, []byte(",")))
	for word := range bytes.SplitSeq(content, []byte(",")) {
		word = bytes.TrimSpace(word)
		float, fraction, ok := readNumber(string(word))
		if !ok {
			return &json.UnmarshalTypeError{Value: string(word), Type: reflect.TypeFor[numbers]()}
		}
		if fraction != nil && n.exact == nil {
			n.exact = n.rationals() // those before
		}
		if n.floats = append(n.floats, float); n.exact != nil && fraction == nil {
			fraction = new(big.Rat).SetFloat64(float) // nil for an infinite one
		}
		if n.exact != nil {
			n.exact = append(n.exact, fraction)
		}
	}
	return nil
}

// readNumber reads one number, with the fraction that it is if it is a text.
func readNumber(word string) (float float64, fraction *big.Rat, ok bool) {
	text, quoted := strings.CutPrefix(word, `"`)
	text = strings.TrimSuffix(text, `"`)
	switch {
	case !quoted:
		float, err := strconv.ParseFloat(word, 64)
		return float + 0, nil, err == nil // −0 becomes 0
	case text == "Infinity":
		return math.Inf(1), nil, true
	case text == "-Infinity":
		return math.Inf(-1), nil, true
	case strings.Trim(text, "-/0123456789") == "": // exponents could fill the memory
		if fraction, ok = new(big.Rat).SetString(text); ok {
			float, _ = fraction.Float64()
		}
	}
	return float, fraction, ok
}

// list returns a list for a file, nil for none.
func list(floats []float64) *numbers {
	if floats == nil {
		return nil
	}
	return &numbers{floats: floats}
}

// rationals returns the numbers as fractions, nil for those that are infinite.
func (n *numbers) rationals() []*big.Rat {
	if n == nil {
		return nil
	}
	if n.exact != nil {
		return n.exact
	}
	exact := make([]*big.Rat, len(n.floats))
	for s, x := range n.floats {
		exact[s] = new(big.Rat).SetFloat64(x) // nil for an infinite one
	}
	return exact
}

// one returns the only number as a fraction, nil where it is infinite or none.
func (n *numbers) one() *big.Rat {
	if !n.single {
		return nil
	}
	return n.rationals()[0]
}

func sameRat(x, y *big.Rat) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.Cmp(y) == 0
}

// valueOf returns what a pointer leads to, and nothing for a nil one.
func valueOf[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// pointerTo returns a pointer to a list, nil for none.
func pointerTo[T any](list []T) *[]T {
	if list == nil {
		return nil
	}
	return &list
}
