// This file writes and reads results in JSON.

package certificate

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
)

// document is a [Result] as files hold it: with members that repeat some of its values, and with the
// exact values as text.
type document struct {
	Value      *fileNumbers `json:"value,omitempty"`
	ExactValue *fileNumbers `json:"exact_value,omitempty"`
	*Result
	ExactValues   *fileNumbers `json:"exact_values,omitempty"`
	InitialValues *fileNumbers `json:"initial_values,omitempty"`
}

// witnessObject is a [Witness] as files hold it, and cycleObject a [Cycle].
type witnessObject struct {
	Gain     *fileNumbers `json:"gain,omitempty"`
	GainLow  Floats       `json:"gain_low,omitzero"`
	Value    *fileNumbers `json:"value,omitempty"`
	ValueLow Floats       `json:"value_low,omitzero"`
}

type cycleObject struct {
	Policy   []int32      `json:"policy,omitzero"`
	Value    *fileNumbers `json:"value,omitempty"`
	ValueLow Floats       `json:"value_low,omitzero"`
}

// Write writes a result as a JSON object. Its members are those that the fields of
// [Result] name, with value, and exact_value and exact_values, texts such as "95/219",
// for Exact; lists are arrays by state. What is not set is left out. Numbers are the
// shortest decimals that read back the same; infinite values are the texts "Infinity"
// and "-Infinity".
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
	return documentOf(r).write(w)
}

// documentOf returns what a file holds of a result.
func documentOf(r *Result) *document {
	d := &document{Result: r}
	own := []float64{r.Value}
	if r.Values != nil || r.Constraints != nil {
		d.Value = &fileNumbers{floats: own, single: true}
		if r.Exact != nil {
			d.ExactValue = &fileNumbers{floats: own, exact: r.Exact[r.Initial : r.Initial+1], single: true}
			d.ExactValues = &fileNumbers{floats: r.Values, exact: r.Exact}
		}
		if r.Values != nil && r.InitialStates != nil {
			d.InitialValues = &fileNumbers{floats: r.initialValues()}
		}
	}
	return d
}

// initialValues returns the values of the initial states.
func (r *Result) initialValues() (values []float64) {
	for _, s := range r.InitialStates {
		values = append(values, r.Values[s])
	}
	return values
}

func (d *document) write(w io.Writer) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // which would hide "<="
	if err := encoder.Encode(d); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	out := bufio.NewWriter(w)
	writeLines(out, bytes.TrimSpace(text.Bytes()))
	if err := out.Flush(); err != nil {
		return fmt.Errorf("certificate: writing: %w", err)
	}
	return nil
}

// writeLines writes a JSON text with spaces and a line for each member, for people. Faults come
// from Flush.
func writeLines(out *bufio.Writer, text []byte) {
	quoted, escaped, listed, from := false, false, false, 0
	for i, c := range text {
		if c == '"' && !escaped {
			quoted = !quoted
		}
		escaped = c == '\\' && !escaped
		switch {
		case quoted:
		case c == '[' || c == ']' || c == '{' || c == '}': // objects and lists in a list have lines of their own
			listed = c == '['
		case c == ',' && !listed:
			_, _ = out.Write(text[from : i+1])
			_, from = out.WriteByte('\n'), i+1
		case c == ',' || c == ':':
			_, _ = out.Write(text[from : i+1])
			_, from = out.WriteByte(' '), i+1
		}
	}
	_, _ = out.Write(text[from:])
	_ = out.WriteByte('\n')
}

// WriteFile writes a result to a file, whose name tells the form. A file of that name is
// overwritten.
//
//	.json, .json.gz  as [Write] does
//	.npz             for numpy.load: an array for each list without fractions, called
//	                 as in JSON (certificate.lower.value is in lower of certificate), and
//	                 a member result.json for the rest; arrays of float64, and of int32
//	                 for policies
func WriteFile(path string, r *Result) error {
	return gzfile.Write(path, func(w io.Writer) error {
		if strings.HasSuffix(path, arrays) {
			return WriteArrays(w, r)
		}
		return Write(w, r)
	})
}

// ReadFile reads a result from a file of a form that [WriteFile] writes.
func ReadFile(path string) (*Result, error) {
	if strings.HasSuffix(path, arrays) {
		return readArrays(path)
	}
	return gzfile.Read(path, func(r io.Reader) (*Result, error) { return Read(r, path) })
}

