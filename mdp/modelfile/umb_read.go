// This file reads the members of UMB files.

package modelfile

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// Names in UMB files.
const (
	umbLabels  = "aps"
	umbRewards = "rewards"

	umbStateToChoices  = "state-to-choices.bin"
	umbChoiceToBranch  = "choice-to-branches.bin"
	umbBranchToTarget  = "branch-to-target.bin"
	umbBranchToValue   = "branch-to-probability.bin"
	umbStateToExitRate = "state-to-exit-rate.bin"
	umbStateIsInitial  = "state-is-initial.bin"
	umbActions         = "actions/choices/"
	umbValuations      = "valuations/states/"
	umbValues          = "values.bin"
	umbStringMapping   = "string-mapping.bin"
	umbStringBytes     = "strings.bin"
	umbValuationBytes  = "valuations.bin"
)

const (
	gzipMagic = "\x1f\x8b\x08"
	xzMagic   = "\xfd7zXZ\x00"
	tarMagic  = "ustar" // at tarMagicAt
)

const tarMagicAt = 257

// umbBlock is how many bytes of a member are read at once.
const umbBlock = 1 << 20

// isUMB tells UMB files from texts by their first bytes.
func isUMB(start []byte) bool {
	return bytes.HasPrefix(start, []byte(gzipMagic)) || bytes.HasPrefix(start, []byte(xzMagic)) ||
		len(start) > tarMagicAt && bytes.HasPrefix(start[tarMagicAt:], []byte(tarMagic))
}

// ReadUMB reads a model in the unified Markov binary format, packed by gzip or not; name
// is what errors call the file. See the package documentation for what is read and what is
// refused.
func ReadUMB(r io.Reader, name string, options Options) (*Model, error) {
	u := &umbReader{b: newBuilder(nil, options), options: options, file: name, seen: make(map[string]bool)}
	file, _ := r.(*os.File)
	text := bufio.NewReaderSize(r, umbBlock)
	start, _ := text.Peek(len(xzMagic)) // an error comes again
	switch {
	case bytes.HasPrefix(start, []byte(xzMagic)):
		return nil, u.fault(-1, filepos.Fault("data packed by xz", "a file packed by gzip, or not packed (unxz)"))
	case bytes.HasPrefix(start, []byte(gzipMagic)):
		unpacked, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("modelfile: %s: damaged gzip data: %w", name, err)
		}
		return gzfile.Ahead(unpacked, u.read)
	}
	if file != nil {
		if info, err := file.Stat(); err == nil {
			u.size = info.Size()
		}
	}
	return u.read(text)
}

// umbReader reads a UMB file, member after member as they come. Each member is an array of
// the model; the rows of the model are checked when all are there.
type umbReader struct {
	b       *builder
	options Options
	file    string
	index   umbIndex
	size    int64 // of the file, 0 where that is not known
	members map[string]umbMember
	seen    map[string]bool // members that have been read

	tar    *tar.Reader
	member string // that is being read
	within part
	buffer []byte

	exit          Numbers  // rates, by state
	actions       []uint32 // by choice
	actionTexts   umbTexts
	stateClass    []umbVariable
	valuations    []byte
	stateTexts    umbTexts
	lastPlace     []int32 // by state: 1 + where the present row has it, if that is in the row
	accumulated   []umbSum
	stateNameSize int
}

// umbMember is a member that is read: its size in bytes, −1 for any, and how.
type umbMember struct {
	size int64
	read func() error
}

// umbTexts is a list of texts: text i is bytes[ends[i]:ends[i+1]].
type umbTexts struct {
	ends  []int32
	bytes []byte
}

// fault is a fault in the present member, at a number in it or −1.
func (u *umbReader) fault(index int, f *filepos.Error) error {
	if f == nil {
		return nil
	}
	member := strconv.Quote(wording.Short(u.member)) // hostile names stay on one line
	return &SyntaxError{File: u.file, Member: member[1 : len(member)-1], Index: index, Found: f.Found, Expected: f.Expected, Within: u.within.String()}
}

// cut is an error while data is read: a file that ends too early has a place.
func (u *umbReader) cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return u.fault(-1, filepos.Fault("the end of the file", "the rest of this member"))
	}
	return fmt.Errorf("modelfile: %s: %w", u.file, err)
}

