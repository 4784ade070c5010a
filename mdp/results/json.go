// This file writes and reads results in JSON. What there is of a result is listed
// once (members), for both.

package results

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// infinity is how results write an infinite value, in quotation marks.
const infinity = "Infinity"

// member is a member of an object: its name and where its value is kept.
type member struct {
	name    string
	value   any  // *string, *int, *bool, *float64, *[]int32, or one of the types below
	present bool // to be written
}

// The values of members.
type (
	// word is one of some words.
	word struct {
		text  *string
		known []string
	}
	// fraction is a fraction as a text; nil stands for float, which is infinite.
	fraction struct {
		exact **big.Rat
		float float64
	}
	// fractions is a list of these.
	fractions struct {
		exact  *[]*big.Rat
		floats []float64
	}
	// numbers is a list of numbers, written as one number where single says so and
	// it is one. exact, if not nil, holds them where any is a fraction.
	numbers struct {
		list   *[]float64
		exact  *[]*big.Rat
		single bool
	}
	// object is an object with members.
	object func() []member
)

// members lists the members of a result in the order in which they are written.
func (r *Result) members() []member {
	var value fraction
	if r.Initial < len(r.Exact) {
		value = fraction{&r.Exact[r.Initial], r.Value}
	}
	shortest := r.ExactDiscount == nil || r.ExactDiscount.Cmp(shortestDecimal(r.Discount)) == 0
	return []member{
		{"criterion", word{&r.Criterion, criteria}, true},
		{"sense", word{&r.Sense, senses}, true},
		{"reward", &r.Reward, r.Reward != ""},
		{"target", &r.Target, r.Target != ""},
		{"discount", &r.Discount, r.Discount != 0 || r.Criterion == "discounted"},
		{"exact_discount", fraction{&r.ExactDiscount, 0}, !shortest},
		{"horizon", &r.Horizon, r.Horizon != 0 || r.Criterion == "finite"},
		{"status", word{&r.Status, statuses}, r.Status != ""},
		{"method", &r.Method, r.Method != ""},
		{"choice", &r.Choice, r.Choice != ""},
		{"iterations", &r.Iterations, true},
		{"elapsed_seconds", &r.Seconds, r.Seconds != 0},
		{"tolerance", &r.Tolerance, r.Tolerance != 0 || r.ZeroTolerance},
		{"classification", word{&r.Classification, classifications}, r.Classification != ""},
		{"aperiodic", &r.Aperiodic, true},
		{"initial", &r.Initial, true},
		{"value", &r.Value, r.Values != nil},
		{"exact_value", value, r.Exact != nil},
		{"values", numbers{list: &r.Values}, r.Values != nil},
		{"lower", numbers{list: &r.Lower}, r.Lower != nil},
		{"upper", numbers{list: &r.Upper}, r.Upper != nil},
		{"exact_values", fractions{&r.Exact, r.Values}, r.Exact != nil},
		{"relative_values", numbers{list: &r.Relative}, r.Relative != nil},
		{"policy", &r.Policy, r.Policy != nil},
		{"certificate", object(func() []member { return made(&r.Certificate).members() }), r.Certificate != nil},
	}
}

// members lists the members of a certificate.
func (c *Certificate) members() []member {
	return []member{
		{"lower", object(c.Lower.members), true},
		{"upper", object(c.Upper.members), true},
		{"policy", &c.Policy, c.Policy != nil},
		{"scale", object(func() []member { return made(&c.Scale).members() }), c.Scale != nil},
		{"cycle", object(func() []member { return made(&c.Cycle).members() }), c.Cycle != nil},
	}
}

func (w *Witness) members() []member {
	return append(w.Gain.members("gain"), w.Value.members("value")...)
}

func (c *Cycle) members() []member {
	return append([]member{{"policy", &c.Policy, c.Policy != nil}}, c.Value.members("value")...)
}

// members lists the two members of a vector; an empty one has none.
func (v *Vector) members(name string) []member {
	return []member{
		{name, numbers{&v.High, &v.Exact, true}, len(v.High) > 0},
		{name + "_low", numbers{&v.Low, nil, true}, len(v.High) > 0 && v.Low != nil},
	}
}

// made returns what a pointer leads to, which is created if need be.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
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
	out := writer{bufio.NewWriterSize(w, 1<<18)}
	out.object(r.members())
	out.text("\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("results: writing: %w", err)
	}
	return nil
}

// WriteFile writes a result to a file, compressed where its name ends in .gz. A
// file of that name is overwritten.
func WriteFile(path string, r *Result) error {
	return gzfile.Write(path, func(w io.Writer) error { return Write(w, r) })
}

// writer writes values. Errors stay with it until Flush.
type writer struct{ *bufio.Writer }

func (w writer) text(text string) { _, _ = w.WriteString(text) }

