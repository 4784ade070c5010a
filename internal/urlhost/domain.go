package urlhost

// This file finds the registered domain of a host.

import (
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Domain returns the registered domain of a host, such as example.org of
// www.example.org:8080, by the public suffix list, as [Canonical] writes it. What has
// none, such as an IP address or a public suffix, stays as it is, without its port.
func Domain(host string) string {
	host = Canonical(host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if _, err := netip.ParseAddr(host); err == nil {
		return host // whose last number is no domain
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}