// read reads a tar file.
func (u *umbReader) read(r io.Reader) (*Model, error) {
	u.tar, u.within = tar.NewReader(r), outside
	for {
		header, err := u.tar.Next()
		switch {
		case errors.Is(err, io.EOF) && u.members != nil:
			if _, err := io.Copy(io.Discard, r); err != nil { // for the checksum of gzip
				return nil, u.cut(err)
			}
			return u.finish()
		case errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
			return nil, u.fault(-1, filepos.Fault("a damaged or missing header of tar behind this member", "a whole UMB file, a tar file with "+umbIndexName+" as its first member"))
		case err != nil:
			return nil, u.cut(err)
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		u.member = strings.TrimPrefix(strings.TrimPrefix(header.Name, "."), "/")
		if err := u.readMember(header); err != nil {
			return nil, err
		}
	}
}

// readMember reads one member; those that are not known are left out.
func (u *umbReader) readMember(header *tar.Header) error {
	if u.seen[u.member] {
		return u.fault(-1, filepos.Fault("a member for the second time", "each once"))
	}
	if u.members == nil {
		if u.member != umbIndexName {
			return u.fault(-1, filepos.Fault("a first member of this name", umbIndexName+" before all others"))
		}
		u.seen[u.member] = true
		if err := u.readIndex(u.tar); err != nil {
			return err
		}
		u.listMembers()
		return nil
	}
	member, known := u.members[u.member]
	if !known {
		return nil
	}
	u.seen[u.member] = true
	for key := range header.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse") {
			header.Typeflag = tar.TypeGNUSparse
		}
	}
	if header.Typeflag != tar.TypeReg { // sparse files have sizes without data
		return u.fault(-1, filepos.Fault("a sparse file, a link or the like", "a plain file"))
	}
	if member.size >= 0 && header.Size != member.size {
		return u.fault(-1, filepos.Fault(fmt.Sprintf("%d bytes", header.Size), fmt.Sprintf("%d, by the counts in %s", member.size, umbIndexName)))
	}
	return member.read()
}

// listMembers lists the members that are read, by the index.
func (u *umbReader) listMembers() {
	s, m := &u.index.System, u.b.model
	counts := map[string]int{umbStates: int(s.States), umbChoices: int(s.Choices), umbBranches: int(s.Branches)}
	n, choices, branches := counts[umbStates], counts[umbChoices], counts[umbBranches]
	u.members = make(map[string]umbMember)
	enter := func(name string, count, width int, read func() error) {
		u.members[name] = umbMember{int64(count) * int64(width), read}
	}
	m.StateStart, m.RowStart = nil, nil
	enter(umbStateToChoices, n+1, 8, func() error { return u.readStarts(&m.StateStart, n, choices) })
	enter(umbChoiceToBranch, choices+1, 8, func() error { return u.readStarts(&m.RowStart, choices, branches) })
	enter(umbBranchToTarget, branches, 8, func() error { return u.readTargets(branches, n) })
	enter(umbBranchToValue, branches, s.ProbabilityType.width(), func() error { return u.readNumbers(&m.Values, *s.ProbabilityType, branches, true) })
	if m.Kind == CTMC {
		enter(umbStateToExitRate, n, s.ExitRateType.width(), func() error { return u.readNumbers(&u.exit, *s.ExitRateType, n, true) })
	}
	bits := (n + 63) / 64
	enter(umbStateIsInitial, bits, 8, func() (err error) { m.Initial, err = u.readStates(n); return err })
	for id, a := range u.index.Annotations[umbLabels] {
		enter(umbAnnotationName(umbLabels, id, umbStates), bits, 8, func() error { return u.readLabel(a.name(id), n) })
	}
	for id, a := range u.index.Annotations[umbRewards] {
		for _, place := range a.AppliesTo {
			enter(umbAnnotationName(umbRewards, id, place), counts[place], a.Type.width(), func() error {
				return u.readReward(a.name(id), a.Type, place, counts[place])
			})
		}
	}
	if actions := int(s.ChoiceActions); actions > 0 {
		enter(umbActions+umbValues, choices, 4, func() error { return u.readActions(choices, s.ChoiceActions) })
		enter(umbActions+umbStringMapping, actions+1, 8, func() error { return u.readStarts(&u.actionTexts.ends, actions, -1) })
		u.members[umbActions+umbStringBytes] = umbMember{-1, func() error { return u.readBytes(&u.actionTexts.bytes) }}
	}
	if len(u.stateClass) > 0 {
		enter(umbValuations+umbValuationBytes, n, u.stateNameSize, func() error { return u.readBytes(&u.valuations) })
		if texts := int(u.index.Valuations[umbStates].Strings); texts > 0 {
			enter(umbValuations+umbStringMapping, texts+1, 8, func() error { return u.readStarts(&u.stateTexts.ends, texts, -1) })
			u.members[umbValuations+umbStringBytes] = umbMember{-1, func() error { return u.readBytes(&u.stateTexts.bytes) }}
		}
	}
}

