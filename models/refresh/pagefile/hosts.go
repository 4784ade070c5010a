package pagefile

// This file finds the hosts of pages.

import "github.com/mdpsolve/mdpsolve/internal/urlhost"

// Hosts are the hosts of the pages of a list, in the sense in which crawlers are
// polite to hosts. A host is any name in the column host. If that is missing or empty,
// the host is that of the URL in the column url, or else in the column id, with the port
// unless it is 80 of http or 443 of https. A row without any of these cannot be used.
//
// Names of hosts are in lower case and ASCII, without a final dot, so that
// A.example, a.example and a.example. are one host, in every list.
type Hosts struct {
	Names IDs     // of the hosts, in the order in which they come up
	Of    []int32 // by page: the number of its host
}

// hostFields say what the host of a page is. They follow those with numbers.
var hostFields = layout{
	{names: []string{"host"}, holds: hostNames, optional: true},
	{names: []string{"url"}, optional: true},
}

// host returns the host of a page, for which a layout has hostFields from at on, or the
// group of a host, "" for none.
func (r *record) host(at int, group bool) ([]byte, *FileError) {
	switch {
	case group && r.cells[at].empty():
		return nil, nil
	case group:
		return r.name(at, contents[groupNames].expected)
	case !r.cells[at].empty():
		return r.hostName(at)
	}
	field := at + 1
	if r.cells[field].empty() {
		field = 0
	}
	if host, ok := urlhost.Of(r.cells[field].text); ok {
		return host, nil
	}
	return nil, r.fault(field, "a URL with a host, or a name in the column host")
}

// hostName returns the name of a host in a field, in its one form.
func (r *record) hostName(field int) ([]byte, *FileError) {
	name, fault := r.name(field, contents[hostNames].expected)
	if fault != nil {
		return nil, fault
	}
	if name = urlhost.Canonical(name); len(name) == 0 {
		return nil, r.fault(field, contents[hostNames].expected)
	}
	return name, nil
}
