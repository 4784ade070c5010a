package mdpio

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// infinity is how results write an infinite value, in quotation marks.
const infinity = "Infinity"

// WriteResult writes a result as a JSON object. Its members are those of
// [Result] in small letters, but elapsed_seconds for Seconds, relative_values
// for Relative, and exact_value and exact_values, texts such as "95/219", for
// Exact; values, lower, upper, policy and those lists are arrays by state. What
// is not set is left out. Numbers are the shortest decimals that read back the
// same; infinite values are the texts "Infinity" and "-Infinity".
//
// The member certificate is an object with members lower and upper and, where
// they are there, policy, scale and cycle. lower, upper and scale have members
// gain and value, cycle has policy and value: arrays by state, or a number that
// stands for all states. gain_low and value_low are added to them. Fractions are
// texts such as "95/219", and a vector that has any is exact. Missing vectors
// stand for zeros.
func WriteResult(w io.Writer, r *Result) error {
	if err := r.Validate(); err != nil {
		return err
	}
	out := newLineWriter(w)
	out.text(`{"criterion": `).quoted(r.Criterion)
	out.member("sense").quoted(r.Sense)
	out.optional("reward", r.Reward)
	out.optional("target", r.Target)
	if r.Discount != 0 || r.Criterion == "discounted" {
		out.member("discount").infinite(r.Discount)
	}
	if r.ExactDiscount != nil && r.ExactDiscount.Cmp(shortestDecimal(r.Discount)) != 0 {
		out.member("exact_discount").exact(r.ExactDiscount, r.Discount)
	}
	if r.Horizon != 0 || r.Criterion == "finite" {
		out.member("horizon").int(r.Horizon)
	}
	out.optional("status", r.Status)
	out.optional("method", r.Method)
	out.optional("choice", r.Choice)
	out.member("iterations").int(r.Iterations)
	if r.Seconds != 0 {
		out.member("elapsed_seconds").infinite(r.Seconds)
	}
	if r.Tolerance != 0 || r.ZeroTolerance {
		out.member("tolerance").infinite(r.Tolerance)
	}
	out.optional("classification", r.Classification)
	out.member("aperiodic").text(strconv.FormatBool(r.Aperiodic))
	out.member("initial").int(r.Initial)
	if r.Values != nil {
		out.member("value").infinite(r.Value)
	}
	if r.Exact != nil {
		out.member("exact_value").exact(r.Exact[r.Initial], r.Value)
	}
	out.numbers("values", r.Values)
	out.numbers("lower", r.Lower)
	out.numbers("upper", r.Upper)
	out.fractions("exact_values", r.Exact, r.Values)
	out.numbers("relative_values", r.Relative)
	out.policy("policy", r.Policy)
	if r.Certificate != nil {
		out.member("certificate").certificate(r.Certificate)
	}
	out.text("}\n")
	return out.flush()
}

// optional writes a text that is not empty.
func (w *lineWriter) optional(name, text string) {
	if text != "" {
		w.member(name).quoted(text)
	}
}

// numbers writes a list of numbers, unless it is nil.
func (w *lineWriter) numbers(name string, numbers []float64) {
	if numbers == nil {
		return
	}
	w.member(name).text("[")
	for s, x := range numbers {
		w.separate(s, ", ").infinite(x)
	}
	w.text("]")
}

// fractions writes a list of fractions, unless it is nil; floats hold the
// infinite ones.
func (w *lineWriter) fractions(name string, fractions []*big.Rat, floats []float64) {
	if fractions == nil {
		return
	}
	w.member(name).text("[")
	for s, x := range fractions {
		w.separate(s, ", ").exact(x, floats[s])
	}
	w.text("]")
}

// policy writes a list of actions, unless it is nil.
func (w *lineWriter) policy(name string, policy []int32) {
	if policy == nil {
		return
	}
	w.member(name).text("[")
	for s, a := range policy {
		w.separate(s, ", ").int(int(a))
	}
	w.text("]")
}