// umbAnnotationName names the member with the values of an annotation.
func umbAnnotationName(group, id, place string) string {
	return "annotations/" + group + "/" + id + "/" + place + "/" + umbValues
}

// blocks reads a member of count numbers of width bytes each, in blocks of whole numbers;
// use learns how many numbers were before.
func (u *umbReader) blocks(count, width int, use func(at int, block []byte) error) error {
	if u.buffer == nil {
		u.buffer = make([]byte, umbBlock)
	}
	most := len(u.buffer) / width
	for at := 0; at < count; at += most {
		block := u.buffer[:min(most, count-at)*width]
		if _, err := io.ReadFull(u.tar, block); err != nil {
			return u.cut(err)
		}
		if err := use(at, block); err != nil {
			return err
		}
	}
	return nil
}

// room returns a list with room for next numbers more, of count in all: for all of them
// where the file is as large as they are, so that the list does not grow.
func room[T any](u *umbReader, list []T, next, count, width int) []T {
	if cap(list)-len(list) >= next {
		return list
	}
	length := count
	if int64(count)*int64(width) > u.size {
		length = min(count, max(2*len(list), len(list)+next))
	}
	grown := make([]T, len(list), length)
	copy(grown, list)
	return grown
}

// readStarts reads where the intervals of count elements begin, the last with the end of
// all: last, or any where it is −1.
func (u *umbReader) readStarts(list *[]int32, count, last int) error {
	least, most := uint64(0), uint64(math.MaxInt32-1)
	if last >= 0 {
		most = uint64(last)
	}
	return u.blocks(count+1, 8, func(at int, block []byte) error {
		*list = room(u, *list, len(block)/8, count+1, 8)
		for i := 0; len(block) > 0; i, block = i+1, block[8:] {
			x := binary.LittleEndian.Uint64(block)
			switch {
			case at+i == 0 && x != 0:
				return u.fault(0, filepos.Fault(strconv.FormatUint(x, 10), "0"))
			case at+i == count && last >= 0 && x != most:
				return u.fault(count, filepos.Fault(strconv.FormatUint(x, 10), strconv.Itoa(last)))
			case x < least || x > most:
				return u.fault(at+i, filepos.Fault(strconv.FormatUint(x, 10), fmt.Sprintf("a number of %d … %d", least, most)))
			}
			least = x
			*list = append(*list, int32(x))
		}
		return nil
	})
}

// readTargets reads the states that branches lead to.
func (u *umbReader) readTargets(count, states int) error {
	columns := u.b.model.Columns
	err := u.blocks(count, 8, func(at int, block []byte) error {
		columns = room(u, columns, len(block)/8, count, 8)
		for i := 0; len(block) > 0; i, block = i+1, block[8:] {
			x := binary.LittleEndian.Uint64(block)
			if x >= uint64(states) {
				return u.fault(at+i, filepos.Fault(strconv.FormatUint(x, 10), fmt.Sprintf("a state of 0 … %d", states-1)))
			}
			columns = append(columns, int32(x))
		}
		return nil
	})
	u.b.model.Columns = columns
	return err
}