func (w writer) quoted(text string) {
	_, _ = w.Write(jsonscan.AppendText(w.AvailableBuffer(), text))
}

func (w writer) object(members []member) {
	separator := "{"
	for _, m := range members {
		if !m.present {
			continue
		}
		w.text(separator)
		w.quoted(m.name)
		w.text(": ")
		w.value(m.value)
		separator = ",\n"
	}
	if separator == "{" {
		w.text(separator)
	}
	w.text("}")
}

// value writes the value of a member.
func (w writer) value(x any) {
	switch x := x.(type) {
	case *string:
		w.quoted(*x)
	case word:
		w.quoted(*x.text)
	case *bool:
		w.text(strconv.FormatBool(*x))
	case *int:
		w.int(*x)
	case *float64:
		w.number(*x)
	case *[]int32:
		w.list(len(*x), func(i int) { w.int(int((*x)[i])) })
	case fraction:
		w.fraction(*x.exact, x.float)
	case fractions:
		w.list(len(*x.exact), func(i int) { w.fraction((*x.exact)[i], x.floats[i]) })
	case object:
		w.object(x())
	case numbers:
		element := func(i int) { w.number((*x.list)[i]) }
		if x.exact != nil && *x.exact != nil {
			element = func(i int) { w.fraction((*x.exact)[i], (*x.list)[i]) }
		}
		if x.single && len(*x.list) == 1 {
			element(0)
		} else {
			w.list(len(*x.list), element)
		}
	}
}

func (w writer) list(n int, element func(i int)) {
	w.text("[")
	for i := range n {
		if i > 0 {
			w.text(", ")
		}
		element(i)
	}
	w.text("]")
}

func (w writer) int(n int) {
	_, _ = w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(n), 10))
}

// number writes a number that may be infinite.
func (w writer) number(x float64) {
	switch {
	case math.IsInf(x, 1):
		w.quoted(infinity)
	case math.IsInf(x, -1):
		w.quoted("-" + infinity)
	default:
		_, _ = w.Write(strconv.AppendFloat(w.AvailableBuffer(), x, 'g', -1, 64))
	}
}

func (w writer) fraction(exact *big.Rat, float float64) {
	if exact == nil {
		w.number(float)
		return
	}
	w.quoted(exact.RatString())
}

// ReadFile reads a result from a file, which is compressed where its name ends in
// .gz.
func ReadFile(path string) (*Result, error) {
	return gzfile.Read(path, func(r io.Reader) (*Result, error) { return Read(r, path) })
}

// Read reads a result as [Write] writes it, its members in any order; those it does
// not know are passed over. name is what errors call the file. What is wrong with
// its text is a [*mdpio.SyntaxError].
func Read(r io.Reader, name string) (*Result, error) {
	j := &reader{Scanner: jsonscan.New(r, name)}
	result, err := j.result()
	if err != nil {
		return nil, exported(err)
	}
	return result, nil
}

// reader reads values.
type reader struct{ *jsonscan.Scanner }

func (j *reader) result() (*Result, error) {
	r, given, start := &Result{}, make(map[string]bool), j.Place()
	err := j.Object("a result in curly brackets", func(name string) error {
		given[name] = true
		if name == "format" {
			_, text, err := j.Value()
			if err == nil && strings.HasPrefix(string(text), "mdpsolve-model/") {
				err = j.Fail("a model", "a result, such as solve --out writes")
			}
			return err
		}
		return j.member(r.members(), name)
	})
	if err == nil {
		err = j.End()
	}
	if err != nil {
		return nil, err
	}
	if fault := r.missing(given); fault != nil {
		return nil, j.FailAt(start, fault.Found, fault.Expected)
	}
	r.ZeroTolerance = given["tolerance"] && r.Tolerance == 0
	switch {
	case r.Values == nil:
		r.Value = 0
	case !given["value"] && r.Initial < len(r.Values):
		r.Value = r.Values[r.Initial]
	}
	if err := r.validate(); err != nil {
		return nil, j.FailAt(start, "a result that contradicts itself: "+err.Error(), "")
	}
	return r, nil
}

// missing looks for a member without which a result says nothing, or what is not
// meant.
func (r *Result) missing(given map[string]bool) *filepos.Error {
	for _, needed := range []struct {
		is          bool
		name, words string
	}{
		{true, "criterion", "one of " + wording.List(criteria)},
		{true, "sense", "one of " + wording.List(senses)},
		{r.Criterion == "discounted", "discount", "a number from 0 to below 1"},
		{r.Criterion == "finite", "horizon", "a number of steps"},
		{r.Classification != "", "aperiodic", "true or false"},
	} {
		if needed.is && !given[needed.name] {
			return filepos.Fault("a result without "+needed.name, fmt.Sprintf("a member %q, %s", needed.name, needed.words))
		}
	}
	return nil
}

