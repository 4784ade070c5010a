package pagefile

// This file reads the caps of hosts.

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

// ReadHostCaps reads a list of caps with the columns host and cap: a finite number of
// 0 or more, or nothing for no cap. Rows that cannot be used, and all rows of a host
// but the first, are left out: see [Options] and [Report]. As a cap that is left out
// is no cap, crawlers had better read strictly.
func ReadHostCaps(ctx context.Context, source Source, options Options) (*HostCaps, *Report, error) {
	l := layout{
		{names: []string{"host"}, expected: "the name of a host"},
		{names: []string{"cap"}, expected: anyExpected + orNothing, blank: true, absent: math.Inf(1)},
	}
	t, report, err := readTable(ctx, source, options, l)
	if err != nil {
		return nil, report, err
	}
	return &HostCaps{t.ids, l[1].fill(t.numbers[0], t.ids.Len())}, report, nil
}

// Of returns the cap of each of the hosts, and the numbers of those in the list that
// are not among the hosts. Hosts that are not in the list have the cap other. Names
// are compared byte by byte.
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
