package sequence

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
	stateVersion = 1
)

// The kinds of sequences in saved states.
const (
	kindEarliestDeadlineFirst = iota + 1
	kindGoldenRatio
	kindBalancedWord
	kindRandom
	kindRoundRobin
)

var kindNames = map[byte]string{
	kindEarliestDeadlineFirst: "earliest deadline first",
	kindGoldenRatio:           "golden ratio",
	kindBalancedWord:          "balanced word",
	kindRandom:                "randomized",
	kindRoundRobin:            "round robin",
}

// appendState appends
//
//	magic, version, kind, number of pages and checksum of their shares, slot,
//	payload, CRC-32 of all that
//
// in fixed widths, little endian.
func appendState(dst []byte, kind byte, of ratesIdentity, slot uint64, payload func([]byte) []byte) []byte {
	start := len(dst)
	dst = append(dst, stateMagic...)
	dst = append(dst, stateVersion, kind)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(of.pages))
	dst = binary.LittleEndian.AppendUint64(dst, of.checksum)
	dst = binary.LittleEndian.AppendUint64(dst, slot)
	dst = payload(dst)
	return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

// stateHead is the number of bytes before the payload.
const stateHead = len(stateMagic) + 2 + 4 + 8 + 8

// parseState undoes appendState, or says why not.
func parseState(state []byte, kind byte, of ratesIdentity) (slot uint64, payload []byte, err error) {
	refuse := func(format string, arguments ...any) (uint64, []byte, error) {
		return 0, nil, fmt.Errorf("%w: %s", ErrState, fmt.Sprintf(format, arguments...))
	}
	if len(state) < stateHead+4 || string(state[:len(stateMagic)]) != stateMagic {
		return refuse("these %d bytes are not a saved state of a sequence", len(state))
	}
	head := state[len(stateMagic):]
	if head[0] != stateVersion {
		return refuse("version %d found; allowed is version %d", head[0], stateVersion)
	}
	body := len(state) - 4
	if crc32.ChecksumIEEE(state[:body]) != binary.LittleEndian.Uint32(state[body:]) {
		return refuse("its check sum is wrong: the state is damaged or incomplete")
	}
	if head[1] != kind {
		return refuse("it is of kind %d (%s), not %s", head[1], kindNames[head[1]], kindNames[kind])
	}
	if pages := binary.LittleEndian.Uint32(head[2:]); int(pages) != of.pages {
		return refuse("it is for %d pages, not %d", pages, of.pages)
	}
	if binary.LittleEndian.Uint64(head[6:]) != of.checksum {
		return refuse("the rates of the pages are not those of the state")
	}
	slot = binary.LittleEndian.Uint64(head[14:])
	if slot > math.MaxInt64/2 {
		return refuse("slot %d found; allowed are slots up to %d", slot, int64(math.MaxInt64/2))
	}
	return slot, state[stateHead:body], nil
}

// noPayload is for sequences whose state is the slot alone.
func noPayload(dst []byte) []byte { return dst }

// parseSlot is parseState for these.
func parseSlot(state []byte, kind byte, of ratesIdentity) (slot uint64, err error) {
	slot, payload, err := parseState(state, kind, of)
	if err == nil && len(payload) > 0 {
		err = fmt.Errorf("%w: %d bytes too many", ErrState, len(payload))
	}
	return slot, err
}
