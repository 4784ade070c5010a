package refresh

// This file lets a plan go on, in another file, with other pages and rates.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// A visiting sequence says of each page when it is to be accessed next.
type visiting interface{ Visit(page int) sequence.Visit }

// appendPages returns what a state has to say of pages so that another plan can go on
// from it. Each has
//
//	bytes in its id (a varint), the id, rate, due, first
//
// where the rate is one of slots; all of that packed by Zstandard.
func (s *schedule) appendPages(dst []byte) ([]byte, error) {
	from, ok := s.sequence.(visiting)
	if !ok {
		return nil, nil
	}
	var text []byte
	for page := range s.ids.Len() {
		v := from.Visit(page)
		text = appendNamed(text, s.ids.Bytes(page), v.Rate, v.Due, map[bool]float64{true: 1}[v.First])
	}
	return pack(dst, text)
}

// A hostName is that of a host, or of a group of hosts.
type hostName struct {
	name    string
	isGroup bool
}

// appendHosts returns when hosts, and groups of hosts, were last accessed. Each that was has
//
//	bytes in its name (a varint), the name, slot, 1 for a group
//
// packed like pages. The slot is counted from the last one, which keeps all its digits. Last
// accesses are saved, and not the times from which hosts may be accessed again, since delays
// may change. Hosts that have no pages in this plan are among them, as pages may come back.
func (s *schedule) appendHosts(dst []byte) ([]byte, error) {
	if s.delayed == nil {
		return nil, nil
	}
	plan, end := s.sequence.(*sequence.Plan), float64(s.sequence.Slot())
	var text []byte
	add := func(host hostName, slot float64) {
		text = appendNamed(text, []byte(host.name), slot-end, map[bool]float64{true: 1}[host.isGroup])
	}
	for group, g := range s.delayed.groups {
		if ready := plan.Ready(group); !math.IsInf(ready, 0) {
			add(s.delayed.hostName(group), ready-g.Delay)
		}
	}
	for _, host := range slices.SortedFunc(maps.Keys(s.away), func(a, b hostName) int { return strings.Compare(a.name, b.name) }) {
		add(host, s.away[host])
	}
	return pack(dst, text)
}

// appendNamed appends a name and numbers.
func appendNamed(text, name []byte, numbers ...float64) []byte {
	text = append(binary.AppendUvarint(text, uint64(len(name))), name...)
	for _, number := range numbers {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(number))
	}
	return text
}

func pack(dst, text []byte) ([]byte, error) {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	return packer.EncodeAll(text, dst), packer.Close()
}

