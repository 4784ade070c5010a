package refresh

import (
	"encoding/binary"
	"hash/crc64"
	"math"
	"time"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// schedule is a sequence on its way to a file.
type schedule struct {
	sequence  refresh.Sequence
	ids       *pagefile.IDs
	timetable *refresh.Timetable // nil without a clock

	name   string // of --out
	file   *pagefile.ScheduleFile
	out    slotTarget // the file, or else standard output
	writer slotWriter
	headed bool // the header is there

	state  scheduleState
	saveTo string // name of the state, "" for none

	fetched byte // see fetchNames
}

// newSchedule makes the sequence, behind what a saved state counts.
func newSchedule(a *ui.Arguments, rates *pagefile.Rates, key scheduleKey, saved *scheduleState, length int64) *schedule {
	sum := key.fill(rates, saved)
	s := &schedule{ids: &rates.IDs, name: a.CLI.String("out"), saveTo: a.CLI.String("state")}
	if s.saveTo != "" {
		key.Input = checksum(rates)
	}
	s.state = scheduleState{Version: scheduleStateVersion, Of: key}
	if key.Clock != nil {
		s.timetable = newTimetable(a, key.Clock, sum, length)
	}
	if saved != nil {
		if flag := key.differs(&saved.Of); flag != "" {
			a.Fault(flag, "found not to be as in the schedule saved in %s; the same is allowed, or another --state", s.saveTo)
		}
	}
	var err error
	if s.sequence, err = newSequence(rates.Rates, key); err != nil {
		a.Fault("input", "%v", err)
		return nil
	}
	if saved == nil {
		return s
	}
	if err := s.sequence.UnmarshalBinary(saved.Sequence); err != nil {
		a.Fault("state", "%s is damaged (%v); a state as it was saved is allowed", s.saveTo, err)
	} else if slots := s.sequence.Slot(); slots != saved.Slots {
		a.Fault("state", "%s contradicts itself: %d slots, and %d; a state as it was saved is allowed", s.saveTo, saved.Slots, slots)
	}
	return s
}

// newTimetable says when slots take place, which must be within the 292 years that
// a duration holds.
func newTimetable(a *ui.Arguments, clock *scheduleClock, sum float64, length int64) *refresh.Timetable {
	perSecond := sum / clock.Unit
	if !(float64(length)/perSecond < math.MaxInt64/float64(time.Second)) {
		a.Fault("wall-clock", "slot %d more than 292 years after --start found; a smaller --length or --unit, or greater rates, are allowed", length)
		return nil
	}
	timetable, err := refresh.NewTimetable(clock.Start, time.Second, perSecond)
	if err != nil {
		a.Fault("input", "rates that add up to %v found; a sum of up to %v is allowed with --wall-clock and --unit %v", sum, math.MaxFloat64*min(1, clock.Unit), clock.Unit)
	}
	return &timetable
}

// checksum tells lists of rates from each other.
func checksum(rates *pagefile.Rates) (sum uint64) {
	table := crc64.MakeTable(crc64.ECMA)
	var row []byte
	for i, rate := range rates.Rates {
		row = append(append(row[:0], rates.IDs.Bytes(i)...), '\n')
		row = binary.LittleEndian.AppendUint64(row, math.Float64bits(rate))
		sum = crc64.Update(sum, table, row)
	}
	return sum
}

// fill puts in defaults: those of the saved schedule, or else of the rates. It
// returns the sum of the rates.
func (k *scheduleKey) fill(rates *pagefile.Rates, saved *scheduleState) (sum float64) {
	least := math.Inf(1)
	for _, rate := range rates.Rates {
		if sum += rate; rate > 0 {
			least = min(least, rate)
		}
	}
	if k.Method == methodGolden && k.Cycle == 0 {
		const accesses = 32 // of the page with the least rate
		k.Cycle = refresh.FibonacciAtLeast(int64(math.Ceil(min(accesses*sum/least, greatestCycle))))
	}
	if k.Clock != nil && k.Clock.Start.IsZero() {
		k.Clock.Start = time.Now().UTC().Truncate(time.Second)
		if saved != nil && saved.Of.Clock != nil {
			k.Clock.Start = saved.Of.Clock.Start
		}
	}
	return sum
}

func newSequence(rates []float64, key scheduleKey) (refresh.Sequence, error) {
	switch key.Method {
	case methodGolden:
		return refresh.NewGoldenRatio(rates, key.Cycle)
	case methodBalanced:
		return refresh.NewBalancedWord(rates)
	case methodRandom:
		return refresh.NewRandomized(rates, key.Seed)
	case methodRoundRobin:
		return refresh.NewRoundRobin(rates)
	}
	return refresh.NewEarliestDeadlineFirst(rates)
}
