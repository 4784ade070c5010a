package pagefile

// This file reads what hosts allow: caps and delays.

import (
	"context"
	"math"
	"slices"

	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// hostField is the first field of lists of hosts.
var hostField = field{names: []string{"host"}, holds: hostNames}

// HostLimits are what hosts allow: their caps, the greatest numbers of accesses per unit of time
// to all of their pages together ([ReadHostCaps]), or their delays, the least times from one
// access to the next, such as the crawl-delay of robots.txt ([ReadHostDelays]).
type HostLimits struct {
	Names  IDs
	Limits []float64 // +Inf for no cap, 0 for no delay
	Groups *Hosts    // of delays: Of says of each host the number of its group, whose name is "" for none
	Unit   unit.Unit // Unknown if neither the file nor [Options] say one
}

// ReadHostCaps reads a list of caps with the columns host and cap, a finite number of 0 or
// more, or nothing for none. Rows that cannot be used, and all rows of a host but the first, are
// left out: see [Options] and [Report]. As a cap that is left out is no cap, crawlers had better
// read strictly.
func ReadHostCaps(ctx context.Context, source Source, options Options) (*HostLimits, *Report, error) {
	return readHostLimits(ctx, source, options, layout{
		hostField, {names: []string{"cap"}, holds: anyNumbers, rate: true, blank: true, absent: math.Inf(1)},
	})
}

// ReadHostDelays reads a list of delays with the columns host, delay, a finite number of
// 0 or more, or nothing for none, and, optional, group, the name of what several hosts are
// part of, such as an address, and unit. Rows that cannot be used, and all rows of a host
// but the first, are left out: see [Options], whose Unit is ignored here, and
// [Report].
func ReadHostDelays(ctx context.Context, source Source, options Options) (*HostLimits, *Report, error) {
	options.Unit = unit.Unknown
	return readHostLimits(ctx, source, options, layout{
		hostField,
		{names: []string{"delay"}, holds: anyNumbers, blank: true},
		{names: []string{"group"}, holds: groupNames, optional: true},
	})
}

func readHostLimits(ctx context.Context, source Source, options Options, l layout) (*HostLimits, *Report, error) {
	t, report, err := readTable(ctx, source, options, l)
	if err != nil {
		return nil, report, err
	}
	return &HostLimits{t.ids, l[1].fill(t.numbers[0], t.ids.Len()), t.hosts, t.unit}, report, nil
}

// Of returns the limit of each of the hosts, and the numbers of those in the list that
// are not among the hosts. Hosts that are not in the list have the limit other.
func (c *HostLimits) Of(hosts *IDs, other float64) (limits []float64, unknown []int) {
	limits = slices.Repeat([]float64{other}, hosts.Len())
	return limits, NewIndex(hosts).Match(&c.Names, func(host, i int) { limits[host] = c.Limits[i] })
}
