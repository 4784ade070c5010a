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
	"math/bits"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mdpsolve/mdpsolve/internal/filepos"
	"github.com/mdpsolve/mdpsolve/internal/gzfile"
	"github.com/mdpsolve/mdpsolve/internal/parallel"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// How the files of some formats begin.
const (
	gzipMagic  = "\x1f\x8b\x08"
	xzMagic    = "\xfd7zXZ\x00"
	tarMagic   = "ustar"
	tarMagicAt = 257
)

// umbBlock is how many bytes of a member are read at once.
const umbBlock = 1 << 20

// umbMostIndex bounds the bytes of index.json: a tiny packed file may hold a huge one.
const umbMostIndex = 1 << 26

// isUMB tells UMB files from texts by their first bytes.
func isUMB(start []byte) bool {
	return bytes.HasPrefix(start, []byte(gzipMagic)) || bytes.HasPrefix(start, []byte(xzMagic)) ||
		len(start) > tarMagicAt && bytes.HasPrefix(start[tarMagicAt:], []byte(tarMagic))
}

// memoryMagic begins a model in memory.
const memoryMagic = "mdpsolve-arrays/1\n"

// ReadBytes reads a model in memory. The package documentation describes a form for such models; any
// other data is read as [Read] does. The model may keep parts of data, so do not change it while the model
// is in use.
func ReadBytes(data []byte, name string, options Options) (*Model, error) {
	rest, is := bytes.CutPrefix(data, []byte(memoryMagic))
	if !is {
		return Read(bytes.NewReader(data), name, options)
	}
	return newUMBReader(name, options).readMemory(rest)
}

// ReadUMB reads a model in the unified Markov binary format, packed by gzip or not; name
// is what errors call the file. See the package documentation for what is read and what is
// refused.
func ReadUMB(r io.Reader, name string, options Options) (*Model, error) {
	u := newUMBReader(name, options)
	text := bufio.NewReader(r)          // blocks go past its buffer
	start, _ := text.Peek(len(xzMagic)) // reading meets an error again
	switch {
	case len(start) == 0:
		return nil, u.fault(-1, filepos.Fault("an empty file", "a tar file, index.json first"))
	case bytes.HasPrefix(start, []byte(xzMagic)):
		return nil, u.fault(-1, filepos.Fault("data packed by xz", "data packed by gzip, or not packed: use unxz"))
	case bytes.HasPrefix(start, []byte(gzipMagic)):
		unpacked, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("modelfile: %s: damaged gzip data: %w", name, err)
		}
		return gzfile.Ahead(unpacked, u.read)
	}
	if file, ok := r.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			u.size, u.plain = info.Size(), file
			if _, err := file.Seek(0, io.SeekStart); err != nil {
				return nil, u.cut(err)
			}
			return u.read(file)
		}
	}
	return u.read(text)
}

func newUMBReader(name string, options Options) *umbReader {
	return &umbReader{builder: newBuilder(nil, options), options: options, file: name, member: umbIndexName, seen: make(map[string]bool), within: outside}
}

