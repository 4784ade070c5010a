// This file writes UMB files.

package modelfile

import (
	"archive/tar"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// WriteUMB writes a model in the unified Markov binary format, as a tar file that is not
// packed. Reading it gives an equal model, but for a list of variables without names of
// states.
//
// In continuous time, probabilities are rates divided by the exit rate of the state. Where their
// product with the exit rate, in float64, is not the rate again, a second branch to the same state,
// of a tiny probability, makes up for the difference.
//
// Models that are not valid ([Model.Validate]), rates that no float64 probabilities give, and
// the kinds for which the format has no place (an SMDP, and a CTMDP with choices of one state
// that have different exit rates) are errors, before anything is written.
func WriteUMB(w io.Writer, m *Model) error {
	if err := m.checkFor("UMB"); err != nil {
		return err
	}
	u := &umbWriter{lineWriter: newLineWriter(w), m: m}
	if m.Kind.IsContinuous() {
		all := m.ExitRates()
		for s := range m.NumStates() { // checkFor has seen that they are those of all its choices
			u.exit.add(all.value(int(m.StateStart[s])))
		}
	}
	u.eachBranch(func(int, value) { u.branches++ })
	if u.branches >= math.MaxInt32-1 && u.err == nil {
		u.err = errors.New(tooMany(umbBranches).What())
	}
	if u.err != nil {
		return fmt.Errorf("modelfile: UMB: %w", u.err)
	}
	u.describe()
	index, err := json.MarshalIndent(u.index, "", "  ")
	if err != nil {
		return fmt.Errorf("modelfile: UMB: %w", err)
	}
	u.enter(umbIndexName, func() { u.bytes(index) })
	last := len(u.members) - 1
	packed := tar.NewWriter(w)
	for _, member := range append(u.members[last:], u.members[:last]...) {
		if err := packed.WriteHeader(&tar.Header{Name: member.name, Size: member.size, Mode: 0o644}); err != nil {
			return fmt.Errorf("modelfile: writing: %w", err)
		}
		u.w.Reset(packed)
		member.write()
		if err := u.flush(); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("modelfile: writing: %w", err)
	}
	return nil
}

// umbWriter writes a UMB file.
type umbWriter struct {
	*lineWriter
	m        *Model
	index    umbIndex
	members  []umbContent
	exit     Numbers // rates, by state of a CTMC
	branches int
	err      error // of rates that are no product
}

// umbContent is a member to be written.
type umbContent struct {
	name  string
	size  int64
	write func()
}

// byteCounter counts what is written to it.
type byteCounter int64

func (c *byteCounter) Write(text []byte) (int, error) {
	*c += byteCounter(len(text))
	return len(text), nil
}

// enter adds a member, whose size is that of what it writes.
func (u *umbWriter) enter(name string, write func()) {
	var size byteCounter
	u.w.Reset(&size)
	write()
	_ = u.flush() // cannot fail
	u.members = append(u.members, umbContent{name, int64(size), write})
}

func (u *umbWriter) uint64(x uint64) {
	u.scratch = binary.LittleEndian.AppendUint64(u.scratch[:0], x)
	u.bytes(u.scratch)
}

// each lists the branches of choice k of state s, with the transition of each and its
// probability. A state of a CTMC that is never left has a branch to itself, transition −1.
func (u *umbWriter) each(s, k int, use func(e int, p value)) {
	lo, hi := u.m.row(k)
	if lo == hi {
		use(-1, value{1, one})
	}
	for e := lo; e < hi; e++ {
		switch v := u.m.Values.value(e); {
		case !u.m.Kind.IsContinuous():
			use(e, v)
		case v.exact != nil:
			use(e, rounded(new(big.Rat).Quo(v.exact, u.exit.Exact[s])))
		default:
			exit := u.exit.Float[s]
			p, rest := quotients(v.float, exit)
			if doubledouble.TwoProduct(p, exit).Add(doubledouble.TwoProduct(rest, exit)).Float() != v.float {
				u.err = fmt.Errorf("state %d: rate %v of %v has no probability in float64: use another unit of time, or fractions", s, v.float, exit)
			}
			if use(e, value{float: p}); rest != 0 {
				use(e, value{float: rest})
			}
		}
	}
}

// quotients returns numbers whose products with an exit rate add up to a rate, rounded once;
// one of them where that is enough.
func quotients(rate, exit float64) (p, rest float64) {
	if p = rate / exit; p*exit == rate {
		return p, 0
	}
	if math.FMA(-p, exit, rate) < 0 {
		p = math.Nextafter(p, 0)
	}
	return p, math.FMA(-p, exit, rate) / exit
}

// describe makes the index and the members.
func (u *umbWriter) describe() {
	m := u.m
	u.index = umbIndex{Version: umbVersion, File: map[string]any{"tool": "mdpsolve"}, Annotations: make(map[string]map[string]umbAnnotation)}
	system := &u.index.System
	*system = umbSystem{
		Time: "discrete", States: uint64(m.NumStates()), InitialStates: uint64(len(m.Initial)),
		Choices: uint64(m.NumChoices()), Branches: uint64(u.branches),
	}
	if m.Kind.HasChoices() {
		system.Players = 1
		u.enter(umbStateToChoices, func() {
			for _, k := range m.StateStart {
				u.uint64(uint64(k))
			}
		})
	}
	if m.Kind.IsContinuous() {
		system.Time, system.ExitRateType = "stochastic", u.numberType(&u.exit)
		u.enterNumbers(umbStateToExitRate, system.ExitRateType, u.exit.each(m.NumStates()))
	}
	u.enter(umbStateIsInitial, func() { u.states(m.Initial) })
	u.enter(umbChoiceToBranch, func() {
		branches := uint64(0)
		u.uint64(0)
		for s, k := range m.choices() {
			u.each(s, k, func(int, value) { branches++ })
			u.uint64(branches)
		}
	})
	u.enter(umbBranchToTarget, func() {
		for s, k := range m.choices() {
			u.each(s, k, func(e int, _ value) {
				to := int32(s)
				if e >= 0 {
					to = m.Columns[e]
				}
				u.uint64(uint64(to))
			})
		}
	})
	probabilities := Numbers{}
	if m.Kind.IsContinuous() && m.IsExact() {
		u.eachBranch(func(_ int, p value) { probabilities.add(p) })
	} else {
		probabilities = m.Values
	}
	number := u.numberType(&probabilities, &m.High)
	system.ProbabilityType = number
	if m.IsUncertain() {
		system.ProbabilityType = &umbType{number.Type + ofIntervals, 2 * number.Size}
	}
	u.enterNumbers(umbBranchToValue, number, func(use func(value)) {
		u.eachBranch(func(e int, p value) {
			if use(p); m.IsUncertain() {
				use(m.High.value(e))
			}
		})
	})
	u.describeActions()
	for _, name := range m.labelNames() {
		id := u.annotation(umbLabels, umbAnnotation{Alias: name, AppliesTo: umbPlaces[:1], Type: umbType{umbBool, 1}})
		u.enter(annotationMember(umbLabels, id, umbStates), func() { u.states(m.Labels[name]) })
	}
	for i := range m.Rewards {
		u.describeRewards(&m.Rewards[i])
	}
	u.describeStates()
}

// eachBranch lists all branches.
func (u *umbWriter) eachBranch(use func(e int, p value)) {
	for s, k := range u.m.choices() {
		u.each(s, k, use)
	}
}

// describeRewards adds a reward model.
func (u *umbWriter) describeRewards(r *RewardModel) {
	a := umbAnnotation{Alias: r.Name, Type: *u.numberType(&r.State, &r.Action, &r.Transition)}
	for i, list := range []*Numbers{&r.State, &r.Action, &r.Transition} {
		if list.Len() > 0 {
			a.AppliesTo = append(a.AppliesTo, umbPlaces[i])
		}
	}
	if a.AppliesTo == nil {
		a.AppliesTo = umbPlaces[:1]
	}
	id := u.annotation(umbRewards, a)
	for _, place := range a.AppliesTo {
		list := r.State.each(u.m.NumStates())
		switch place {
		case umbChoices:
			list = r.Action.each(u.m.NumChoices())
		case umbBranches:
			list = func(use func(value)) {
				u.eachBranch(func(e int, _ value) {
					if e < 0 {
						use(value{})
					} else {
						use(r.Transition.value(e))
					}
				})
			}
		}
		u.enterNumbers(annotationMember(umbRewards, id, place), &a.Type, list)
	}
}

// annotation adds an annotation to the index, and returns its identifier there: the name,
// with characters that identifiers do not have in hexadecimal.
func (u *umbWriter) annotation(group string, a umbAnnotation) string {
	id := regexp.MustCompile("[^a-z0-9-]").ReplaceAllStringFunc(a.Alias, func(c string) string { return fmt.Sprintf("_%x_", c) })
	if u.index.Annotations[group] == nil {
		u.index.Annotations[group] = make(map[string]umbAnnotation)
	}
	u.index.Annotations[group][id] = a
	return id
}

// numberList lists numbers.
type numberList func(use func(value))

// each lists the numbers; an empty list consists of zeros.
func (n *Numbers) each(length int) numberList {
	return func(use func(value)) {
		for i := range length {
			use(n.value(i))
		}
	}
}

// numberType returns the type that holds all numbers of some lists.
func (u *umbWriter) numberType(lists ...*Numbers) *umbType {
	if !u.m.IsExact() {
		return &umbType{umbDouble, 64}
	}
	words := 1 // of 64 bits
	for _, list := range lists {
		for _, x := range list.Exact {
			words = max(words, x.Num().BitLen()/64+1, (x.Denom().BitLen()+63)/64)
		}
	}
	return &umbType{umbRational, uint64(128 * words)}
}

// enterNumbers adds a member of numbers.
func (u *umbWriter) enterNumbers(name string, of *umbType, list numberList) {
	u.enter(name, func() {
		list(func(v value) {
			switch {
			case of.Type == umbDouble:
				u.uint64(math.Float64bits(v.float))
				return
			case v.exact == nil:
				v.exact = zero
			}
			u.integer(v.exact.Num(), of.width()/2)
			u.integer(v.exact.Denom(), of.width()/2)
		})
	})
}

// integer writes a whole number in two's complement, the least byte first.
func (u *umbWriter) integer(x *big.Int, width int) {
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
	}
	record := x.FillBytes(make([]byte, width))
	slices.Reverse(record)
	u.bytes(record)
}

