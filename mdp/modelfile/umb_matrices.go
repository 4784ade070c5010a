// This file reads transitions from compressed sparse rows, in the form in which programs have
// them: a matrix for each action, say. They belong to models that programs hand over in memory.

package modelfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/mdp"
)

// umbMatrix is some choices with their transitions, row by row. Its members are described in the
// documentation of the package.
type umbMatrix struct {
	Rows    int `json:"rows"`
	Entries int `json:"entries"`
	First   int `json:"first"` // the choice of row r is First + r·Step
	Step    int `json:"step"`
	Bytes   int `json:"bytes"`

	choices []int32 // nil where First and Step say them; −1 for a row that the model lacks
	starts  []int32
	targets int64 // where these members begin in memory
	values  int64
	rewards []int64 // by reward model, in the order of gathered
}

// choice returns the choice of row r.
func (x *umbMatrix) choice(r int) int {
	if x.choices != nil {
		return int(x.choices[r])
	}
	return x.First + r*x.Step
}

// checkMatrices refuses matrices that do not fit the counts and the kind of the model.
func (u *umbReader) checkMatrices() *filepos.Error {
	s := &u.index.System
	rows, entries := 0, 0
	for i, x := range u.index.Matrices {
		if x == nil || x.Bytes != 4 && x.Bytes != 8 || x.Rows < 0 || x.Entries < 0 || x.Rows > math.MaxInt32 || x.Entries > int(s.Branches) ||
			x.First >= 0 && x.Rows > 0 && (x.First > int(s.Choices) || x.Step < 1 || x.Step > int(s.Choices) || x.First+(x.Rows-1)*x.Step >= int(s.Choices)) {
			return filepos.Fault(fmt.Sprintf("matrix %d that does not fit", i), "rows of choices of the model, with numbers of 4 or 8 bytes")
		}
		rows, entries = rows+x.Rows, entries+x.Entries
	}
	switch {
	case rows < int(s.Choices) || entries != int(s.Branches):
		return filepos.Fault(fmt.Sprintf("matrices of %d rows with %d entries", rows, entries), fmt.Sprintf("%d or more and %d, as there are choices and branches", s.Choices, s.Branches))
	case s.ProbabilityType.Type != umbDouble || u.builder.model.Kind.IsContinuous():
		return filepos.Fault("matrices in this kind of model", "probabilities in float64, in discrete time")
	case slices.ContainsFunc(u.gathered(), func(id string) bool { return u.index.Annotations[umbRewards][id].Type.Type != umbDouble }):
		return filepos.Fault("rewards of branches that are not in float64", "float64, as matrices have them")
	case u.data == nil:
		return filepos.Fault("matrices in a file", "branches; matrices are for models in memory")
	}
	return nil
}

// listMatrices adds the members of matrices to those that are read.
func (u *umbReader) listMatrices() {
	enter := func(name string, size int, read func() error) { u.members[name] = umbMember{int64(size), read} }
	place := func(name string, size int, at *int64) {
		enter(name, size, func() error {
			*at = u.at
			return nil
		})
	}
	for i, x := range u.index.Matrices {
		folder := "matrices/" + strconv.Itoa(i) + "/"
		if x.First < 0 {
			enter(folder+"choices.bin", x.Bytes*x.Rows, func() error { return decodeBlocks(u, &x.choices, x.Rows, x.Bytes, startsOf) })
		}
		enter(folder+"starts.bin", x.Bytes*(x.Rows+1), func() error { return decodeBlocks(u, &x.starts, x.Rows+1, x.Bytes, startsOf) })
		place(folder+"targets.bin", x.Bytes*x.Entries, &x.targets)
		place(folder+"probabilities.bin", 8*x.Entries, &x.values)
		gathered := u.gathered()
		x.rewards = make([]int64, len(gathered))
		for r, id := range gathered {
			place(folder+"rewards/"+id+".bin", 8*x.Entries, &x.rewards[r])
		}
	}
}

// gathered lists the reward models with rewards of branches, which matrices then have.
func (u *umbReader) gathered() (ids []string) {
	for _, id := range u.index.ids(umbRewards) {
		if slices.Contains(u.index.Annotations[umbRewards][id].AppliesTo, umbBranches) {
			ids = append(ids, id)
		}
	}
	return ids
}

// gather makes the rows of the matrices those of the model, in the order of choices. It copies them
// unless share does.
func (u *umbReader) gather() error {
	if u.share() {
		return nil
	}
	m, s := u.builder.model, &u.index.System
	m.RowStart = make([]int32, s.Choices+1)
	if err := u.countRows(); err != nil {
		return err
	}
	count := m.RowStart[s.Choices]
	m.Columns, m.Values.Float = make([]int32, count), make([]float64, count)
	var rewards [][]float64
	for _, id := range u.gathered() {
		name := u.index.name(umbRewards, id)
		r, _ := m.Reward(name) // there is one
		r.Transition.Float = make([]float64, count)
		rewards = append(rewards, r.Transition.Float)
	}
	u.member = "matrices/targets.bin"
	var others atomic.Bool // a number is no probability, or too small for all digits of a float64
	// A block takes a share of each matrix, which usually is all choices of some states.
	blocks := 1 + int(s.Choices)/choiceBlock
	err := u.inBlocks(blocks, 1, func(b, _ int, _ *[]byte) error {
		for _, x := range u.index.Matrices {
			for r := b * x.Rows / blocks; r < (b+1)*x.Rows/blocks; r++ {
				if x.choice(r) < 0 {
					continue
				}
				isNormal, err := u.gatherRow(x, r, rewards)
				if err != nil {
					return err
				}
				if !isNormal {
					others.Store(true)
				}
			}
		}
		return nil
	})
	if err == nil && !u.builder.numbers.exact && !others.Load() {
		m.rows = m.tableOf(m.RowStart, m.Columns, m.Values.Float) // if it is nil, finishRows says why
	}
	if err != nil || !u.builder.numbers.exact {
		return err
	}
	m.Values.Exact = m.Values.Rationals()
	for i := range m.Rewards {
		m.Rewards[i].Transition.Exact = m.Rewards[i].Transition.Rationals()
	}
	return nil
}

