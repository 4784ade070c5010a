package pagefile

import "bytes"

// Hosts are the hosts of the pages of a list, as politeness has it: what the
// column host says, whatever it be. Where that column is missing or a field of it
// is empty, the host is that of the URL in the column url, or of the id where
// there is no url: in lower case, with the port unless it is 80 of http or 443 of
// https. A row whose host cannot be found out so cannot be used.
type Hosts struct {
	Names IDs     // of the hosts, in the order in which they come up
	Of    []int32 // by page: the number of its host
}

// hostFields say what the host of a page is. They follow those with numbers.
var hostFields = layout{
	{names: []string{"host"}, optional: true},
	{names: []string{"url"}, optional: true},
}

const hostField, urlField = 1 + maxNumbers, 2 + maxNumbers

// host returns the host of a page: a part of the record, or written to space.
func (r *record) host(space []byte) ([]byte, *FileError) {
	if !r.cells[hostField].empty() {
		return r.name(hostField, "the name of a host")
	}
	field := urlField
	if r.cells[field].empty() {
		field = 0
	}
	if c := &r.cells[field]; c.kind == text {
		if host, ok := hostOf(c.text, space); ok {
			return host, nil
		}
	}
	return nil, r.fault(field, "a URL with a host, or a name in the column host")
}

// A hostColumn is the hosts of the rows of a block or a table.
type hostColumn struct {
	Hosts
	index *Index
}

// hostColumn returns an empty column, or nil if the layout has no hosts.
func (l layout) hostColumn() *hostColumn {
	if len(l) <= hostField {
		return nil
	}
	h := &hostColumn{}
	h.index = NewIndex(&h.Names)
	return h
}

// reset empties the column, and keeps its memory.
func (h *hostColumn) reset() {
	h.Names.reset()
	h.Of = h.Of[:0]
	clear(h.index.slots)
}

// add adds the host of the next row, which is often that of the row before.
func (h *hostColumn) add(name []byte) {
	if last := len(h.Of) - 1; last >= 0 && bytes.Equal(h.Names.Bytes(int(h.Of[last])), name) {
		h.Of = append(h.Of, h.Of[last])
		return
	}
	h.Of = append(h.Of, int32(h.index.findOrAppend(name)))
}

// append adds the hosts of a block of rows.
func (h *hostColumn) append(block *hostColumn) {
	numbers := make([]int32, block.Names.Len())
	for i := range numbers {
		numbers[i] = int32(h.index.findOrAppend(block.Names.Bytes(i)))
	}
	for _, host := range block.Of {
		h.Of = append(h.Of, numbers[host])
	}
}

// renumber drops hosts that no row has any more.
func (h *hostColumn) renumber() {
	numbers, names := make([]int32, h.Names.Len()), IDs{} // numbers from 1
	for row, host := range h.Of {
		if numbers[host] == 0 {
			names.Append(h.Names.Bytes(int(host)))
			numbers[host] = int32(names.Len())
		}
		h.Of[row] = numbers[host] - 1
	}
	h.Names = names
}
