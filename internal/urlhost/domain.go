package urlhost

// This file finds the registered domain of a host.

import (
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Domain returns the registered domain of a host as [Of] returns it, such as example.org
// of www.example.org:8080, by the public suffix list, in lower case and in ASCII. What has
// none, such as an IP address or a public suffix, stays as it is, without its port.
func Domain(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(host, ".")
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return strings.Trim(host, "[]") // whose last number is no domain
	}
	if ascii, err := idna.ToASCII(host); err == nil {
		host = ascii
	}
	host = strings.ToLower(host)
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}