// umbReader reads a UMB file, member after member as they come. Members fill the arrays of
// the model; its rows are made when all are there.
type umbReader struct {
	builder *builder
	options Options
	file    string
	size    int64    // of the file, 0 where that is not known
	plain   *os.File // the file, where it is a regular one that is not packed; nil otherwise
	data    []byte   // the model, where it is in memory; nil otherwise
	index   umbIndex
	members map[string]umbMember
	seen    map[string]bool // members that have been read

	body   io.Reader // of the present member: tar, or a part of data
	at     int64     // where the present member begins in data
	member string    // that is being read
	within part
	buffer []byte

	exit          Numbers        // rates, by state
	rewards       []*RewardModel // of the model
	actions       []uint32       // by choice
	actionTexts   umbTexts
	variables     []umbVariable // of states
	valuationSize int           // of a state, in bytes
	valuations    []byte
	stateTexts    umbTexts
	places        []int32 // by state: 1 + its transition in the last row that leads to it
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

func (t *umbTexts) text(i int) []byte { return t.bytes[t.ends[i]:t.ends[i+1]] }

// fault is a fault in the present member, at a number in it or −1.
func (u *umbReader) fault(index int, f *filepos.Error) error {
	if f == nil {
		return nil
	}
	member := strconv.Quote(wording.Short(u.member)) // hostile names stay on one line
	return &SyntaxError{File: u.file, Member: member[1 : len(member)-1], Index: index, Found: f.Found, Expected: f.Expected, Within: u.within.String()}
}

// cut returns an error that occurred while data was read. If the file ends too early, the error says
// in which member.
func (u *umbReader) cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, tar.ErrHeader) || errors.Is(err, tar.ErrFieldTooLong) {
		return u.fault(-1, filepos.Fault("the end of what is readable", "a whole tar file, "+umbIndexName+" first"))
	}
	return fmt.Errorf("modelfile: %s: %w", u.file, err)
}

// readMemory reads a model in memory: a line with the index, a line with name and size for each
// member, an empty line, and the members, each at a multiple of 8 bytes after the first one.
func (u *umbReader) readMemory(data []byte) (*Model, error) {
	all, members, found := bytes.Cut(data, []byte("\n\n"))
	index, head, _ := bytes.Cut(all, []byte{'\n'})
	if !found {
		return nil, u.cut(io.ErrUnexpectedEOF)
	}
	u.data, u.body = slices.Clip(members), bytes.NewReader(index)
	if err := u.readMember(int64(len(index)), true); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(head)) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		u.member = name
		size, err := strconv.ParseInt(text, 10, 64)
		if left := int64(len(members)) - u.at; err != nil || size < 0 || size > left {
			return nil, u.fault(-1, filepos.Fault("a size of "+quote([]byte(text)), fmt.Sprintf("a number of 0 … %d", left)))
		}
		u.body = bytes.NewReader(members[u.at : u.at+size])
		if err := u.readMember(size, true); err != nil {
			return nil, err
		}
		u.at = min(u.at+(size+7)&^7, int64(len(members)))
	}
	return u.finish()
}

func (u *umbReader) read(r io.Reader) (*Model, error) {
	members := tar.NewReader(r)
	u.body = members
	for {
		header, err := members.Next()
		if errors.Is(err, io.EOF) && u.members != nil {
			if _, err = io.Copy(io.Discard, r); err == nil { // at the end, gzip has compared its checksum
				return u.finish()
			}
		}
		if err != nil {
			return nil, u.cut(err)
		}
		u.member = strings.TrimPrefix(strings.TrimPrefix(header.Name, "."), "/")
		sparse := header.PAXRecords["GNU.sparse.major"]+header.PAXRecords["GNU.sparse.map"] != "" // has a size, but no data
		if err := u.readMember(header.Size, header.Typeflag == tar.TypeReg && !sparse); err != nil {
			return nil, err
		}
	}
}

// readMember reads one member of so many bytes; those that the model has no place for are left out.
func (u *umbReader) readMember(size int64, isFile bool) error {
	member, known := u.members[u.member]
	if u.members == nil {
		member, known = umbMember{-1, u.readIndex}, true
	}
	switch {
	case u.members == nil && u.member != umbIndexName:
		return u.fault(-1, filepos.Fault("a first member of this name", umbIndexName+" before all others"))
	case u.members == nil && size > umbMostIndex:
		return u.fault(-1, filepos.Fault(fmt.Sprintf("%d bytes", size), fmt.Sprintf("%d at most", umbMostIndex)))
	case !known:
		return nil
	case u.seen[u.member]:
		return u.fault(-1, filepos.Fault("a member for the second time", "each once"))
	case !isFile:
		return u.fault(-1, filepos.Fault("a sparse file, a link or the like", "a plain file"))
	case member.size >= 0 && size != member.size:
		return u.fault(-1, filepos.Fault(fmt.Sprintf("%d bytes", size), fmt.Sprintf("%d, by the counts in %s", member.size, umbIndexName)))
	}
	u.seen[u.member] = true
	if err := member.read(); err != nil {
		return err
	}
	if u.members == nil {
		u.listMembers()
	}
	return nil
}