// states writes a set of states, which are in order, as bits.
func (u *umbWriter) states(states []int32) {
	for lo := 0; lo < u.m.NumStates(); lo += 64 {
		word := uint64(0)
		for ; len(states) > 0 && int(states[0]) < lo+64; states = states[1:] {
			word |= 1 << (int(states[0]) - lo)
		}
		u.uint64(word)
	}
}

// textList lists texts in order, each once.
func textList(texts iter.Seq[string]) []string { return slices.Compact(slices.Sorted(texts)) }

// numberIn returns the number of a text in a list.
func numberIn(texts []string, text string) uint64 {
	number, _ := slices.BinarySearch(texts, text)
	return uint64(number)
}

// enterTexts adds the two members of a list of texts.
func (u *umbWriter) enterTexts(folder string, texts []string) {
	if len(texts) == 0 {
		return
	}
	u.enter(folder+umbTextEnds, func() {
		end := 0
		u.uint64(0)
		for _, text := range texts {
			end += len(text)
			u.uint64(uint64(end))
		}
	})
	u.enter(folder+umbTextBytes, func() { u.text(strings.Join(texts, "")) })
}

// describeActions adds the names of actions.
func (u *umbWriter) describeActions() {
	if u.m.ActionNames == nil {
		return
	}
	texts := textList(slices.Values(u.m.ActionNames))
	u.index.System.ChoiceActions = uint32(len(texts))
	u.enterTexts(umbActions, texts)
	u.enter(umbActions+umbValues, func() {
		for _, name := range u.m.ActionNames {
			u.scratch = binary.LittleEndian.AppendUint32(u.scratch[:0], uint32(numberIn(texts, name)))
			u.bytes(u.scratch)
		}
	})
}
