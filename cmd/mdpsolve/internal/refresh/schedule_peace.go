package refresh

// Hosts, and groups of hosts, that are left in peace between accesses.

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// peace is what is left in peace, and for how many slots.
type peace struct {
	hosts  *pagefile.Hosts
	names  []string         // of the groups of hosts; none without --group-delay
	groups []sequence.Group // the groups of hosts, and then the hosts
}

// levels returns the host of a page and, if there is one, the group of that host, as
// indices of groups.
func (p *peace) levels(page int) []int { return p.levelsOfHost(int(p.hosts.Of[page])) }

// levelsOfHost is levels for a host.
func (p *peace) levelsOfHost(number int) []int {
	host := len(p.names) + number
	if p.names == nil {
		return []int{host}
	}
	return []int{host, p.groups[host].Parent}
}

// finder returns what finds the levels of a host by its name: of one without pages only its
// registered domain, if that is a group.
func (p *peace) finder() func(host string) []int {
	hosts, groups := pagefile.NewIndex(&p.hosts.Names), map[string]int{}
	for group, name := range p.names {
		groups[name] = group
	}
	return func(host string) []int {
		if number, found := hosts.Find([]byte(host)); found {
			return p.levelsOfHost(number)
		}
		if group, found := groups[urlhost.Domain(host)]; found {
			return []int{group}
		}
		return nil
	}
}

// hostName returns the name of a host, or of a group of hosts, by its index of groups.
func (p *peace) hostName(group int) hostName {
	if group < len(p.names) {
		return hostName{p.names[group], true}
	}
	return hostName{p.hosts.Names.At(group - len(p.names)), false}
}

// readPeace reads for how long hosts and groups of them are left in peace.
func readPeace(a *ui.Arguments, rates *pagefile.Rates, sum float64) *peace {
	duration := func(flag string) float64 {
		if !a.CLI.IsSet(flag) {
			return 0
		}
		return readDuration(a, flag).in(a, rates.Unit, a.CLI.String("input"))
	}
	ofHost, ofGroup := duration("host-delay"), duration("group-delay")
	hosts := &rates.Hosts.Names
	delays, groups := make([]float64, hosts.Len()), make([]string, hosts.Len())
	for host := range delays {
		delays[host] = ofHost
	}
	if a.CLI.IsSet("host-delays") {
		readHostDelays(a, rates, delays, groups)
	}
	if limits := readHostLimits(a); limits != nil {
		for host, most := range limits.capsOf(a, hosts, rates.Unit) {
			if most == 0 {
				a.Fault("host-caps", "host %q has the cap 0: leave its pages out of %s", hosts.At(host), a.CLI.String("input"))
			}
			delays[host] = max(delays[host], 1/most)
		}
	}
	p := &peace{hosts: rates.Hosts}
	numbers := map[string]int{"": -1}
	if a.CLI.IsSet("group-delay") {
		for host, name := range groups {
			if name == "" {
				name = urlhost.Domain(hosts.At(host))
				groups[host] = name
			}
			if _, found := numbers[name]; !found {
				numbers[name] = len(p.names)
				p.names = append(p.names, name)
				p.groups = append(p.groups, sequence.Group{Parent: -1, Delay: ofGroup * sum})
			}
		}
	}
	for host, delay := range delays {
		p.groups = append(p.groups, sequence.Group{Parent: numbers[groups[host]], Delay: delay * sum})
	}
	return p
}

// readHostDelays reads --host-delays: delays of hosts, and the names of their groups.
func readHostDelays(a *ui.Arguments, rates *pagefile.Rates, delays []float64, groups []string) {
	name, input := a.CLI.String("host-delays"), a.CLI.String("input")
	source := inputSource(a, "host-delays", listBytes)
	if source.Reader != nil && input == "-" {
		a.Fault("host-delays", "- is not valid with --input -: use a file for one of the two")
	}
	options := readOptions(a)
	options.Strict = true // a delay left out would be none
	list, report, err := pagefile.ReadHostDelays(a.CLI.Context, source, options)
	reportInput(a, "host-delays", report, err)
	own := list.Unit
	if own == unit.Unknown {
		own = options.Unit
	}
	if len(list.Delays) > 0 && (own == unit.Unknown) != (rates.Unit == unit.Unknown) {
		a.Fault("host-delays", "%s and %s do not both say a unit: add a column unit to the file without one, or --unit", name, input)
	}
	index, unknown := pagefile.NewIndex(&rates.Hosts.Names), 0
	for i, delay := range list.Delays {
		group := list.Groups.Names.At(int(list.Groups.Of[i]))
		if group != "" && !a.CLI.IsSet("group-delay") {
			a.Fault("group-delay", "missing: %s says groups of hosts: give their delay, such as 1s, or leave the column group out", name)
		}
		host, found := index.Find(list.Names.Bytes(i))
		if !found {
			unknown++
			continue
		}
		delays[host], groups[host] = unit.Duration(delay, own, rates.Unit), group
	}
	if unknown > 0 {
		a.Warn("%s of --host-delays without a page", ui.Count(unknown, "host"))
	}
}

