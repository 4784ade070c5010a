package pagefile

import (
	"context"
	"math"
)

// HostCaps are the greatest numbers of accesses per unit of time that hosts allow
// to all of their pages together; +Inf stands for no cap.
type HostCaps struct {
	Names IDs
	Caps  []float64
}

// ReadHostCaps reads a list of caps with the columns host and cap, a finite
// number of 0 or more, or nothing for no cap. Rows that cannot be used, and all
// rows of a host but the first, are left out: see [Options] and [Report]; as a
// cap that is left out is no cap, strict reading is what suits crawlers.
func ReadHostCaps(ctx context.Context, source Source, options Options) (*HostCaps, *Report, error) {
	l := layout{
		{names: []string{"host"}, allowed: "the name of a host"},
		{names: []string{"cap"}, allowed: numberAllowed + ", or nothing", blank: true, absent: math.Inf(1)},
	}
	t, report, err := readTable(ctx, source, options, l)
	if err != nil {
		return nil, report, err
	}
	return &HostCaps{t.ids, l[1].fill(t.numbers[0], t.ids.Len())}, report, nil
}

// Of returns the cap of each of the hosts, which is other for those that are not
// in the list, and the numbers of those in the list that are not among the hosts.
// Names are the same if all their bytes are.
func (c *HostCaps) Of(hosts *IDs, other float64) (caps []float64, unknown []int) {
	caps = make([]float64, hosts.Len())
	for i := range caps {
		caps[i] = other
	}
	index := NewIndex(hosts)
	for i, most := range c.Caps {
		if host, found := index.Find(c.Names.Bytes(i)); found {
			caps[host] = most
		} else {
			unknown = append(unknown, i)
		}
	}
	return caps, unknown
}