// listMembers lists the members that are read, by the index.
func (u *umbReader) listMembers() {
	s, m := &u.index.System, u.builder.model
	n, choices, branches := int(s.States), int(s.Choices), int(s.Branches)
	u.members = make(map[string]umbMember)
	enter := func(name string, count, width int, read func() error) {
		u.members[name] = umbMember{int64(count) * int64(width), read}
	}
	starts := func(name string, list *[]int32, count, last, step int) {
		*list = nil
		enter(name, count+1, 8, func() error { return u.readStarts(list, count, last, step) })
	}
	numbers := func(name string, list *Numbers, t *umbType, count int, signed bool) {
		enter(name, count, t.width(), func() error { return u.readNumbers(list, t, count, signed) })
	}
	bytes := func(name string, size int64, list *[]byte) {
		u.members[name] = umbMember{size, func() (err error) {
			if *list, err = io.ReadAll(u.body); err != nil {
				return u.cut(err)
			}
			return nil
		}}
	}
	starts(umbStateToChoices, &m.StateStart, n, choices, 1)
	if u.index.Matrices != nil {
		u.listMatrices()
	} else {
		starts(umbChoiceToBranch, &m.RowStart, choices, branches, 0)
		enter(umbBranchToTarget, branches, 8, func() error {
			return decodeBlocks(u, &m.Columns, branches, 8, func(records []byte, columns []int32) (int, *filepos.Error) {
				return targetsOf(records, columns, uint64(n))
			})
		})
		ends := s.ProbabilityType.ends()
		values := branches
		if s.hasIntervals() {
			values *= 2
		}
		numbers(umbBranchToValue, &m.Values, &ends, values, false)
	}
	if m.Kind.IsContinuous() {
		numbers(umbStateToExitRate, &u.exit, s.ExitRateType, n, false)
	}
	words := (n + 63) / 64
	enter(umbStateIsInitial, words, 8, func() (err error) { m.Initial, err = u.readStates(n); return err })
	for _, id := range u.index.ids(umbLabels) {
		name := u.index.name(umbLabels, id)
		m.Labels[name] = []int32{}
		enter(annotationMember(umbLabels, id, umbStates), words, 8, func() (err error) { m.Labels[name], err = u.readStates(n); return err })
	}
	for _, id := range u.index.ids(umbRewards) {
		a, r := u.index.Annotations[umbRewards][id], &RewardModel{Name: u.index.name(umbRewards, id)}
		for i, list := range []*Numbers{&r.State, &r.Action, &r.Transition} {
			if slices.Contains(a.AppliesTo, umbPlaces[i]) && (umbPlaces[i] != umbBranches || u.index.Matrices == nil) {
				count, t, read := []int{n, choices, branches}[i], a.Type.ends(), u.readNumbers
				if a.Type.isInterval() {
					count, read = 2*count, func(list *Numbers, t *umbType, count int, signed bool) error {
						return u.readKnown(r.Name, list, t, count, signed)
					}
				}
				enter(annotationMember(umbRewards, id, umbPlaces[i]), count, t.width(), func() error {
					u.rewards = slices.DeleteFunc(u.rewards, func(other *RewardModel) bool { return other == r })
					u.rewards = append(u.rewards, r) // in the order of their members
					return read(list, &t, count, true)
				})
			}
		}
		u.rewards = append(u.rewards, r)
	}
	if actions := s.ChoiceActions; actions > 0 {
		enter(umbActions+umbValues, choices, 4, func() error {
			return decode(u, &u.actions, choices, 4, func(_ int, record []byte) (uint32, *filepos.Error) {
				x := binary.LittleEndian.Uint32(record)
				return x, outOfRange(uint64(x), 0, uint64(actions-1))
			})
		})
		starts(umbActions+umbTextEnds, &u.actionTexts.ends, int(actions), math.MaxInt32, 0)
		bytes(umbActions+umbTextBytes, -1, &u.actionTexts.bytes)
	}
	if v := u.index.Valuations[umbStates]; u.variables != nil {
		bytes(umbValuations+umbPackedValues, int64(n)*int64(u.valuationSize), &u.valuations)
		starts(umbValuations+umbTextEnds, &u.stateTexts.ends, int(v.Strings), math.MaxInt32, 0)
		bytes(umbValuations+umbTextBytes, -1, &u.stateTexts.bytes)
	}
}

