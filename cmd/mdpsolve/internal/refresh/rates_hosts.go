package refresh

// Caps of hosts.

import (
	"context"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// hostFlags are the flags on hosts of refresh rates.
func hostFlags() []cli.Flag {
	return append(capFlags(), ui.ValueFlag("hosts-out", "write the accesses to each host to `FILE`", ""))
}

// capFlags are the flags that cap the accesses to hosts.
func capFlags() []cli.Flag {
	return []cli.Flag{
		ui.ValueFlag("host-cap", "allow each host `R` accesses per unit of time (5, 1/min)", ""),
		ui.ValueFlag("host-caps", "read caps from `FILE`; other hosts have --host-cap", ""),
	}
}

const hostText = `--host-cap and --host-caps limit the accesses to each host. The host of a page is in the
column host, or taken from the URL. The file of caps has the columns host, cap (empty: no
cap) and, optionally, unit. --hosts-out writes host, pages, cap, used, unit and multiplier
(the gain from one more access per unit of time).`

// readHostCaps reads the caps: nil without caps, an empty list for --host-cap alone.
func readHostCaps(a *ui.Arguments) *pagefile.HostLimits {
	capped := a.CLI.IsSet("host-cap") || a.CLI.IsSet("host-caps")
	a.OnlyWith("hosts-out", "host-cap or --host-caps", capped)
	if !capped {
		return nil
	}
	if a.CLI.String("hosts-out") == "-" {
		a.Fault("hosts-out", `"-" is not valid: use a file, because rates and summary go to standard output`)
	}
	if a.CLI.IsSet("host-cap") {
		lists.Rate(a, "host-cap") // a fault comes before pages are read
	}
	if !a.CLI.IsSet("host-caps") {
		return &pagefile.HostLimits{}
	}
	list, _ := lists.Read(a, "host-caps", "host", lists.StrictOptions(a), pagefile.ReadHostCaps) // a row left out would be no cap
	return list
}

// capsOf returns the caps of the hosts of --input, in the unit of their rates, and converts
// the list to it. It warns of hosts without a page.
func capsOf(a *ui.Arguments, list *pagefile.HostLimits, hosts *pagefile.IDs, u unit.Unit) []float64 {
	others := math.Inf(1)
	if a.CLI.IsSet("host-cap") {
		others = lists.Rate(a, "host-cap").In(u)
	}
	if len(list.Limits) > 0 && (list.Unit == unit.Unknown) != (u == unit.Unknown) {
		a.Fault("host-caps", "the caps in %s are %s, but the rates in %s are %s: add --unit, or a column unit to the file that has none",
			a.CLI.String("host-caps"), list.Unit.Per(), lists.FileName(a, "input"), u.Per())
	}
	unit.Scale(list.Limits, list.Unit, u)
	list.Unit = u
	caps, unknown := list.Of(hosts, others)
	if len(unknown) > 0 {
		a.Warn("--host-caps: %s without a page ignored, such as %q", wording.Count(len(unknown), "host"), list.Names.At(unknown[0]))
	}
	return caps
}

// cappedHosts are the hosts of a page list with their caps.
type cappedHosts struct {
	*pagefile.Hosts
	list *pagefile.HostLimits // of --host-caps
	caps []float64            // by host
}

// binding counts the hosts that are limited by their caps.
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

// write writes the list of hosts with their accesses.
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