// readNumbers reads finite numbers, from 0 up where they are probabilities or rates.
func (u *umbReader) readNumbers(list *Numbers, of umbType, count int, positive bool) error {
	width, exact := of.width(), u.b.numbers.exact
	return u.blocks(count, width, func(at int, block []byte) error {
		list.Float = room(u, list.Float, len(block)/width, count, width)
		if exact {
			list.Exact = room(u, list.Exact, len(block)/width, count, width)
		}
		for i := 0; len(block) > 0; i, block = i+1, block[width:] {
			var v value
			if of.Type == umbDouble {
				v.float = math.Float64frombits(binary.LittleEndian.Uint64(block)) + 0 // −0 becomes 0
				if math.IsNaN(v.float) || math.IsInf(v.float, 0) {
					return u.fault(at+i, filepos.Fault(strconv.FormatFloat(v.float, 'g', -1, 64), "a finite number"))
				}
			}
			if of.Type != umbDouble || exact {
				var fault *filepos.Error
				if v, fault = u.b.numbers.binary(block[:width], of.Type == umbDouble); fault != nil {
					return u.fault(at+i, fault)
				}
			}
			if v.float < 0 && positive {
				return u.fault(at+i, filepos.Fault(strconv.FormatFloat(v.float, 'g', -1, 64), "a number from 0 up"))
			}
			list.Float = append(list.Float, v.float)
			if exact {
				list.Exact = append(list.Exact, v.exact)
			}
		}
		return nil
	})
}

// binary returns the value of a finite float64 or of a fraction in bytes.
func (r *numberReader) binary(bytes []byte, double bool) (v value, fault *filepos.Error) {
	if exact, ok := r.known[string(bytes)]; ok {
		v.float, _ = exact.Float64()
		return r.kept(value{v.float, exact}), nil
	}
	if v.exact = new(big.Rat); double {
		v.exact.SetFloat64(math.Float64frombits(binary.LittleEndian.Uint64(bytes)))
	} else {
		half := len(bytes) / 2
		numerator, denominator := bigInt(bytes[:half]), bigInt(bytes[half:])
		if denominator.Sign() == 0 {
			return v, filepos.Fault("a fraction with denominator 0", "a positive one")
		}
		if bytes[half-1] >= 0x80 { // two's complement
			numerator.Sub(numerator, new(big.Int).Lsh(big.NewInt(1), uint(8*half)))
		}
		v.exact.SetFrac(numerator, denominator)
	}
	v.float, _ = v.exact.Float64()
	switch {
	case isLong(v.exact):
		return v, filepos.Fault("a longer fraction", fmt.Sprintf("one of at most %d bits", maxBits))
	case math.IsInf(v.float, 0) || v.float == 0 && v.exact.Sign() != 0:
		return v, filepos.Fault("a fraction beyond float64", fmt.Sprintf("0 or a magnitude from %.4g to %.4g", math.SmallestNonzeroFloat64, math.MaxFloat64))
	}
	if r.known == nil {
		r.known = make(map[string]*big.Rat)
	}
	r.known[string(bytes)] = v.exact
	return r.kept(v), nil
}

// kept returns a value without its exact one, unless that is asked for.
func (r *numberReader) kept(v value) value {
	if !r.exact {
		v.exact = nil
	}
	return v
}

// bigInt returns an unsigned number, whose least byte comes first.
func bigInt(littleEndian []byte) *big.Int {
	text := slices.Clone(littleEndian)
	slices.Reverse(text)
	return new(big.Int).SetBytes(text)
}

// readStates reads a set of states, a bit for each.
func (u *umbReader) readStates(count int) ([]int32, error) {
	states := []int32{}
	return states, u.blocks((count+63)/64, 8, func(at int, block []byte) error {
		for i, bits := range block {
			for s := 64*at + 8*i; bits != 0 && s < count; s, bits = s+1, bits>>1 {
				if bits&1 != 0 {
					states = append(states, int32(s))
				}
			}
		}
		return nil
	})
}

// readLabel reads where a label holds.
func (u *umbReader) readLabel(name []byte, count int) error {
	states, err := u.readStates(count)
	if err != nil {
		return err
	}
	text, fault := u.b.text(name)
	u.b.model.Labels[text] = states
	return u.fault(-1, fault)
}

// readReward reads one list of a reward model.
func (u *umbReader) readReward(name []byte, of umbType, place string, count int) error {
	m := u.b.model
	at := slices.IndexFunc(m.Rewards, func(r RewardModel) bool { return r.Name == string(name) })
	if at < 0 {
		if fault := u.b.addReward(name); fault != nil {
			return u.fault(-1, fault)
		}
		at = len(m.Rewards) - 1
	}
	list := map[string]rewardList{umbStates: stateRewards, umbChoices: actionRewards, umbBranches: transitionRewards}[place](&m.Rewards[at])
	err := u.readNumbers(list, of, count, false)
	if err == nil && list.countNonzero() == 0 {
		*list = Numbers{}
	}
	return err
}

