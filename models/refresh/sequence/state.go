package sequence

// Saved states of sequences.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// ErrState is wrapped by the errors of [Sequence.UnmarshalBinary].
var ErrState = errors.New("sequence: this saved state cannot be continued here")

// stateMagic begins a saved state, stateVersion follows it.
const (
	stateMagic   = "mdpsolve sequence\n"
	stateVersion = 2
)

// The kinds of sequences in saved states.
const (
	kindEarliestDeadlineFirst = iota + 1
	kindGoldenRatio
	kindRandom
	kindRoundRobin
	kindPlan
)

var kindNames = map[byte]string{
	kindEarliestDeadlineFirst: "earliest deadline first",
	kindGoldenRatio:           "golden ratio",
	kindRandom:                "randomized",
	kindRoundRobin:            "round robin",
	kindPlan:                  "plan",
}

// progress is how far a sequence has come, and what its saved states have in common.
type progress struct {
	kind     byte
	identity ratesIdentity
	slot     uint64
}

// Slot returns the number of slots given out so far.
func (p *progress) Slot() int64 { return int64(p.slot) }

// save appends
//
//	magic, version, kind, number of pages and checksum of their shares, slot,
//	payload, CRC-32 of all that
//
// in fixed widths, little endian.
func (p *progress) save(dst []byte, payload func([]byte) []byte) []byte {
	start := len(dst)
	dst = append(dst, stateMagic...)
	dst = append(dst, stateVersion, p.kind)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(p.identity.pages))
	dst = binary.LittleEndian.AppendUint64(dst, p.identity.checksum)
	dst = binary.LittleEndian.AppendUint64(dst, p.slot)
	if payload != nil {
		dst = payload(dst)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

// stateHead is the number of bytes before the payload.
const stateHead = len(stateMagic) + 2 + 4 + 8 + 8

// load returns the slot and the payload of a state that save has written, or says
// why it is none for this sequence.
func (p *progress) load(state []byte, payloadSize int) (slot uint64, payload []byte, err error) {
	refuse := func(format string, arguments ...any) (uint64, []byte, error) {
		return 0, nil, fmt.Errorf("%w: %s", ErrState, fmt.Sprintf(format, arguments...))
	}
	if len(state) < stateHead+4 || string(state[:len(stateMagic)]) != stateMagic {
		return refuse("these %d bytes are not a saved state of a sequence", len(state))
	}
	head := state[len(stateMagic):]
	if head[0] != stateVersion {
		return refuse("it is of version %d, not %d", head[0], stateVersion)
	}
	body := len(state) - 4
	if crc32.ChecksumIEEE(state[:body]) != binary.LittleEndian.Uint32(state[body:]) {
		return refuse("its check sum is wrong: the state is damaged or incomplete")
	}
	if head[1] != p.kind {
		return refuse("it is of kind %d (%s), not %s", head[1], kindNames[head[1]], kindNames[p.kind])
	}
	if pages := binary.LittleEndian.Uint32(head[2:]); int(pages) != p.identity.pages {
		return refuse("it is for %d pages, not %d", pages, p.identity.pages)
	}
	if binary.LittleEndian.Uint64(head[6:]) != p.identity.checksum {
		return refuse("the rates of the pages, or a cycle or seed, are not those of the state")
	}
	slot = binary.LittleEndian.Uint64(head[14:])
	if slot > math.MaxInt64/2 {
		return refuse("slot %d is beyond the last, %d", slot, int64(math.MaxInt64/2))
	}
	if payload = state[stateHead:body]; len(payload) != payloadSize {
		return refuse("it has %d bytes behind its head, not %d", len(payload), payloadSize)
	}
	return slot, payload, nil
}

// A counted sequence follows from the number of its slots, which is all of its state.
type counted struct {
	progress
	enter func() // continues behind slot; nil where there is nothing else to change
}

// AppendBinary appends the state: the number of slots.
func (c *counted) AppendBinary(dst []byte) ([]byte, error) { return c.save(dst, nil), nil }

// UnmarshalBinary continues from a saved state; errors wrap [ErrState].
func (c *counted) UnmarshalBinary(state []byte) error {
	slot, _, err := c.load(state, 0)
	if err != nil {
		return err
	}
	if c.slot = slot; c.enter != nil {
		c.enter()
	}
	return nil
}