// Read reads a result as [Write] writes it, its members in any order. name is what
// errors call the file. A fault of the syntax is a [*modelfile.SyntaxError]; other errors
// name the member.
func Read(r io.Reader, name string) (*Result, error) {
	d := document{Result: &Result{}}
	err := jsonscan.Decode(r, name, true, &d)
	if errors.Is(err, jsonscan.ErrUnknown) {
		return nil, fmt.Errorf("%w: use a result, such as solve --out writes", err)
	}
	if err != nil {
		return nil, exported(err)
	}
	if err := cmp.Or(d.complete(), d.validate()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d.Result, nil
}

// complete sets what follows from other members of a file, or says what contradicts them.
func (d *document) complete() error {
	r := d.Result
	if d.ExactValues != nil {
		r.Exact = d.ExactValues.rationals()
	}
	if r.Tolerance != nil {
		*r.Tolerance += 0 // −0 becomes 0
	}
	if r.Constraints != nil && d.Value != nil && d.Value.single && d.Value.exact == nil {
		r.Value = d.Value.floats[0]
	}
	s := r.Initial
	if s < 0 || s >= len(r.Values) {
		return nil
	}
	r.Value = r.Values[s]
	if x := d.InitialValues; x != nil {
		known := func(s int32) bool { return s >= 0 && int(s) < len(r.Values) } // otherwise validate says so
		if !slices.ContainsFunc(r.InitialStates, func(s int32) bool { return !known(s) }) && !slices.Equal(x.floats, r.initialValues()) {
			return errors.New("initial_values: expected those of initial_states in values")
		}
	}
	if x := d.Value; x != nil && (!x.single || x.exact != nil || x.floats[0] != r.Value) {
		return fmt.Errorf("value: expected that of the initial state in values, %v", r.Value)
	}
	if x := d.ExactValue; x != nil && (!x.single || s >= len(r.Exact) || x.floats[0] != r.Value || !sameRat(x.rationals()[0], r.Exact[s])) {
		return errors.New("exact_value: expected that of the initial state in exact_values")
	}
	return nil
}

// MarshalJSON writes the numbers that a witness has.
func (w Witness) MarshalJSON() ([]byte, error) {
	return json.Marshal(witnessObject{w.Gain.numbers(), w.Gain.Low, w.Value.numbers(), w.Value.Low})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (w *Witness) UnmarshalJSON(text []byte) error {
	var o witnessObject
	err := jsonscan.Members(text, &o)
	*w = Witness{o.Gain.vector(o.GainLow), o.Value.vector(o.ValueLow)}
	return err
}

// MarshalJSON writes the policy of a cycle, and its numbers.
func (c *Cycle) MarshalJSON() ([]byte, error) {
	return json.Marshal(cycleObject{c.Policy, c.Value.numbers(), c.Value.Low})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Cycle) UnmarshalJSON(text []byte) error {
	var o cycleObject
	err := jsonscan.Members(text, &o)
	*c = Cycle{o.Policy, o.Value.vector(o.ValueLow)}
	return err
}

// numbers returns the numbers of a vector without their low parts as a file holds
// them, nil for an empty one.
func (v *Vector) numbers() *fileNumbers {
	if len(v.High) == 0 {
		return nil
	}
	return &fileNumbers{floats: v.High, exact: v.Exact, single: len(v.High) == 1}
}

// vector returns a vector of numbers that a file holds.
func (n *fileNumbers) vector(low Floats) Vector {
	if n == nil {
		return Vector{Low: low}
	}
	return Vector{High: n.floats, Low: low, Exact: n.exact}
}

// Expected says what a list of numbers is in a file.
func (Floats) Expected() string { return `a list of numbers, "Infinity" and "-Infinity"` }

// MarshalJSON writes the numbers.
func (f Floats) MarshalJSON() ([]byte, error) { return (&fileNumbers{floats: f}).MarshalJSON() }

// UnmarshalJSON reads the numbers, or a single one.
func (f *Floats) UnmarshalJSON(text []byte) error {
	var n fileNumbers
	err := n.UnmarshalJSON(text)
	if *f = n.floats; n.exact != nil {
		err = &json.UnmarshalTypeError{Value: string(text), Type: reflect.TypeFor[Floats]()}
	}
	return err
}

// fileNumbers is a list of numbers, or one number, in a file: decimals, which stand for
// float64, "Infinity" and "-Infinity", and fractions such as "95/219". exact is nil
// where there is no fraction, and otherwise holds all that are finite.
type fileNumbers struct {
	floats []float64
	exact  []*big.Rat
	single bool
}

// Expected says what numbers are in a file.
func (*fileNumbers) Expected() string {
	return `a number, a fraction such as "95/219", "Infinity" or "-Infinity", or a list of these`
}

// MarshalJSON writes the numbers.
func (n *fileNumbers) MarshalJSON() ([]byte, error) {
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
func (n *fileNumbers) UnmarshalJSON(text []byte) error {
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
			return &json.UnmarshalTypeError{Value: string(word), Type: reflect.TypeFor[fileNumbers]()}
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

// rationals returns the numbers as fractions, nil for those that are infinite.
func (n *fileNumbers) rationals() []*big.Rat {
	if n.exact != nil {
		return n.exact
	}
	exact := make([]*big.Rat, len(n.floats))
	for s, x := range n.floats {
		exact[s] = new(big.Rat).SetFloat64(x) // nil for an infinite one
	}
	return exact
}

func sameRat(x, y *big.Rat) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.Cmp(y) == 0
}