// readActions reads the actions of choices.
func (u *umbReader) readActions(count int, actions uint32) error {
	return u.blocks(count, 4, func(at int, block []byte) error {
		u.actions = room(u, u.actions, len(block)/4, count, 4)
		for i := 0; len(block) > 0; i, block = i+1, block[4:] {
			x := binary.LittleEndian.Uint32(block)
			if x >= actions {
				return u.fault(at+i, filepos.Fault(strconv.FormatUint(uint64(x), 10), fmt.Sprintf("an action of 0 … %d", actions-1)))
			}
			u.actions = append(u.actions, x)
		}
		return nil
	})
}

// readBytes reads a whole member, which is in memory only as far as it is there.
func (u *umbReader) readBytes(list *[]byte) (err error) {
	if *list, err = io.ReadAll(u.tar); err != nil {
		return u.cut(err)
	}
	return nil
}

// finish makes the model of what was read.
func (u *umbReader) finish() (*Model, error) {
	m, s := u.b.model, &u.index.System
	for _, step := range []func() error{u.addEmpty, u.checkMembers, u.checkChoices, u.finishRows, u.nameActions, u.nameStates} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	u.member, u.within = umbIndexName, outside
	if len(m.Initial) != int(s.InitialStates) {
		return nil, u.fault(-1, filepos.Fault(fmt.Sprintf("%d initial states announced", s.InitialStates), fmt.Sprintf("%d, as in %s", len(m.Initial), umbStateIsInitial)))
	}
	if states, ok := m.Labels[initialLabel]; ok { // stands for the initial states
		if len(m.Initial) > 0 && !slices.Equal(states, m.Initial) {
			return nil, u.fault(-1, filepos.Fault(fmt.Sprintf("a label %q", initialLabel), "one at the initial states, or of another name"))
		}
		m.Initial = states
		delete(m.Labels, initialLabel)
	}
	return u.b.finish(), nil
}

// addEmpty adds labels that hold nowhere and reward models of zeros, which need no member.
func (u *umbReader) addEmpty() error {
	u.member = umbIndexName
	labels, rewards := u.index.Annotations[umbLabels], u.index.Annotations[umbRewards]
	for _, id := range slices.Sorted(maps.Keys(labels)) {
		text, fault := u.b.text(labels[id].name(id))
		if fault != nil {
			return u.fault(-1, fault)
		}
		if _, ok := u.b.model.Labels[text]; !ok {
			u.b.model.Labels[text] = []int32{}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(rewards)) {
		if name := rewards[id].name(id); !u.b.rewards[string(name)] {
			if fault := u.b.addReward(name); fault != nil {
				return u.fault(-1, fault)
			}
		}
	}
	return nil
}

// checkMembers demands members without which there is no model, and lists the choices and
// branches that are one for each.
func (u *umbReader) checkMembers() error {
	m, s := u.b.model, &u.index.System
	demand := func(missing bool, name string) error {
		if !missing || u.seen[name] {
			return nil
		}
		u.member = name
		return u.fault(-1, filepos.Fault("no such member", fmt.Sprintf("it, of %d bytes", u.members[name].size)))
	}
	for _, err := range []error{
		demand(s.Branches > 0, umbBranchToTarget),
		demand(s.Branches > 0, umbBranchToValue),
		demand(m.Kind == CTMC, umbStateToExitRate),
		demand(s.Choices != s.Branches, umbChoiceToBranch),
		demand(s.States != s.Choices, umbStateToChoices),
	} {
		if err != nil {
			return err
		}
	}
	for _, starts := range []struct {
		list  *[]int32
		count uint64
	}{{&m.RowStart, s.Choices}, {&m.StateStart, s.States}} {
		if *starts.list == nil {
			for i := range starts.count + 1 {
				*starts.list = append(*starts.list, int32(i))
			}
		}
	}
	return nil
}

// checkChoices checks how many choices states have.
func (u *umbReader) checkChoices() error {
	m := u.b.model
	u.member = umbStateToChoices
	for s := range m.NumStates() {
		u.within.state = s
		switch choices := m.StateStart[s+1] - m.StateStart[s]; {
		case choices < 1:
			return u.fault(s, filepos.Fault("no action", "at least one"))
		case choices > 1 && m.Kind != MDP:
			return u.fault(s, secondAction(m.Kind))
		}
	}
	return nil
}
