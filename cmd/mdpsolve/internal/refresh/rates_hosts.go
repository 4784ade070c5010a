package refresh

// Caps of hosts.

import (
	"context"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// hostFlags are those that cap what hosts get.
func hostFlags() []cli.Flag {
	return append(capFlags(), ui.ValueFlag("hosts-out", "write what each host gets to `FILE`", ""))
}

// capFlags are those of caps.
func capFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag("host-cap", "give the pages of a host `R` accesses per unit of time at most, together, as in 5 or 1/min", ""),
		ui.ValueFlag("host-caps", "read the caps of hosts from `FILE`; --host-cap is that of others", ""),
	}
}

const hostText = `With --host-cap or --host-caps, the pages of a host share a cap. The host is what
the column host says, whatever it be, or else that of the URL in the column url or
id, without the ports 80 of http and 443 of https. A.example, a.example and
a.example. (with a dot behind it) are one host. The file of
caps has the columns host and cap (an empty field is none) and, optional, unit and
least_rate and greatest_rate, which bound the rate of each page of the host beside
the bounds of its own (once an hour at most is a greatest_rate of 24 per day), and no
row that cannot be used. --hosts-out writes host, pages, cap, used and
multiplier: what one more access per unit of time to a page of the host would gain;
and unit, where it is known.`

// hostLimits are the caps that flags ask for.
type hostLimits struct {
	others *quantity          // cap of hosts that are not in the list, nil for none
	list   *pagefile.HostCaps // nil without a list, before capsOf
}

// readHostLimits reads the flags of caps; nil stands for none.
func readHostLimits(a *ui.Arguments) *hostLimits {
	capped := a.CLI.IsSet("host-cap") || a.CLI.IsSet("host-caps")
	a.OnlyWith("hosts-out", "host-cap or --host-caps", capped)
	if !capped {
		return nil
	}
	if a.CLI.String("hosts-out") == "-" {
		a.Fault("hosts-out", `"-" is not valid: use a file, as the rates and the summary go to standard output`)
	}
	if a.CLI.IsSet("hosts-out") {
		notTheFileOf(a, "hosts-out", "out")
	}
	limits := &hostLimits{}
	if a.CLI.IsSet("host-cap") {
		most := readRate(a, "host-cap")
		limits.others = &most
	}
	if a.CLI.IsSet("host-caps") {
		limits.list = readHostCaps(a)
	}
	return limits
}

// readHostCaps reads the file of caps. One left out would let a host get more than it
// allows, so that none may be.
func readHostCaps(a *ui.Arguments) *pagefile.HostCaps {
	source := inputSource(a, "host-caps", listBytes)
	if source.Reader != nil && a.CLI.String("input") == "-" {
		a.Fault("host-caps", "- is not valid with --input -: use a file for one of the two")
	}
	options := readOptions(a)
	options.Strict = true
	list, report, err := pagefile.ReadHostCaps(a.CLI.Context, source, options)
	if reportInput(a, "host-caps", report, err); len(list.Caps) == 0 {
		a.Fault("host-caps", "%s has no hosts: give one or more", a.CLI.String("host-caps"))
	}
	return list
}

// cappedHosts are the hosts of a page list with their caps.
type cappedHosts struct {
	*pagefile.Hosts
	limits *hostLimits
	caps   []float64 // by host
	// Bounds on the rates of pages, of their own and of their hosts; nil for none.
	least, greatest []float64
	unit            unit.Unit // of these
}

// of returns the hosts of a page list with their caps.
func (l *hostLimits) of(a *ui.Arguments, pages *pageInput) *cappedHosts {
	h := &cappedHosts{Hosts: pages.Hosts, limits: l, unit: pages.Unit}
	h.caps = l.capsOf(a, &pages.Hosts.Names, pages.Unit)
	h.least, h.greatest = l.list.Bounds(pages.Pages)
	return h
}

// capsOf returns the caps of hosts, in the unit of --input, which that of the list then is,
// too. It warns of caps that no page has.
func (l *hostLimits) capsOf(a *ui.Arguments, hosts *pagefile.IDs, own unit.Unit) []float64 {
	others := math.Inf(1)
	if l.others != nil {
		others = l.others.in(a, own, a.CLI.String("input"))
	}
	if l.list == nil {
		l.list = &pagefile.HostCaps{Unit: own}
	}
	if (l.list.Unit == unit.Unknown) != (own == unit.Unknown) {
		a.Fault("host-caps", "the caps in %s are %s, and the rates in %s %s: add --unit, or a column unit to the file without one",
			a.CLI.String("host-caps"), l.list.Unit.Per(), a.CLI.String("input"), own.Per())
	}
	for _, rates := range [][]float64{l.list.Caps, l.list.Least, l.list.Greatest} {
		unit.Scale(rates, l.list.Unit, own)
	}
	l.list.Unit = own
	caps, unknown := l.list.Of(hosts, others)
	if len(unknown) > 0 {
		a.Warn("%s of --host-caps without a page, such as %q", ui.Count(len(unknown), "host"), l.list.Names.At(unknown[0]))
	}
	return caps
}

// binding counts the hosts whose caps keep their pages from more accesses.
func (h *cappedHosts) binding(s *rates.Solution) int {
	binding := 0
	for _, multiplier := range s.HostMultipliers {
		if multiplier > s.Multiplier {
			binding++
		}
	}
	return binding
}

// fault words that least rates do not fit into the cap of a host.
func (h *cappedHosts) fault(e *rates.InfeasibleError) error {
	name, flag := h.Names.At(e.Host), "host-cap"
	if h.limits.list != nil {
		if _, listed := pagefile.NewIndex(&h.limits.list.Names).Find([]byte(name)); listed {
			flag = "host-caps"
		}
	}
	return ui.UsageErrorf("--%s: host %q: the least rates add up to %v: use up to %v, its cap", flag, name, e.Least, e.Allowed)
}

// hostRow is a row of the list of hosts.
type hostRow struct {
	Host       []byte   `parquet:"host,string"`
	Pages      int64    `parquet:"pages"`
	Cap        *float64 `parquet:"cap,optional"`
	Used       float64  `parquet:"used"`
	Multiplier float64  `parquet:"multiplier"`
}

// hostRowInUnit is one whose unit is known.
type hostRowInUnit struct {
	hostRow
	Unit []byte `parquet:"unit,string,dict"`
}

// write writes the list of hosts: what each of them gets.
func (h *cappedHosts) write(ctx context.Context, target pagefile.Target, s *rates.Solution, workers int) error {
	pages, used := make([]int64, len(h.caps)), make([]float64, len(h.caps))
	for page, host := range h.Of {
		pages[host]++
		used[host] += s.Rates[page]
	}
	row := func(i int) hostRow {
		return hostRow{
			Host:       h.Names.Bytes(i),
			Pages:      pages[i],
			Cap:        finite(&h.caps[i]),
			Used:       used[i],
			Multiplier: s.HostMultipliers[i],
		}
	}
	if h.unit == unit.Unknown {
		return pagefile.WriteRows(ctx, target, len(h.caps), workers, row)
	}
	name := []byte(h.unit.String())
	return pagefile.WriteRows(ctx, target, len(h.caps), workers, func(i int) hostRowInUnit { return hostRowInUnit{row(i), name} })
}