// decode reads a member of count numbers of width bytes each, in blocks. Where the file is
// not known to be as large as they are, the list grows with what has been read.
func decode[T any](u *umbReader, list *[]T, count, width int, one func(i int, record []byte) (T, *filepos.Error)) error {
	numbers := *list
	defer func() { *list = numbers }()
	for at, most := 0, umbBlock/width; at < count; at += most {
		u.buffer = slices.Grow(u.buffer, min(most, count-at)*width)
		block := u.buffer[:min(most, count-at)*width]
		if _, err := io.ReadFull(u.body, block); err != nil {
			return u.cut(err)
		}
		if next := len(block) / width; cap(numbers)-at < next {
			room := count
			if int64(count)*int64(width) > u.size {
				room = min(count, max(2*at, at+next))
			}
			numbers = append(make([]T, 0, room), numbers...)
		}
		for i := at; len(block) > 0; i, block = i+1, block[width:] {
			number, fault := one(i, block[:width])
			if fault != nil {
				return u.fault(i, fault)
			}
			numbers = append(numbers, number)
		}
	}
	return nil
}

// decodeBlocks is [decode] for numbers that do not depend on those before them. convert makes a
// block of them, and returns the place of one with a fault. Blocks of a plain file, or of memory, are
// read at the same time.
func decodeBlocks[T any](u *umbReader, list *[]T, count, width int, convert func(records []byte, numbers []T) (int, *filepos.Error)) error {
	if u.data == nil && (u.plain == nil || int64(count)*int64(width) > u.size) {
		return decode(u, list, count, width, func(_ int, record []byte) (T, *filepos.Error) {
			var one [1]T
			_, fault := convert(record, one[:])
			return one[0], fault
		})
	}
	start, err := u.begin()
	if err != nil {
		return u.cut(err)
	}
	*list = make([]T, count)
	return u.inBlocks(count, umbBlock/width, func(lo, hi int, buffer *[]byte) error {
		records, err := u.part(start+int64(lo)*int64(width), (hi-lo)*width, buffer)
		if err != nil {
			return err
		}
		if at, fault := convert(records, (*list)[lo:hi]); fault != nil {
			return &numberError{lo + at, fault}
		}
		return nil
	})
}

// numberError is the fault of a number of a member.
type numberError struct {
	at    int
	fault *filepos.Error
}

func (b *numberError) Error() string { return b.fault.What() }

// inBlocks has count elements read in blocks of about size elements, on all processors: block reads
// the elements lo … hi−1. It returns the error of the first block that has one. Blocks share buffers.
func (u *umbReader) inBlocks(count, size int, block func(lo, hi int, buffer *[]byte) error) error {
	cuts := parallel.Cuts(count, size)
	errs := make([]error, len(cuts)-1)
	buffers := sync.Pool{New: func() any { return new([]byte) }}
	parallel.For(runtime.GOMAXPROCS(0), len(errs), func(b int) {
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		errs[b] = block(cuts[b], cuts[b+1], buffer)
	})
	for _, err := range errs {
		if bad, is := errors.AsType[*numberError](err); is {
			return u.fault(bad.at, bad.fault)
		}
		if err != nil {
			return u.cut(err)
		}
	}
	return nil
}

