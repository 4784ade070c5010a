package refresh

// The politeness delays of hosts and of groups of hosts.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/lists"
	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// delays are the delays of a plan, and what they cost.
type delays struct {
	hosts   *pagefile.Hosts
	names   []string         // of the groups of hosts; none without --group-delay
	groupOf map[string]int   // the groups by these names; −1 by ""
	groups  []sequence.Group // the groups of hosts, and then the hosts

	hostsCut  int     // hosts whose rates have been cut
	groupsCut int     // groups of hosts whose rates have been cut
	lost      float64 // share of the accesses that was cut
	empty     int64   // slots written that are empty
	warn      func(format string, args ...any)
}

// host returns the index of a host in groups, by its number.
func (d *delays) host(number int) int { return len(d.names) + number }

// name returns the name of a host, or of a group of hosts, by its index in groups.
func (d *delays) name(group int) string {
	if group < len(d.names) {
		return d.names[group]
	}
	return d.hosts.Names.At(group - len(d.names))
}

// takeUpHosts notes accesses to hosts before the plan. A host without pages counts for its
// registered domain, if that is a group.
func (d *delays) takeUpHosts(names *pagefile.IDs, slotOf func(i int) float64) {
	hosts := pagefile.NewIndex(&d.hosts.Names)
	for i := range names.Len() {
		group, found := d.groupOf[urlhost.Domain(names.At(i))]
		if number, has := hosts.Find(names.Bytes(i)); has {
			group, found = d.host(number), true
		}
		if found {
			sequence.Accessed(d.groups, group, slotOf(i))
		}
	}
}

// readDelays reads the delays of hosts and of groups; nil without delays.
func (s *schedule) readDelays(a *ui.Arguments) *delays {
	if !hasDelays(a) {
		return nil
	}
	duration := func(flag string) float64 {
		if !a.CLI.IsSet(flag) {
			return 0
		}
		return lists.Duration(a, flag).In(s.rates.Unit)
	}
	ofHost, ofGroup := duration("host-delay"), duration("group-delay")
	hosts := &s.rates.Hosts.Names
	ofHosts, groups := slices.Repeat([]float64{ofHost}, hosts.Len()), make([]string, hosts.Len())
	if a.CLI.IsSet("host-delays") {
		readHostDelays(a, s.rates, ofHosts, groups)
	}
	if caps := readHostCaps(a); caps != nil {
		for host, most := range capsOf(a, caps, hosts, s.rates.Unit) {
			if most == 0 {
				a.Fault("host-caps", "host %q has the cap 0: leave its pages out of %s", hosts.At(host), lists.FileName(a, "input"))
			}
			ofHosts[host] = max(ofHosts[host], 1/most)
		}
	}
	d := &delays{hosts: s.rates.Hosts, groupOf: map[string]int{"": -1}, warn: a.Warn}
	if a.CLI.IsSet("group-delay") {
		for host, name := range groups {
			if name == "" {
				name = urlhost.Domain(hosts.At(host))
				groups[host] = name
			}
			if _, found := d.groupOf[name]; !found {
				d.groupOf[name] = len(d.names)
				d.names = append(d.names, name)
				d.groups = append(d.groups, sequence.Group{Parent: -1, Delay: ofGroup * s.rate})
			}
		}
	}
	for host, delay := range ofHosts {
		d.groups = append(d.groups, sequence.Group{Parent: d.groupOf[groups[host]], Delay: delay * s.rate})
	}
	return d
}

// readHostDelays reads --host-delays: delays of hosts, and names of their groups. A host has the
// longest of its delays.
func readHostDelays(a *ui.Arguments, rates *pagefile.Rates, delays []float64, groups []string) {
	name := a.CLI.String("host-delays")
	options := lists.StrictOptions(a) // without such a row, a host would have no delay
	list, _ := lists.Read(a, "host-delays", "", options, pagefile.ReadHostDelays)
	own := cmp.Or(list.Unit, options.Unit)
	if len(list.Limits) > 0 && (own == unit.Unknown) != (rates.Unit == unit.Unknown) {
		a.Fault("host-delays", "only one of %s and %s has a unit: add a column unit to the other file, or --unit", name, lists.FileName(a, "input"))
	}
	index, unknown := pagefile.NewIndex(&rates.Hosts.Names), 0
	for i, delay := range list.Limits {
		group := list.Groups.Names.At(int(list.Groups.Of[i]))
		if group != "" && !a.CLI.IsSet("group-delay") {
			a.Fault("group-delay", "missing, but %s has groups of hosts: give their delay, such as 1s, or remove the column group", name)
		}
		host, found := index.Find(list.Names.Bytes(i))
		if !found {
			unknown++
			continue
		}
		delays[host], groups[host] = max(delays[host], unit.Duration(delay, own, rates.Unit)), group
	}
	if unknown > 0 {
		a.Warn("--host-delays: %s without a page ignored", wording.Count(unknown, "host"))
	}
}

// foretell warns if more of the first slots are empty than cut rates account for. The cause is
// delays that conflict: two hosts with delays of 3 and 5 slots, say, cannot have all of the 1/3
// and 1/5 of the slots that the delays allow.
func (d *delays) foretell(slots int) {
	if float64(d.empty) > d.lost*float64(slots)+1 {
		d.warn("%d of the first %d slots are empty, because all pages that are due have to wait for their hosts", d.empty, slots)
	}
}

// fit cuts the rates of hosts and groups that delays do not allow, with a warning.
func (s *schedule) fit(a *ui.Arguments, visits []sequence.Visit) {
	d := s.delays
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
	var what []string
	advice := ""
	if d.hostsCut > 0 {
		what = append(what, wording.Count(d.hostsCut, "host"))
	}
	if d.groupsCut > 0 {
		what = append(what, wording.Count(d.groupsCut, "group")+" of hosts")
	} else {
		advice = fmt.Sprintf("; to give them to other pages, use \"refresh rates\" with %s", s.capAdvice(a, s.rate/d.groups[cut[0]].Slots()))
	}
	which := fmt.Sprintf("the delays of %s, such as %q, are", strings.Join(what, " and "), d.name(cut[0]))
	if len(cut) == 1 {
		which = fmt.Sprintf("the delay of %q is", d.name(cut[0]))
	}
	a.Warn("%s too long for the rates: %s of all accesses are left out%s", which, ui.PercentText(d.lost), advice)
}

// capAdvice returns the flag of refresh rates for rates that delays allow.
func (s *schedule) capAdvice(a *ui.Arguments, most float64) string {
	if a.CLI.IsSet("host-delays") {
		return "--host-caps, and caps of 1/delay"
	}
	text := "--host-cap " + ui.ShortText(most, 6)
	if s.rates.Unit != unit.Unknown {
		text += "/" + s.rates.Unit.String()
	}
	return text
}

// record returns the keys about delays.
func (d *delays) record() ui.Record {
	if d == nil {
		return nil
	}
	return ui.Record{{"empty", int(d.empty)}, {"hosts_cut", d.hostsCut}, {"groups_cut", d.groupsCut}, {"lost", d.lost}}
}