// member reads the value of a member. Those not listed are passed over, and
// exact_value, which exact_values tell too.
func (j *reader) member(members []member, name string) error {
	i := slices.IndexFunc(members, func(m member) bool { return m.name == name && name != "exact_value" })
	if i < 0 {
		_, _, err := j.Value()
		return err
	}
	return j.value(members[i].value)
}

// value reads the value of a member.
func (j *reader) value(x any) (err error) {
	switch x := x.(type) {
	case *string:
		*x, err = j.string("a text")
	case word:
		expected := "one of " + wording.List(x.known)
		if *x.text, err = j.string(expected); err == nil && !slices.Contains(x.known, *x.text) {
			err = j.Fail(wording.Quote(*x.text), expected)
		}
	case *bool:
		*x, err = j.Bool()
	case *int:
		*x, err = j.Int(math.MaxInt32, fmt.Sprintf("a whole number from 0 to %d", math.MaxInt32))
	case *float64:
		*x, err = j.number()
	case *[]int32:
		*x = []int32{}
		err = j.Array("a list of actions", func(int) error {
			a, err := j.Int(math.MaxInt32, "the number of an action")
			*x = append(*x, int32(a))
			return err
		})
	case fraction:
		if *x.exact, _, err = j.fraction(); err == nil && *x.exact == nil {
			err = j.Fail(strconv.Quote(infinity), `a fraction such as "2/3"`)
		}
	case fractions:
		err = j.Array("a list of fractions as texts", func(int) error {
			exact, _, err := j.fraction()
			*x.exact = append(*x.exact, exact)
			return err
		})
	case object:
		err = j.Object("an object in curly brackets", func(name string) error { return j.member(x(), name) })
	case numbers:
		*x.list = []float64{}
		if x.single && j.Peek() != '[' {
			return j.element(x)
		}
		err = j.Array("a list of numbers", func(int) error { return j.element(x) })
	}
	return err
}

func (j *reader) string(expected string) (string, error) {
	text, err := j.Text(expected)
	return string(text), err
}

// element reads a number and adds it to a list. The first fraction makes the list
// one of fractions, if it may be.
func (j *reader) element(x numbers) error {
	var (
		float    float64
		exact    *big.Rat
		err      error
		isExact  = x.exact != nil && *x.exact != nil
		mayExact = x.exact != nil && j.Peek() == '"'
	)
	if mayExact {
		if exact, float, err = j.fraction(); exact != nil && !isExact {
			isExact = true
			*x.exact = make([]*big.Rat, len(*x.list))
			for i, earlier := range *x.list {
				(*x.exact)[i] = new(big.Rat).SetFloat64(earlier) // nil for an infinite one
			}
		}
	} else if float, err = j.number(); isExact {
		exact = new(big.Rat).SetFloat64(float)
	}
	*x.list = append(*x.list, float)
	if isExact {
		*x.exact = append(*x.exact, exact)
	}
	return err
}

// number reads a number, or an infinity as a text.
func (j *reader) number() (float64, error) {
	if j.Peek() == '"' {
		const expected = `a number, "Infinity" or "-Infinity"`
		text, err := j.Text(expected)
		if err != nil {
			return 0, err
		}
		x := infinite(string(text))
		if x == 0 {
			return 0, j.Fail(wording.Quote(string(text)), expected)
		}
		return x, nil
	}
	digits, err := j.Number(number.Example)
	if err != nil {
		return 0, err
	}
	x, err := number.Parse(string(digits))
	if err != nil {
		fault := filepos.BadNumber(err)
		return 0, j.Fail(fault.Found, fault.Expected)
	}
	return x + 0, nil // −0 becomes 0
}

// infinite returns the infinite value of a text, 0 if it has none.
func infinite(text string) float64 {
	switch text {
	case infinity:
		return math.Inf(1)
	case "-" + infinity:
		return math.Inf(-1)
	}
	return 0
}

// fraction reads a text such as "95/219", "7" or "-Infinity", for which the
// fraction is nil, and returns the nearest float64 too.
func (j *reader) fraction() (exact *big.Rat, nearest float64, err error) {
	const expected = `a fraction such as "95/219", "Infinity" or "-Infinity"`
	text, err := j.string(expected)
	if err != nil {
		return nil, 0, err
	}
	if nearest = infinite(text); nearest != 0 {
		return nil, nearest, nil
	}
	ok := strings.Trim(text, "-/0123456789") == "" // exponents could fill the memory
	if ok {
		exact, ok = new(big.Rat).SetString(text)
	}
	if !ok {
		return nil, 0, j.Fail(wording.Quote(text), expected)
	}
	nearest, _ = exact.Float64()
	return exact, nearest, nil
}