// begin returns where the present member begins in the plain file, or in memory.
func (u *umbReader) begin() (int64, error) {
	if u.data != nil {
		return u.at, nil
	}
	return u.plain.Seek(0, io.SeekCurrent)
}

// part returns so many bytes of memory, or of the plain file, which it reads into a buffer.
func (u *umbReader) part(at int64, size int, buffer *[]byte) ([]byte, error) {
	if u.data != nil {
		return u.data[at : at+int64(size)], nil
	}
	*buffer = slices.Grow((*buffer)[:0], size)[:size]
	_, err := io.ReadFull(io.NewSectionReader(u.plain, at, int64(size)), *buffer)
	return *buffer, err
}

// targetsOf reads numbers of states, of which there are n, in 4 or 8 bytes each.
func targetsOf(records []byte, columns []int32, n uint64) (int, *filepos.Error) {
	if len(records) == 4*len(columns) {
		for i := range columns {
			x := binary.LittleEndian.Uint32(records[4*i:])
			if columns[i] = int32(x); uint64(x) >= n {
				return i, outOfRange(uint64(x), 0, n-1)
			}
		}
		return 0, nil
	}
	for i := range columns {
		x := binary.LittleEndian.Uint64(records[8*i:])
		if columns[i] = int32(x); x >= n {
			return i, outOfRange(x, 0, n-1)
		}
	}
	return 0, nil
}

// startsOf reads numbers in 4 or 8 bytes each; −1 stands for those beyond int32.
func startsOf(records []byte, numbers []int32) (int, *filepos.Error) {
	if len(records) == 4*len(numbers) {
		for i := range numbers {
			numbers[i] = max(-1, int32(binary.LittleEndian.Uint32(records[4*i:])))
		}
		return 0, nil
	}
	for i := range numbers {
		x := binary.LittleEndian.Uint64(records[8*i:])
		if numbers[i] = int32(x); x > math.MaxInt32 {
			numbers[i] = -1
		}
	}
	return 0, nil
}

// areStarts reports whether a list leads from 0 to last, or anywhere where that is MaxInt32, in
// steps of at least step.
func areStarts(list []int32, last, step int) bool {
	for i := 1; i < len(list); i++ {
		if int64(list[i])-int64(list[i-1]) < int64(step) {
			return false
		}
	}
	end := int(list[len(list)-1])
	return list[0] == 0 && (end == last || last == math.MaxInt32)
}

// doublesOf reads finite numbers, from 0 up unless they may have signs.
func doublesOf(records []byte, numbers []float64, signed bool) (int, *filepos.Error) {
	for i := range numbers {
		x := math.Float64frombits(binary.LittleEndian.Uint64(records[8*i:])) + 0 // −0 becomes 0
		if numbers[i] = x; x-x != 0 || x < 0 && !signed {
			return i, notFinite(x)
		}
	}
	return 0, nil
}

// notFinite is the fault of a number that is not finite, or below 0.
func notFinite(x float64) *filepos.Error {
	expected := "a finite number"
	if x-x == 0 {
		expected = "a number from 0 up"
	}
	return filepos.Fault(strconv.FormatFloat(x, 'g', -1, 64), expected)
}

// outOfRange is the fault of a number that is not one of least … most.
func outOfRange(x, least, most uint64) *filepos.Error {
	if least <= x && x <= most {
		return nil
	}
	return filepos.Fault(strconv.FormatUint(x, 10), fmt.Sprintf("a number of %d … %d", least, most))
}