// certificate writes the members of a certificate that are there.
func (w *lineWriter) certificate(c *Certificate) {
	witness := func(x *Witness) func() {
		return func() {
			w.vector("gain", &x.Gain)
			w.vector("value", &x.Value)
		}
	}
	w.object(func() {
		w.member("lower").object(witness(&c.Lower))
		w.member("upper").object(witness(&c.Upper))
		w.policy("policy", c.Policy)
		if c.Scale != nil {
			w.member("scale").object(witness(c.Scale))
		}
		if c.Cycle != nil {
			w.member("cycle").object(func() {
				w.policy("policy", c.Cycle.Policy)
				w.vector("value", &c.Cycle.Value)
			})
		}
	})
}

// object writes an object with the members that are written by a function.
func (w *lineWriter) object(members func()) {
	w.text("{")
	w.first = true
	members()
	w.first = false
	w.text("}")
}

// vector writes a vector of a certificate, unless it is empty: one number, or a
// list.
func (w *lineWriter) vector(name string, v *Vector) {
	switch {
	case len(v.High) == 1 && v.Exact != nil:
		w.member(name).exact(v.Exact[0], v.High[0])
	case len(v.High) == 1:
		w.member(name).infinite(v.High[0])
		if v.Low != nil {
			w.member(name + lowSuffix).infinite(v.Low[0])
		}
	case len(v.High) > 1:
		if v.Exact != nil {
			w.fractions(name, v.Exact, v.High)
			return
		}
		w.numbers(name, v.High)
		w.numbers(name+lowSuffix, v.Low)
	}
}

// lowSuffix ends the names of members with the low parts of vectors.
const lowSuffix = "_low"

// exact writes a fraction as a text; nil stands for x, which is infinite.
func (w *lineWriter) exact(fraction *big.Rat, x float64) {
	if fraction == nil {
		w.infinite(x)
		return
	}
	w.quoted(fraction.RatString())
}

// member writes the name of a member; what comes before the first of an object
// has been written.
func (w *lineWriter) member(name string) *lineWriter {
	if !w.first {
		w.text(",\n")
	}
	w.first = false
	return w.quoted(name).text(": ")
}

// infinite writes a number that may be infinite.
func (w *lineWriter) infinite(x float64) {
	switch {
	case math.IsInf(x, 1):
		w.quoted(infinity)
	case math.IsInf(x, -1):
		w.quoted("-" + infinity)
	default:
		w.number(&Numbers{Float: []float64{x}}, 0)
	}
}

// ReadResultFile reads a result from a file, which is compressed where its name
// ends in .gz.
func ReadResultFile(path string) (*Result, error) {
	return openAndRead(path, hasGzipName(path), func(r io.Reader) (*Result, error) { return ReadResult(r, path) })
}

// WriteResultFile writes a result to a file, compressed where its name ends in
// .gz. A file of that name is overwritten.
func WriteResultFile(path string, r *Result) error {
	return createAndWrite(path, hasGzipName(path), func(w io.Writer) error { return WriteResult(w, r) })
}

// ReadResult reads a result as [WriteResult] writes it, its members in any
// order; those it does not know are passed over. name is what errors call the
// file.
func ReadResult(r io.Reader, name string) (*Result, error) {
	j := &jsonResult{jsonReader: newJSONReader(r, name), result: &Result{}, given: make(map[string]bool)}
	j.peek()
	start := j.here()
	if err := j.object("a result in curly brackets", j.readMember); err != nil {
		return nil, err
	}
	if err := j.end(); err != nil {
		return nil, err
	}
	if f := j.missing(); f != nil {
		return nil, f.at(name, start)
	}
	if err := j.result.complete(j.given); err != nil {
		return nil, (&fault{"a result that contradicts itself (" + err.Error() + ")", "one in order"}).at(name, start)
	}
	return j.result, nil
}

type jsonResult struct {
	*jsonReader
	result *Result
	given  map[string]bool // the members that the file has
}

// missing looks for a member without which a result says nothing, or what is not
// meant.
func (j *jsonResult) missing() *fault {
	for _, needed := range []struct {
		is          bool
		name, words string
	}{
		{true, "criterion", "one of " + quotedList(criteria)},
		{true, "sense", "one of " + quotedList(senses)},
		{j.result.Criterion == "discounted", "discount", "a number from 0 to below 1"},
		{j.result.Criterion == "finite", "horizon", "a number of steps"},
		{j.result.Classification != "", "aperiodic", "true or false"},
	} {
		if needed.is && !j.given[needed.name] {
			return &fault{"a result without " + needed.name, fmt.Sprintf("a member %q, %s,", needed.name, needed.words)}
		}
	}
	return nil
}