// delayed is what delays cost.
type delayed struct {
	*peace

	hostsCut  int     // hosts whose rates have been cut
	groupsCut int     // groups of hosts whose rates have been cut
	lost      float64 // share of the accesses that is
	empty     int64   // slots written that are empty
	warn      func(format string, args ...any)
}

// foretell says how many of the first slots, which have been counted, are empty, if these are
// more than the rates that were cut leave empty: delays get into each other's way. Two hosts
// with delays of 3 and 5 slots, say, cannot have all of the 1/3 and 1/5 that they allow.
func (d *delayed) foretell(slots int) {
	if float64(d.empty) > d.lost*float64(slots)+1 {
		d.warn("%d of the first %d slots are empty, as all pages that are due have to wait for their hosts", d.empty, slots)
	}
}

// fit cuts the rates of what cannot be accessed as often, and says so.
func (d *delayed) fit(a *ui.Arguments, visits []sequence.Visit, sum float64, u unit.Unit) {
	var cut []int
	if cut, d.lost = sequence.FitDelays(visits, d.groups); len(cut) == 0 {
		return
	}
	for _, group := range cut {
		if group < len(d.names) {
			d.groupsCut++
		} else {
			d.hostsCut++
		}
	}
	var what, advice string
	switch first := cut[0] - len(d.names); {
	case d.hostsCut == 0:
		what = fmt.Sprintf("%s of hosts, such as %q,", ui.Count(d.groupsCut, "group"), d.names[cut[0]])
	case d.groupsCut > 0:
		what = fmt.Sprintf("%s, such as %q, and %s", ui.Count(d.hostsCut, "host"), d.hosts.Names.At(first), ui.Count(d.groupsCut, "group"))
	default:
		what = fmt.Sprintf("%s, such as %q,", ui.Count(d.hostsCut, "host"), d.hosts.Names.At(first))
		advice = fmt.Sprintf("; refresh rates %s gives them to other pages", capAdvice(a, sum/d.groups[cut[0]].Slots(), u))
	}
	a.Warn("the delays of %s allow fewer accesses than their rates ask for: %s of all are left out%s", what, ui.PercentText(d.lost), advice)
}

// capAdvice returns the flag of refresh rates that gives rates which delays allow.
func capAdvice(a *ui.Arguments, most float64, u unit.Unit) string {
	if a.CLI.IsSet("host-delays") {
		return "--host-caps, with 1/delay for each host,"
	}
	text := "--host-cap " + ui.ShortText(most, 6)
	if u != unit.Unknown {
		text += "/" + u.String()
	}
	return text
}

// record returns what answers for programs say of delays.
func (d *delayed) record() ui.Record {
	if d == nil {
		return nil
	}
	return ui.Record{{"empty", int(d.empty)}, {"hosts_cut", d.hostsCut}, {"groups_cut", d.groupsCut}, {"lost", d.lost}}
}

// sums tell the delays of groups of hosts, and of hosts, from others.
func (p *peace) sums() (ofGroups, ofHosts uint64) {
	table := crc64.MakeTable(crc64.ECMA)
	sum := func(groups []sequence.Group) (sum uint64) {
		var row []byte
		for _, g := range groups {
			row = binary.LittleEndian.AppendUint64(row[:0], math.Float64bits(g.Delay))
			row = binary.LittleEndian.AppendUint64(row, uint64(g.Parent))
			sum = crc64.Update(sum, table, row)
		}
		return sum
	}
	return sum(p.groups[:len(p.names)]), sum(p.groups[len(p.names):])
}