// readStarts reads where the intervals of count elements begin, and where the last one ends: at
// last, or anywhere if last is MaxInt32. Each interval has a length of at least step.
func (u *umbReader) readStarts(list *[]int32, count, last, step int) error {
	if u.data != nil || u.plain != nil && count > umbBlock/8 {
		start, err := u.begin()
		if err != nil {
			return u.cut(err)
		}
		if err := decodeBlocks(u, list, count+1, 8, startsOf); err != nil || areStarts(*list, last, step) {
			return err
		}
		*list = nil
		if u.data == nil { // to say what is wrong
			if _, err := u.plain.Seek(start, io.SeekStart); err != nil {
				return u.cut(err)
			}
		}
	}
	least, most := uint64(0), uint64(0)
	return decode(u, list, count+1, 8, func(i int, record []byte) (int32, *filepos.Error) {
		x := binary.LittleEndian.Uint64(record)
		if i == count && last < math.MaxInt32 {
			least = uint64(last)
		}
		fault := outOfRange(x, least, most)
		least, most = x+uint64(step), uint64(last)
		return int32(x), fault
	})
}

// readStates reads a set of states, a bit for each.
func (u *umbReader) readStates(count int) (states []int32, err error) {
	states = []int32{}
	return states, decode(u, new([]struct{}), (count+63)/64, 8, func(i int, record []byte) (nothing struct{}, _ *filepos.Error) {
		for word := binary.LittleEndian.Uint64(record); word != 0; word &= word - 1 {
			if s := 64*i + bits.TrailingZeros64(word); s < count {
				states = append(states, int32(s))
			}
		}
		return nothing, nil
	})
}

// readNumbers reads finite numbers, from 0 up unless they may have signs.
func (u *umbReader) readNumbers(list *Numbers, t *umbType, count int, signed bool) error {
	exact, double, some := u.builder.numbers.exact, t.Type == umbDouble, false
	if double && !exact {
		err := decodeBlocks(u, &list.Float, count, t.width(), func(records []byte, numbers []float64) (int, *filepos.Error) {
			return doublesOf(records, numbers, signed)
		})
		if signed && !slices.ContainsFunc(list.Float, func(x float64) bool { return x != 0 }) { // no rewards
			*list = Numbers{}
		}
		return err
	}
	err := decode(u, &list.Float, count, t.width(), func(_ int, record []byte) (float64, *filepos.Error) {
		var v value
		if double {
			x := math.Float64frombits(binary.LittleEndian.Uint64(record)) + 0 // −0 becomes 0
			if x-x != 0 {
				return 0, notFinite(x)
			}
		}
		var fault *filepos.Error
		if v, fault = u.builder.numbers.binary(record, double); fault != nil {
			return 0, fault
		}
		if digits := u.options.Digits; digits != nil {
			digits.Fractions = true
		}
		if v.float < 0 && !signed {
			return 0, notFinite(v.float)
		}
		if exact {
			list.Exact = append(list.Exact, v.exact)
		}
		some = some || v.float != 0
		return v.float, nil
	})
	if !some && signed { // no rewards
		*list = Numbers{}
	}
	return err
}

// readKnown reads intervals of the rewards of a reward model as numbers; count is that of
// their ends.
func (u *umbReader) readKnown(name string, list *Numbers, t *umbType, count int, signed bool) error {
	var ends Numbers
	if err := u.readNumbers(&ends, t, count, signed); err != nil {
		return err
	}
	for e := 0; e < count; e += 2 {
		low := ends.value(e)
		u.builder.model.knowReward(name, low, ends.value(e+1))
		list.put(e/2, low)
	}
	list.complete(count / 2)
	return nil
}