// complete sets what members that are not given stand for, and validates.
func (r *Result) complete(given map[string]bool) error {
	r.ZeroTolerance = given["tolerance"] && r.Tolerance == 0
	if !given["value"] && r.Initial < len(r.Values) {
		r.Value = r.Values[r.Initial]
	}
	return r.validate()
}

// readMember reads a member of the result.
func (j *jsonResult) readMember(name string) error {
	r := j.result
	j.given[name] = true
	switch name {
	case "criterion":
		return j.readText(&r.Criterion, criteria)
	case "sense":
		return j.readText(&r.Sense, senses)
	case "status":
		return j.readText(&r.Status, statuses)
	case "classification":
		return j.readText(&r.Classification, classifications)
	case "method":
		return j.readText(&r.Method, nil)
	case "choice":
		return j.readText(&r.Choice, nil)
	case "reward":
		return j.readText(&r.Reward, nil)
	case "target":
		return j.readText(&r.Target, nil)
	case "horizon":
		return j.readCount(&r.Horizon)
	case "iterations":
		return j.readCount(&r.Iterations)
	case "initial":
		return j.readCount(&r.Initial)
	case "aperiodic":
		if err := j.literal("true or false"); err != nil {
			return err
		}
		r.Aperiodic = string(j.token) == "true"
		return nil
	case "discount":
		return j.readNumber(&r.Discount)
	case "tolerance":
		return j.readNumber(&r.Tolerance)
	case "elapsed_seconds":
		return j.readNumber(&r.Seconds)
	case "value":
		return j.readNumber(&r.Value)
	case "values":
		return j.readNumbers(&r.Values)
	case "lower":
		return j.readNumbers(&r.Lower)
	case "upper":
		return j.readNumbers(&r.Upper)
	case "relative_values":
		return j.readNumbers(&r.Relative)
	case "exact_values":
		return j.array("a list of fractions as texts", func(int) error {
			exact, _, err := j.readFraction()
			r.Exact = append(r.Exact, exact)
			return err
		})
	case "exact_discount":
		exact, _, err := j.readFraction()
		if err == nil && exact == nil {
			return j.fail(&fault{quote(j.token), `a fraction such as "2/3"`})
		}
		r.ExactDiscount = exact
		return err
	case "policy":
		return j.readPolicy(&r.Policy)
	case "certificate":
		return j.readCertificate()
	case "format":
		err := j.skip() // leaves its text in token
		if err == nil && strings.HasPrefix(string(j.token), "mdpsolve-model/") {
			return j.fail(&fault{"a model", "a result, such as solve --out writes,"})
		}
		return err
	}
	return j.skip()
}

func (j *jsonResult) readPolicy(policy *[]int32) error {
	*policy = []int32{}
	return j.array("a list of actions", func(int) error {
		a, err := j.index(math.MaxInt32, "the number of an action")
		*policy = append(*policy, a)
		return err
	})
}

// readCertificate reads a certificate; members it does not know are passed over.
func (j *jsonResult) readCertificate() error {
	c := &Certificate{}
	j.result.Certificate = c
	return j.object("a certificate in curly brackets", func(name string) error {
		switch name {
		case "lower":
			return j.readVectors(map[string]*Vector{"gain": &c.Lower.Gain, "value": &c.Lower.Value}, nil)
		case "upper":
			return j.readVectors(map[string]*Vector{"gain": &c.Upper.Gain, "value": &c.Upper.Value}, nil)
		case "scale":
			c.Scale = &Witness{}
			return j.readVectors(map[string]*Vector{"gain": &c.Scale.Gain, "value": &c.Scale.Value}, nil)
		case "cycle":
			c.Cycle = &Cycle{}
			return j.readVectors(map[string]*Vector{"value": &c.Cycle.Value}, &c.Cycle.Policy)
		case "policy":
			return j.readPolicy(&c.Policy)
		}
		return j.skip()
	})
}

