package mdpio

import (
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
func WriteResult(w io.Writer, r *Result) error {
	if err := r.Validate(); err != nil {
		return err
	}
	out := newLineWriter(w)
	out.text(`{"criterion": `).quoted(r.Criterion)
	out.member("sense").quoted(r.Sense)
	if r.Reward != "" {
		out.member("reward").quoted(r.Reward)
	}
	if r.Target != "" {
		out.member("target").quoted(r.Target)
	}
	if r.Discount != 0 {
		out.member("discount").infinite(r.Discount)
	}
	if r.Horizon != 0 {
		out.member("horizon").int(r.Horizon)
	}
	out.member("status").quoted(r.Status)
	out.member("method").quoted(r.Method)
	if r.Choice != "" {
		out.member("choice").quoted(r.Choice)
	}
	out.member("iterations").int(r.Iterations)
	if r.Seconds != 0 {
		out.member("elapsed_seconds").infinite(r.Seconds)
	}
	if r.Tolerance != 0 {
		out.member("tolerance").infinite(r.Tolerance)
	}
	if r.Classification != "" {
		out.member("classification").quoted(r.Classification)
	}
	out.member("aperiodic").text(strconv.FormatBool(r.Aperiodic))
	out.member("initial").int(r.Initial)
	out.member("value").infinite(r.Value)
	if r.Exact != nil {
		out.member("exact_value").exact(r.Exact[r.Initial], r.Value)
	}
	out.numbers("values", r.Values)
	out.numbers("lower", r.Lower)
	out.numbers("upper", r.Upper)
	if r.Exact != nil {
		out.member("exact_values").text("[")
		for s, x := range r.Exact {
			out.separate(s, ", ").exact(x, r.Values[s])
		}
		out.text("]")
	}
	if r.Relative != nil {
		out.numbers("relative_values", r.Relative)
	}
	out.member("policy").text("[")
	for s, a := range r.Policy {
		out.separate(s, ", ").int(int(a))
	}
	out.text("]}\n")
	return out.flush()
}

// numbers writes a member that is a list of numbers.
func (w *lineWriter) numbers(name string, numbers []float64) {
	w.member(name).text("[")
	for s, x := range numbers {
		w.separate(s, ", ").infinite(x)
	}
	w.text("]")
}

// exact writes a fraction as a text; nil stands for x, which is infinite.
func (w *lineWriter) exact(fraction *big.Rat, x float64) {
	if fraction == nil {
		w.infinite(x)
		return
	}
	w.quoted(fraction.RatString())
}

// member writes the name of a member that is not the first.
func (w *lineWriter) member(name string) *lineWriter {
	return w.text(",\n").quoted(name).text(": ")
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
	j := &jsonResult{jsonReader: newJSONReader(r, name), result: &Result{}}
	j.peek()
	start := j.here()
	if err := j.object("a result in curly brackets", j.readMember); err != nil {
		return nil, err
	}
	if err := j.end(); err != nil {
		return nil, err
	}
	if err := j.result.validate(); err != nil {
		return nil, (&fault{"a result that contradicts itself (" + err.Error() + ")", "one in order"}).at(name, start)
	}
	return j.result, nil
}

type jsonResult struct {
	*jsonReader
	result *Result
}

// readMember reads a member of the result.
func (j *jsonResult) readMember(name string) error {
	r := j.result
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
		return j.array("a list of fractions as texts", func(int) error { return j.readExact() })
	case "policy":
		return j.array("a list of actions", func(int) error {
			a, err := j.index(math.MaxInt32, "the number of an action")
			r.Policy = append(r.Policy, a)
			return err
		})
	}
	return j.skip()
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
	n, err := j.index(math.MaxInt32, "a whole number from 0 up")
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

// readExact reads a text such as "95/219", "7" or "-Infinity".
func (j *jsonResult) readExact() error {
	const allowed = `a fraction such as "95/219", "Infinity" or "-Infinity"`
	if err := j.text(allowed); err != nil {
		return err
	}
	var exact *big.Rat
	if text := string(j.token); strings.TrimPrefix(text, "-") != infinity {
		ok := strings.Trim(text, "-/0123456789") == "" // exponents could fill the memory
		if ok {
			exact, ok = new(big.Rat).SetString(text)
		}
		if !ok {
			return j.fail(&fault{quote(j.token), allowed})
		}
	}
	j.result.Exact = append(j.result.Exact, exact)
	return nil
}

func (j *jsonResult) readNumbers(list *[]float64) error {
	return j.array("a list of numbers", func(int) error {
		var x float64
		err := j.readNumber(&x)
		*list = append(*list, x)
		return err
	})
}
