package sequence

// RoundRobin accesses the pages whose rate is not 0 in turn, in the order of
// their indices: the uniform rule that other sequences are compared with. It
// does not look at the rates beyond that.
type RoundRobin struct {
	counted
	pages []uint32
}

// NewRoundRobin returns the sequence; rates are as for
// [NewEarliestDeadlineFirst].
func NewRoundRobin(rates []float64) (*RoundRobin, error) {
	if _, err := newPortions(rates); err != nil {
		return nil, err
	}
	r := &RoundRobin{}
	for page, rate := range rates {
		if rate > 0 {
			r.pages = append(r.pages, uint32(page))
		}
	}
	return r, nil
}

// Next returns the page of the next slot.
func (r *RoundRobin) Next() int {
	page := r.pages[r.slot%uint64(len(r.pages))]
	r.slot++
	return int(page)
}
