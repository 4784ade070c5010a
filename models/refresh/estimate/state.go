package estimate

// Saved logs.

import (
	"encoding/binary"
	"fmt"
)

// AppendBinary appends the log as [encoding/binary] has it: 19 bytes and 27 for each of the
// groups of gaps that its history keeps apart. Unit is not saved.
func (a *AccessLog) AppendBinary(dst []byte) ([]byte, error) {
	dst, err := binary.Append(dst, binary.LittleEndian, &a.last)
	if err != nil {
		return nil, err
	}
	return binary.Append(dst, binary.LittleEndian, a.history.groups)
}

// UnmarshalBinary replaces the log by a saved one, and leaves Unit as it is. Data of a
// length that no log has are refused, and the log stays as it was. Other damage is not
// detected: whoever stores the data should add a checksum.
func (a *AccessLog) UnmarshalBinary(data []byte) error {
	read := AccessLog{Unit: a.Unit}
	size, err := binary.Decode(data, binary.LittleEndian, &read.last)
	length := binary.Size(gaps{})
	if err != nil || (len(data)-size)%length != 0 {
		return fmt.Errorf("estimate: %d bytes are no log of accesses", len(data))
	}
	if groups := (len(data) - size) / length; groups > 0 {
		read.history.groups = make([]gaps, groups)
	}
	if _, err := binary.Decode(data[size:], binary.LittleEndian, read.history.groups); err != nil {
		return err
	}
	*a = read
	return nil
}