// binary returns the value of a finite float64 or of a fraction in bytes.
func (r *numberReader) binary(record []byte, double bool) (v value, fault *filepos.Error) {
	known, ok := r.known[string(record)]
	if ok {
		v.float, _ = known.Float64()
		return value{v.float, known}, nil
	}
	v.exact = new(big.Rat)
	if half := len(record) / 2; double {
		v.exact.SetFloat64(math.Float64frombits(binary.LittleEndian.Uint64(record)))
	} else if numerator, denominator := bigInt(record[:half]), bigInt(record[half:]); denominator.Sign() == 0 {
		return v, filepos.Fault("a fraction with denominator 0", "a positive one")
	} else {
		if record[half-1] >= 0x80 { // two's complement
			numerator.Sub(numerator, new(big.Int).Lsh(big.NewInt(1), uint(8*half)))
		}
		v.exact.SetFrac(numerator, denominator)
	}
	v.float, _ = v.exact.Float64()
	if isLong(v.exact) || math.IsInf(v.float, 0) || v.float == 0 && v.exact.Sign() != 0 {
		return v, filepos.Fault("a fraction beyond float64, or a long one", fmt.Sprintf("0 or a magnitude from %.4g to %.4g, and at most %d bits",
			math.SmallestNonzeroFloat64, math.MaxFloat64, maxBits))
	}
	if r.known == nil {
		r.known = make(map[string]*big.Rat)
	}
	r.known[string(record)] = v.exact
	return v, nil
}

// bigInt returns an unsigned number, whose least byte comes first.
func bigInt(record []byte) *big.Int {
	record = slices.Clone(record)
	slices.Reverse(record)
	return new(big.Int).SetBytes(record)
}

// finish makes the model of what was read.
func (u *umbReader) finish() (*Model, error) {
	m, s := u.builder.model, &u.index.System
	for _, r := range u.rewards {
		m.Rewards = append(m.Rewards, *r)
	}
	gather, finishRows := func() error { return nil }, u.finishRows
	if u.index.Matrices != nil {
		gather = u.gather
	}
	if s.hasIntervals() {
		finishRows = u.finishIntervals
	}
	for _, step := range []func() error{u.checkMembers, gather, finishRows, u.nameActions, u.nameStates} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	u.member, u.within = umbIndexName, outside
	if len(m.Initial) != int(s.InitialStates) {
		return nil, u.fault(-1, filepos.Fault(fmt.Sprintf("%d initial states", s.InitialStates), fmt.Sprintf("%d, as in %s", len(m.Initial), umbStateIsInitial)))
	}
	if states, ok := m.Labels[initialLabel]; ok { // another name of the initial states
		if !slices.Equal(states, m.Initial) {
			return nil, u.fault(-1, filepos.Fault(fmt.Sprintf("a label %q", initialLabel), "one that holds at the initial states"))
		}
		delete(m.Labels, initialLabel)
	}
	return u.builder.finishRead(), nil
}

// checkMembers refuses a file without the members that a model needs. Where a list of intervals may
// be left out, because each has one element, it makes that list.
func (u *umbReader) checkMembers() error {
	m, s := u.builder.model, &u.index.System
	optional := map[string]bool{
		umbBranchToTarget: s.Branches == 0, umbBranchToValue: s.Branches == 0, umbStateToExitRate: !m.Kind.IsContinuous(),
		umbChoiceToBranch: s.Choices == s.Branches, umbStateToChoices: s.States == s.Choices,
	}
	if u.index.Matrices != nil {
		optional = map[string]bool{umbStateToChoices: s.States == s.Choices}
		for name := range u.members {
			if strings.HasPrefix(name, "matrices/") {
				optional[name] = false
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(optional)) {
		if u.member = name; !optional[name] && !u.seen[name] {
			return u.fault(-1, filepos.Fault("no such member", fmt.Sprintf("one of %d bytes", u.members[name].size)))
		}
	}
	starts := map[*[]int32]uint64{&m.StateStart: s.States}
	if u.index.Matrices == nil {
		starts[&m.RowStart] = s.Choices
	}
	for list, count := range starts {
		for len(*list) <= int(count) { // as far as a file leaves it out
			*list = append(*list, int32(len(*list)))
		}
	}
	return nil
}