// share has the model keep the probabilities of its only matrix where they are in memory, and its columns
// if they have 4 bytes, provided that a table can have them as they are. It reports whether it did.
func (u *umbReader) share() bool {
	m, x, n := u.builder.model, u.index.Matrices[0], u.index.System.States
	if len(u.index.Matrices) > 1 || x.First != 0 || x.Step != 1 || len(u.gathered()) > 0 || u.builder.numbers.exact || u.builder.divide {
		return false
	}
	targets, values := u.data[x.targets:], inPlace[float64](u.data[x.values:], x.Entries)
	if values == nil {
		return false
	}
	var columns []int32
	if x.Bytes == 4 {
		columns = inPlace[int32](targets, x.Entries)
	}
	isCopied := columns == nil
	if isCopied {
		columns = make([]int32, x.Entries)
	}
	refused := errors.New("gather says why")
	err := u.inBlocks(len(values), umbBlock/8, func(lo, hi int, _ *[]byte) error {
		if !areNormal(values[lo:hi]) {
			return refused
		}
		if isCopied {
			if _, fault := targetsOf(targets[x.Bytes*lo:x.Bytes*hi], columns[lo:hi], n); fault != nil {
				return refused
			}
		}
		return nil
	})
	if err != nil {
		return false
	}
	rows := m.tableOf(x.starts, columns, values)
	if rows == nil {
		return false
	}
	m.RowStart, m.Columns, m.Values.Float, m.rows = x.starts, columns, values, rows
	return true
}

// inPlace returns the first count numbers of data without copying them; nil where the processor has numbers in
// another form, or in other places.
func inPlace[T int32 | float64](data []byte, count int) []T {
	var one T
	first := unsafe.Pointer(unsafe.SliceData(data))
	isLittle := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if count == 0 || !isLittle || uintptr(first)%unsafe.Alignof(one) != 0 {
		return nil
	}
	return unsafe.Slice((*T)(first), count)
}

// areNormal reports whether numbers are probabilities in the normal range of float64, where they have all their
// digits.
func areNormal(numbers []float64) bool {
	for _, p := range numbers {
		if !(p >= leastNormal && p <= 1) {
			return false
		}
	}
	return true
}

// tableOf returns the table of some rows for the choices of a model, with costs 0; nil if NewTable refuses
// them.
func (m *Model) tableOf(starts, columns []int32, values []float64) *mdp.Table {
	arrays := mdp.TableArrays{StateStart: m.StateStart, RowStart: starts, Columns: columns, Probabilities: values, Costs: make([]float64, len(starts)-1)}
	rows, _ := mdp.NewTable(arrays)
	return rows
}

// gatherRow copies row r of a matrix. It reports whether all its numbers are probabilities in the normal
// range of float64.
func (u *umbReader) gatherRow(x *umbMatrix, r int, rewards [][]float64) (isNormal bool, err error) {
	m, from := u.builder.model, int64(x.starts[r])
	lo, hi := m.row(x.choice(r))
	columns, values, count := m.Columns[lo:hi], m.Values.Float[lo:hi], int64(hi-lo)
	part := func(place int64, width int) []byte {
		return u.data[place+int64(width)*from : place+int64(width)*(from+count)]
	}
	if at, fault := targetsOf(part(x.targets, x.Bytes), columns, u.index.System.States); fault != nil {
		return false, &numberError{int(from) + at, fault}
	}
	numbers := part(x.values, 8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(numbers[8*i:]))
	}
	if isNormal = areNormal(values); !isNormal {
		if at, fault := doublesOf(numbers, values, false); fault != nil {
			return false, &numberError{int(from) + at, fault}
		}
	}
	for i, list := range rewards {
		if at, fault := doublesOf(part(x.rewards[i], 8), list[lo:hi], true); fault != nil {
			return false, &numberError{int(from) + at, fault}
		}
	}
	return isNormal, nil
}

// countRows sets where the rows of the model begin. It refuses matrices that do not have each choice
// once.
func (u *umbReader) countRows() error {
	m := u.builder.model
	counts := m.RowStart[1:]
	for k := range counts {
		counts[k] = -1
	}
	for i, x := range u.index.Matrices {
		u.member = "matrices/" + strconv.Itoa(i)
		if !areStarts(x.starts, x.Entries, 0) {
			return u.fault(-1, filepos.Fault("rows that do not begin in order", "starts from 0 to the number of entries that do not decrease"))
		}
		last := -1
		for r := range x.Rows {
			k := x.choice(r)
			if k < 0 {
				continue
			}
			if k <= last || k >= len(counts) || counts[k] >= 0 {
				return u.fault(r, filepos.Fault("choice "+strconv.Itoa(k), "each choice of the model once, increasing in each matrix"))
			}
			last, counts[k] = k, x.starts[r+1]-x.starts[r]
		}
	}
	sum := int64(0)
	for k := range counts {
		if counts[k] < 0 {
			u.member = "matrices/0"
			return u.fault(-1, filepos.Fault("no row for choice "+strconv.Itoa(k), "one in a matrix"))
		}
		sum += int64(counts[k])
		counts[k] = int32(min(sum, math.MaxInt32))
	}
	return nil
}
