package refresh

// Caps of hosts.

import (
	"context"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
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
the column host says, or else that of the URL in the column url or
id, without the ports 80 of http and 443 of https. A.example, a.example and
a.example. (with a dot behind it) are one host. The file of
caps has the columns host and cap (an empty field is none) and, optional, unit, and
no row that cannot be used. --hosts-out writes host, pages, cap, used and
multiplier: what one more access per unit of time to a page of the host would gain;
and unit, where it is known.`

// readHostCaps reads the flags of caps: nil stands for none, an empty list for --host-cap alone.
func readHostCaps(a *ui.Arguments) *pagefile.HostLimits {
	capped := a.CLI.IsSet("host-cap") || a.CLI.IsSet("host-caps")
	a.OnlyWith("hosts-out", "host-cap or --host-caps", capped)
	if !capped {
		return nil
	}
	if a.CLI.String("hosts-out") == "-" {
		a.Fault("hosts-out", `"-" is not valid: use a file, as the rates and the summary go to standard output`)
	}
	if a.CLI.IsSet("hosts-out") {
		lists.NotTheFileOf(a, "hosts-out", "out")
	}
	if a.CLI.IsSet("host-cap") {
		lists.Rate(a, "host-cap") // a fault comes before pages are read
	}
	if !a.CLI.IsSet("host-caps") {
		return &pagefile.HostLimits{}
	}
	list, _ := lists.Read(a, "host-caps", "host", lists.StrictOptions(a), pagefile.ReadHostCaps) // one left out would be none
	return list
}

// capsOf returns the caps of the hosts of --input, whose rates are in a unit, which that of the
// list then is, too. It warns of caps that no page has.
func capsOf(a *ui.Arguments, list *pagefile.HostLimits, hosts *pagefile.IDs, u unit.Unit) []float64 {
	others := math.Inf(1)
	if a.CLI.IsSet("host-cap") {
		others = lists.Rate(a, "host-cap").In(u)
	}
	if len(list.Limits) > 0 && (list.Unit == unit.Unknown) != (u == unit.Unknown) {
		a.Fault("host-caps", "the caps in %s are %s, and the rates in %s %s: add --unit, or a column unit to the file without one",
			a.CLI.String("host-caps"), list.Unit.Per(), a.CLI.String("input"), u.Per())
	}
	unit.Scale(list.Limits, list.Unit, u)
	list.Unit = u
	caps, unknown := list.Of(hosts, others)
	if len(unknown) > 0 {
		a.Warn("%s of --host-caps without a page, such as %q", ui.Count(len(unknown), "host"), list.Names.At(unknown[0]))
	}
	return caps
}

// cappedHosts are the hosts of a page list with their caps.
type cappedHosts struct {
	*pagefile.Hosts
	list *pagefile.HostLimits // those of --host-caps
	caps []float64            // by host
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

// hostRow is a row of the list of hosts.
type hostRow struct {
	Host       []byte   `parquet:"host,string"`
	Pages      int64    `parquet:"pages"`
	Cap        *float64 `parquet:"cap,optional"`
	Used       float64  `parquet:"used"`
	Multiplier float64  `parquet:"multiplier"`
	Unit       []byte   `parquet:"unit,string,dict"`
}

// write writes the list of hosts: what each of them gets.
func (h *cappedHosts) write(ctx context.Context, out lists.Out, s *rates.Solution) error {
	pages, used := make([]int64, len(h.caps)), make([]float64, len(h.caps))
	for page, host := range h.Of {
		pages[host]++
		used[host] += s.Rates[page]
	}
	unitName := []byte(h.list.Unit.String())
	row := func(i int) hostRow {
		return hostRow{
			Host:       h.Names.Bytes(i),
			Pages:      pages[i],
			Cap:        lists.Finite(&h.caps[i]),
			Used:       used[i],
			Multiplier: s.HostMultipliers[i],
			Unit:       unitName,
		}
	}
	return lists.WriteInUnit(ctx, out, h.list.Unit, len(h.caps), row)
}