// unpack hands on the names of a packed text, with so many numbers for each.
func unpack(packed []byte, count int, take func(name []byte, numbers []float64) bool) error {
	unpacker, err := zstd.NewReader(nil)
	if err != nil {
		return err
	}
	defer unpacker.Close()
	text, err := unpacker.DecodeAll(packed, nil)
	if err != nil {
		return err
	}
	numbers := make([]float64, count)
	for len(text) > 0 {
		length, head := binary.Uvarint(text)
		if head <= 0 || length > uint64(len(text)) || len(text) < head+int(length)+8*count {
			return errors.New("its pages or hosts end too early")
		}
		name := text[head : head+int(length)]
		text = text[head+int(length):]
		for i := range numbers {
			numbers[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
		}
		if slices.ContainsFunc(numbers, math.IsNaN) || !take(name, numbers) {
			return fmt.Errorf("%q has numbers that are not valid", name)
		}
		text = text[8*count:]
	}
	return nil
}

// pages returns the pages of a state.
func (saved *scheduleState) pages(a *ui.Arguments) (ids pagefile.IDs, visits []sequence.Visit) {
	err := unpack(saved.Pages, 3, func(id []byte, numbers []float64) bool {
		ids.Append(id)
		visits = append(visits, sequence.Visit{Rate: numbers[0], Due: numbers[1], First: numbers[2] == 1})
		return numbers[0] >= 0 && numbers[0] <= 1
	})
	damagedState(a, err)
	return ids, visits
}

// hosts returns when the hosts, and groups of hosts, of a state were last accessed, in slots
// from its last one.
func (saved *scheduleState) hosts(a *ui.Arguments) map[hostName]float64 {
	hosts := map[hostName]float64{}
	damagedState(a, unpack(saved.Hosts, 2, func(name []byte, numbers []float64) bool {
		hosts[hostName{string(name), numbers[1] == 1}] = numbers[0]
		return !math.IsInf(numbers[0], 0)
	}))
	return hosts
}

// damagedState refuses a state in which an error was found.
func damagedState(a *ui.Arguments, err error) {
	if err != nil {
		a.Fault("state", "%s is damaged (%v): use a state as it was saved", a.CLI.String("state"), err)
	}
}

// isPast reports whether a state is that of another file, from which a plan is to go on in
// a file of its own.
func (saved *scheduleState) isPast(a *ui.Arguments) bool {
	return saved != nil && saved.Out != outPath(a)
}

// outPath returns the file of --out by a name that does not depend on the folder.
func outPath(a *ui.Arguments) string {
	name := a.CLI.String("out")
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// checkPast refuses to go on from a state that no plan can go on from, or in a file with
// something in it.
func (saved *scheduleState) checkPast(a *ui.Arguments, key scheduleKey) {
	name, out := a.CLI.String("state"), a.CLI.String("out")
	if key.Method != methodDeadline || saved.Of.Method != methodDeadline {
		a.Fault("out", "%s is not that of the schedule saved in %s: use %s; only plans by --method %s go on in another file", out, name, saved.Out, methodDeadline)
	}
	if info, err := os.Stat(out); err == nil && info.Size() > 0 {
		a.Fault("out", "%s has something in it, and is not that of the schedule saved in %s: use a file that is not there yet, in which the plan goes on, or %s", out, name, saved.Out)
	}
}

// end returns when the slots of a saved plan end; the zero time without a clock.
func (saved *scheduleState) end() time.Time {
	clock := saved.Of.Clock
	if clock.Unit == 0 {
		return time.Time{}
	}
	table, err := sequence.NewTimetable(clock.Start, time.Second, saved.Rate/clock.Unit)
	if err != nil {
		return time.Time{}
	}
	return table.Time(saved.Slots)
}

// fromSaved has the plan begin where that of a state has come to, or, with clocks, at
// start, if that is later.
func (p *planning) fromSaved(a *ui.Arguments, saved *scheduleState, rates *pagefile.Rates, sum float64, start time.Time) {
	name := a.CLI.String("state")
	ids, visits := saved.pages(a)
	p.away = saved.hosts(a)
	end := saved.end() // in the unit that the plan was made in
	if own, err := unit.Parse(saved.Unit); err == nil && rates.Unit != unit.Unknown {
		saved.Rate = unit.Rate(saved.Rate, own, rates.Unit)
	} else if saved.Unit != rates.Unit.String() {
		a.Fault("unit", "%s and %s do not both say the unit of their rates: use the same unit as before", name, a.CLI.String("input"))
	}
	now := float64(saved.Slots)
	if !end.IsZero() && !start.IsZero() {
		const rounding = time.Millisecond // which times in files have
		switch {
		case start.Before(end.Add(-rounding)):
			a.Fault("start", "%s is before the end of the plan saved in %s: use %s or a later time, or --last-fetch instead of --state",
				start.Format(time.RFC3339), name, end.Format(time.RFC3339Nano))
		case start.After(end):
			now += start.Sub(end).Seconds() / rates.Unit.Seconds() * saved.Rate
		}
	}
	index := pagefile.NewIndex(&ids)
	shares, before := make([]float64, len(p.visits)), make([]sequence.Visit, len(p.visits))
	for page := range p.visits {
		shares[page] = rates.Rates[page] / sum
		if old, found := index.Find(rates.IDs.Bytes(page)); found {
			before[page] = visits[old]
		}
	}
	p.visits = sequence.GoOn(shares, before, now)
	for host, at := range p.away {
		p.away[host] = (at - (now - float64(saved.Slots))) * sum / saved.Rate
	}
	for group := range p.last {
		host := p.peace.hostName(group)
		if at, found := p.away[host]; found {
			p.last[group] = at
			delete(p.away, host)
		}
	}
}

// awayOf returns the hosts of a state that have no pages in its own plan, and the slots of
// their last accesses.
func (saved *scheduleState) awayOf(a *ui.Arguments, p *peace) map[hostName]float64 {
	hosts := saved.hosts(a)
	for group := range p.groups {
		delete(hosts, p.hostName(group))
	}
	for host := range hosts {
		hosts[host] += float64(saved.Slots)
	}
	return hosts
}