// readVectors reads an object of vectors and, where it may have one, a policy.
func (j *jsonResult) readVectors(vectors map[string]*Vector, policy *[]int32) error {
	return j.object("vectors in curly brackets", func(name string) error {
		if name == "policy" && policy != nil {
			return j.readPolicy(policy)
		}
		base, isLow := strings.CutSuffix(name, lowSuffix)
		v, known := vectors[base]
		switch {
		case !known:
			return j.skip()
		case isLow:
			return j.readNumberOrList(&v.Low, nil)
		}
		return j.readNumberOrList(&v.High, &v.Exact)
	})
}

// readNumberOrList reads a vector; exact is nil where fractions are not allowed.
func (j *jsonResult) readNumberOrList(list *[]float64, exact *[]*big.Rat) error {
	*list = []float64{}
	if j.peek() != '[' {
		return j.readElement(list, exact)
	}
	return j.array("a number or a list of numbers", func(int) error { return j.readElement(list, exact) })
}

// readElement reads a number and adds it to a list. The first fraction makes the
// list one of fractions.
func (j *jsonResult) readElement(list *[]float64, exact *[]*big.Rat) error {
	var (
		x        float64
		fraction *big.Rat
		err      error
	)
	if j.peek() == '"' && exact != nil {
		if fraction, x, err = j.readFraction(); fraction != nil && *exact == nil {
			*exact = make([]*big.Rat, len(*list))
			for i, earlier := range *list {
				(*exact)[i] = new(big.Rat).SetFloat64(earlier) // nil for an infinite one
			}
		}
	} else if err = j.readNumber(&x); exact != nil && *exact != nil {
		fraction = new(big.Rat).SetFloat64(x)
	}
	*list = append(*list, x)
	if exact != nil && *exact != nil {
		*exact = append(*exact, fraction)
	}
	return err
}

// readText reads a text, one of some words where those are given.
func (j *jsonResult) readText(text *string, words []string) error {
	allowed := "a text"
	if words != nil {
		allowed = "one of " + quotedList(words)
	}
	if err := j.text(allowed); err != nil {
		return err
	}
	*text = string(j.token)
	if words != nil && !slices.Contains(words, *text) {
		return j.fail(&fault{quote(j.token), allowed})
	}
	return nil
}

func (j *jsonResult) readCount(count *int) error {
	n, err := j.index(math.MaxInt32, fmt.Sprintf("a whole number from 0 to %d", math.MaxInt32))
	*count = int(n)
	return err
}

// readNumber reads a number, or an infinity as a text.
func (j *jsonResult) readNumber(x *float64) error {
	if j.peek() == '"' {
		const allowed = `a number, "Infinity" or "-Infinity"`
		if err := j.text(allowed); err != nil {
			return err
		}
		switch string(j.token) {
		case infinity:
			*x = math.Inf(1)
		case "-" + infinity:
			*x = math.Inf(-1)
		default:
			return j.fail(&fault{quote(j.token), allowed})
		}
		return nil
	}
	v, err := j.value(&numberReader{})
	*x = v.float
	return err
}

// readFraction reads a text such as "95/219", "7" or "-Infinity", for which the
// fraction is nil, and returns the nearest float64 too.
func (j *jsonResult) readFraction() (fraction *big.Rat, nearest float64, err error) {
	const allowed = `a fraction such as "95/219", "Infinity" or "-Infinity"`
	if err := j.text(allowed); err != nil {
		return nil, 0, err
	}
	text := string(j.token)
	switch text {
	case infinity:
		return nil, math.Inf(1), nil
	case "-" + infinity:
		return nil, math.Inf(-1), nil
	}
	ok := strings.Trim(text, "-/0123456789") == "" // exponents could fill the memory
	if ok {
		fraction, ok = new(big.Rat).SetString(text)
	}
	if !ok {
		return nil, 0, j.fail(&fault{quote(j.token), allowed})
	}
	nearest, _ = fraction.Float64()
	return fraction, nearest, nil
}

func (j *jsonResult) readNumbers(list *[]float64) error {
	*list = []float64{}
	return j.array("a list of numbers", func(int) error {
		var x float64
		err := j.readNumber(&x)
		*list = append(*list, x)
		return err
	})
}
