// This file writes UMB files.

package modelfile

import (
	"archive/tar"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/doubledouble"
)

// WriteUMB writes a model in the unified Markov binary format, as a tar file that is not
// packed. Reading it gives an equal model, but for a list of variables without names of
// states.
//
// The probabilities of a CTMC are rates divided by the exit rate. Where float64 makes such a
// product another rate, a second branch to the same state, of a tiny probability, makes up
// for the difference.
//
// Models that are not valid ([Model.Validate]), and rates for which float64 has no such
// probabilities, are errors, before anything is written.
func WriteUMB(w io.Writer, m *Model) error {
	if err := m.Validate(); err != nil {
		return err
	}
	u := &umbWriter{m: m}
	if m.Kind == CTMC {
		u.exit = m.ExitRates()
	}
	if err := u.count(); err != nil {
		return fmt.Errorf("modelfile: UMB: %w", err)
	}
	u.describe()
	text, err := json.MarshalIndent(u.index, "", "  ")
	if err != nil {
		return fmt.Errorf("modelfile: UMB: %w", err)
	}
	packed := tar.NewWriter(w)
	for _, member := range append([]umbContent{{umbIndexName, len(text), func() { u.bytes(text) }}}, u.members...) {
		if err := packed.WriteHeader(&tar.Header{Name: member.name, Size: int64(member.size), Mode: 0o644}); err != nil {
			return fmt.Errorf("modelfile: writing: %w", err)
		}
		u.lineWriter = newLineWriter(packed)
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
}

// umbContent is a member to be written.
type umbContent struct {
	name  string
	size  int
	write func()
}

// enter adds a member of count numbers.
func (u *umbWriter) enter(name string, count, width int, write func()) {
	u.members = append(u.members, umbContent{name, count * width, write})
}

func (u *umbWriter) uint64(x uint64) {
	u.scratch = binary.LittleEndian.AppendUint64(u.scratch[:0], x)
	u.bytes(u.scratch)
}

// each lists the branches of choice k of state s, with the transition of each and its
// probability. A state of a CTMC that is never left has a branch to itself, transition −1.
func (u *umbWriter) each(s, k int, use func(e int, p value)) {
	lo, hi := u.m.row(k)
	for e := lo; e < hi; e++ {
		v := u.m.Values.value(e)
		switch {
		case u.m.Kind != CTMC:
			use(e, v)
		case v.exact != nil:
			p := new(big.Rat).Quo(v.exact, u.exit.Exact[s])
			use(e, value{exact: p})
		default:
			p, rest := quotients(v.float, u.exit.Float[s])
			if use(e, value{float: p}); rest != 0 {
				use(e, value{float: rest})
			}
		}
	}
	if lo == hi {
		v := value{float: 1}
		if u.m.IsExact() {
			v.exact = one
		}
		use(-1, v)
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

// count counts the branches, and checks that their products are the rates again.
func (u *umbWriter) count() error {
	for s, k := range u.m.choices() {
		lo, sum, last := u.branches, doubledouble.Number{}, -1
		var err error
		check := func() {
			if u.m.Kind == CTMC && !u.m.IsExact() && last >= 0 && sum.Float() != u.m.Values.Float[last] {
				err = fmt.Errorf("state %d: the rate %v of %v in all has no probability in float64: use another unit of time, or write fractions",
					s, u.m.Values.Float[last], u.exit.Float[s])
			}
		}
		u.each(s, k, func(e int, p value) {
			u.branches++
			if u.m.Kind != CTMC || u.m.IsExact() || e < 0 {
				return
			}
			if e != last {
				check()
				sum = doubledouble.Number{}
			}
			sum, last = sum.Add(doubledouble.TwoProduct(p.float, u.exit.Float[s])), e
		})
		if check(); err != nil {
			return err
		}
		if u.branches < lo || u.branches >= math.MaxInt32-1 {
			return fmt.Errorf("%s", tooMany(umbBranches).What())
		}
	}
	return nil
}

// describe makes the index, and the list of the members.
func (u *umbWriter) describe() {
	m := u.m
	n, choices := m.NumStates(), m.NumChoices()
	u.index = umbIndex{Version: umbVersion, File: &umbFile{Tool: "mdpsolve"}, Annotations: make(map[string]map[string]umbAnnotation)}
	system := &u.index.System
	*system = umbSystem{
		Time: "discrete", States: uint64(n), InitialStates: uint64(len(m.Initial)),
		Choices: uint64(choices), Branches: uint64(u.branches),
	}
	switch m.Kind {
	case MDP:
		system.Players = 1
		u.enter(umbStateToChoices, n+1, 8, func() {
			for _, k := range m.StateStart {
				u.uint64(uint64(k))
			}
		})
	case CTMC:
		system.Time = "stochastic"
		system.ExitRateType = u.numberType(u.exit.each(n))
		u.enterNumbers(umbStateToExitRate, n, system.ExitRateType, u.exit.each(n))
	}
	u.enter(umbStateIsInitial, (n+63)/64, 8, func() { u.states(m.Initial) })
	u.enter(umbChoiceToBranch, choices+1, 8, func() {
		branches := uint64(0)
		u.uint64(0)
		for s, k := range m.choices() {
			u.each(s, k, func(int, value) { branches++ })
			u.uint64(branches)
		}
	})
	u.enter(umbBranchToTarget, u.branches, 8, func() {
		for s, k := range m.choices() {
			u.each(s, k, func(e int, _ value) {
				if e < 0 {
					u.uint64(uint64(s))
				} else {
					u.uint64(uint64(m.Columns[e]))
				}
			})
		}
	})
	probabilities := func(use func(value)) {
		for s, k := range m.choices() {
			u.each(s, k, func(_ int, p value) { use(p) })
		}
	}
	system.ProbabilityType = u.numberType(probabilities)
	u.enterNumbers(umbBranchToValue, u.branches, system.ProbabilityType, probabilities)
	u.describeActions()
	u.describeAnnotations()
	u.describeStates()
}

// numberList lists numbers.
type numberList func(use func(value))

// numberType returns the type that holds all numbers of some lists.
func (u *umbWriter) numberType(lists ...numberList) *umbType {
	if !u.m.IsExact() {
		return &umbType{umbDouble, 64}
	}
	words := 1 // of 64 bits
	for _, list := range lists {
		list(func(v value) {
			if v.exact != nil {
				words = max(words, v.exact.Num().BitLen()/64+1, (v.exact.Denom().BitLen()+63)/64)
			}
		})
	}
	return &umbType{umbRational, uint64(128 * words)}
}

// enterNumbers adds a member of numbers.
func (u *umbWriter) enterNumbers(name string, count int, of *umbType, list numberList) {
	width := of.width()
	u.enter(name, count, width, func() {
		list(func(v value) {
			switch {
			case of.Type == umbDouble:
				u.uint64(math.Float64bits(v.float))
			case v.exact == nil:
				u.integer(zero.Num(), width/2)
				u.integer(zero.Denom(), width/2)
			default:
				u.integer(v.exact.Num(), width/2)
				u.integer(v.exact.Denom(), width/2)
			}
		})
	})
}

// integer writes a whole number in two's complement, the least byte first.
func (u *umbWriter) integer(x *big.Int, width int) {
	if x.Sign() < 0 {
		x = new(big.Int).Add(x, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
	}
	text := x.FillBytes(make([]byte, width))
	slices.Reverse(text)
	u.bytes(text)
}

// states writes a set of states, which are in order, as bits.
func (u *umbWriter) states(states []int32) {
	for lo := 0; lo < u.m.NumStates(); lo += 64 {
		bits := uint64(0)
		for ; len(states) > 0 && int(states[0]) < lo+64; states = states[1:] {
			bits |= 1 << (int(states[0]) - lo)
		}
		u.uint64(bits)
	}
}

// textTable gives texts numbers, in the order in which they come.
type textTable struct {
	number map[string]int
	list   []string
}

func (t *textTable) add(text string) int {
	number, ok := t.number[text]
	if !ok {
		if t.number == nil {
			t.number = make(map[string]int)
		}
		number = len(t.list)
		t.number[text], t.list = number, append(t.list, text)
	}
	return number
}

// enterTexts adds the two members of a table of texts.
func (u *umbWriter) enterTexts(folder string, t *textTable) {
	size := 0
	for _, text := range t.list {
		size += len(text)
	}
	u.enter(folder+umbStringMapping, len(t.list)+1, 8, func() {
		end := 0
		u.uint64(0)
		for _, text := range t.list {
			end += len(text)
			u.uint64(uint64(end))
		}
	})
	u.enter(folder+umbStringBytes, size, 1, func() { u.text(t.list...) })
}

// describeActions adds the names of actions.
func (u *umbWriter) describeActions() {
	if u.m.ActionNames == nil {
		return
	}
	table := &textTable{}
	for _, name := range u.m.ActionNames {
		table.add(name)
	}
	u.index.System.ChoiceActions = uint32(len(table.list))
	u.enterTexts(umbActions, table)
	u.enter(umbActions+umbValues, u.m.NumChoices(), 4, func() {
		for _, name := range u.m.ActionNames {
			u.scratch = binary.LittleEndian.AppendUint32(u.scratch[:0], uint32(table.number[name]))
			u.bytes(u.scratch)
		}
	})
}

// annotation enters an annotation of a group under an identifier, which it returns: the
// name as far as identifiers go.
func (u *umbWriter) annotation(group, name string, a umbAnnotation) (id string) {
	id = strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' {
			return c
		}
		return '_'
	}, name)
	const most = 30 // so that names fit the header of tar
	id = id[:min(len(id), most)]
	if u.index.Annotations[group] == nil {
		u.index.Annotations[group] = make(map[string]umbAnnotation)
	}
	for number, base := 1, id; ; number++ {
		if _, taken := u.index.Annotations[group][id]; !taken {
			break
		}
		id = fmt.Sprintf("%s_%d", base, number)
	}
	a.Alias = name
	u.index.Annotations[group][id] = a
	return id
}

// describeAnnotations adds labels and rewards.
func (u *umbWriter) describeAnnotations() {
	m := u.m
	for _, name := range m.labelNames() {
		id := u.annotation(umbLabels, name, umbAnnotation{AppliesTo: []string{umbStates}, Type: umbType{umbBool, 1}})
		u.enter(umbAnnotationName(umbLabels, id, umbStates), (m.NumStates()+63)/64, 8, func() { u.states(m.Labels[name]) })
	}
	for i := range m.Rewards {
		r := &m.Rewards[i]
		of := u.numberType(r.State.each(r.State.Len()), r.Action.each(r.Action.Len()), r.Transition.each(r.Transition.Len()))
		a := umbAnnotation{Type: *of}
		if r.State.Len() > 0 || r.Action.Len()+r.Transition.Len() == 0 {
			a.AppliesTo = append(a.AppliesTo, umbStates)
		}
		if r.Action.Len() > 0 {
			a.AppliesTo = append(a.AppliesTo, umbChoices)
		}
		if r.Transition.Len() > 0 {
			a.AppliesTo = append(a.AppliesTo, umbBranches)
		}
		id := u.annotation(umbRewards, r.Name, a)
		for _, place := range a.AppliesTo {
			count, list := m.NumStates(), r.State.each(m.NumStates())
			switch place {
			case umbChoices:
				count, list = m.NumChoices(), r.Action.each(m.NumChoices())
			case umbBranches:
				count, list = u.branches, u.branchRewards(r)
			}
			u.enterNumbers(umbAnnotationName(umbRewards, id, place), count, of, list)
		}
	}
}

// branchRewards lists the rewards of transitions by branch.
func (u *umbWriter) branchRewards(r *RewardModel) numberList {
	return func(use func(value)) {
		for s, k := range u.m.choices() {
			u.each(s, k, func(e int, _ value) {
				if e < 0 {
					use(value{})
				} else {
					use(r.Transition.value(e))
				}
			})
		}
	}
}

// each lists the numbers; an empty list consists of zeros.
func (n *Numbers) each(length int) numberList {
	return func(use func(value)) {
		for i := range length {
			use(n.value(i))
		}
	}
}
