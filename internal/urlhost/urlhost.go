// Package urlhost finds the host of a URL as crawlers count hosts, and its registered
// domain.
package urlhost

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Of returns the host of a URL as crawlers count hosts: as [Canonical] writes it, with
// the port unless it is the default of http or https. What comes after
// the host is ignored, as addresses found on the web are often not quite
// what RFC 3986 allows.
func Of(text []byte) (host []byte, ok bool) {
	scheme, rest, found := bytes.Cut(text, []byte("://"))
	if !found {
		return nil, false
	}
	if end := bytes.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	port := defaultPorts[string(scheme)]
	plain, lower := scanHost(rest)
	if !plain || port == "" {
		return unusualHost(text[:len(scheme)+len("://")+len(rest)])
	}
	host = bytes.TrimSuffix(rest, []byte(port))
	if !lower {
		host = bytes.ToLower(host)
	}
	return host, len(host) > 0
}

// defaultPorts are the ports, with a colon, that need not be given.
var defaultPorts = map[string]string{"http": ":80", "https": ":443"}

// scanHost reports whether a host is a name of ordinary letters without a final dot,
// with a port of digits or none, and whether it is in lower case.
func scanHost[T string | []byte](host T) (plain, lower bool) {
	lower = true
	for i := range len(host) {
		switch c := host[i]; {
		case c == '.':
			if i+1 == len(host) || host[i+1] == ':' {
				return false, lower
			}
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		case 'A' <= c && c <= 'Z':
			lower = false
		case c == ':':
			return i > 0 && isPort(string(host[i+1:])), lower
		default:
			return false, false
		}
	}
	return true, lower
}

func isPort(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// unusualHost leaves user names, addresses in brackets, other alphabets and the like
// to the standard library.
func unusualHost(text []byte) (host []byte, ok bool) {
	parsed, err := url.Parse(string(text))
	if err != nil || !utf8.ValidString(parsed.Host) || strayColon(parsed) {
		return nil, false
	}
	host = []byte(Canonical(strings.TrimSuffix(parsed.Host, defaultPorts[parsed.Scheme])))
	return host, len(host) > 0 && host[0] != ':'
}

// strayColon reports a colon that is neither in brackets nor before the port.
func strayColon(parsed *url.URL) bool {
	return !strings.HasPrefix(parsed.Host, "[") && strings.Contains(parsed.Hostname(), ":")
}
