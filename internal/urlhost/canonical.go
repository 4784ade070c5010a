package urlhost

// This file gives the names of a host one form.

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Canonical returns the name under which a host is known, of all that it can be given: in lower
// case and in ASCII (xn--bcher-kva.example for Bücher.example), without a dot or an empty port
// after it, addresses of IPv6 in their shortest form in brackets. A port stays, as the name
// alone, without a scheme, does not tell the default port. A name with a blank inside is the
// name of no host: only blanks around it are removed.
func Canonical[T string | []byte](host T) T {
	switch plain, lower := scanHost(host); {
	case plain && lower:
		return host
	case plain:
		return T(strings.ToLower(string(host)))
	}
	return T(canonical(string(host)))
}

func canonical(host string) string {
	const most = 10
	for range most { // a letter of another script may stand for a dot or a blank
		before := host
		if host = canonicalOnce(host); host == before {
			break
		}
	}
	return host
}

func canonicalOnce(host string) string {
	host = strings.TrimSpace(host)
	if !utf8.ValidString(host) || strings.Contains(host, " ") {
		return host
	}
	name, port := host, ""
	if i := strings.LastIndexByte(host, ':'); i >= 0 && (strings.HasSuffix(host[:i], "]") || !strings.Contains(host[:i], ":")) {
		if rest := host[i+1:]; rest == "" || isPort(rest) {
			name, port = host[:i], strings.TrimSuffix(host[i:], ":")
		}
	}
	name = strings.TrimRight(name, ".")
	if address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")); err == nil && address.Is6() {
		return "[" + address.String() + "]" + port
	}
	if ascii, err := names.ToASCII(name); err == nil {
		return ascii + port
	}
	return strings.ToLower(name) + port
}

// names is how names of hosts are looked up, as in UTS #46.
var names = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true))
