package mdpio

import (
	"io"
	"math"
	"slices"
	"strconv"
)

// infinity is how results write an infinite value, in quotation marks.
const infinity = "Infinity"

// WriteResult writes a result as a JSON object. Its members are those of
// [Result] in small letters (values, lower, upper and policy are arrays by
// state); reward, target, discount, horizon, tolerance and classification are
// left out where they are not set. Numbers are the shortest decimals that read
// back the same; infinite values are the texts "Infinity" and "-Infinity".
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
	out.member("iterations").int(r.Iterations)
	if r.Tolerance != 0 {
		out.member("tolerance").infinite(r.Tolerance)
	}
	if r.Classification != "" {
		out.member("classification").quoted(r.Classification)
	}
	out.member("aperiodic").text(strconv.FormatBool(r.Aperiodic))
	out.member("initial").int(r.Initial)
	out.member("value").infinite(r.Value)
	for _, list := range []struct {
		name    string
		numbers []float64
	}{{"values", r.Values}, {"lower", r.Lower}, {"upper", r.Upper}} {
		out.member(list.name).text("[")
		for s, x := range list.numbers {
			out.separate(s, ", ").infinite(x)
		}
		out.text("]")
	}
	out.member("policy").text("[")
	for s, a := range r.Policy {
		out.separate(s, ", ").int(int(a))
	}
	out.text("]}\n")
	return out.flush()
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
	case "value":
		return j.readNumber(&r.Value)
	case "values":
		return j.readNumbers(&r.Values)
	case "lower":
		return j.readNumbers(&r.Lower)
	case "upper":
		return j.readNumbers(&r.Upper)
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

func (j *jsonResult) readNumbers(list *[]float64) error {
	return j.array("a list of numbers", func(int) error {
		var x float64
		err := j.readNumber(&x)
		*list = append(*list, x)
		return err
	})
}
