package pagefile

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"
)

// hostOf returns the host of a URL as crawlers count hosts: in lower case, with
// the port unless it is the one that http or https have anyway. What comes after
// the host is not looked at, as addresses found on the web are often not quite
// what RFC 3986 allows. The result is a part of the text, or written to space.
func hostOf(text, space []byte) (host []byte, ok bool) {
	scheme, rest, found := bytes.Cut(text, []byte("://"))
	if !found {
		return nil, false
	}
	if end := bytes.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	plain, lower := scanHost(rest)
	if !plain || !isScheme(scheme) {
		return unusualHost(text[:len(scheme)+len("://")+len(rest)])
	}
	if port := defaultPort(scheme); port != "" {
		rest = bytes.TrimSuffix(rest, []byte(port))
	}
	if !lower {
		rest = append(space[:0], rest...)
		for i, c := range rest {
			if 'A' <= c && c <= 'Z' {
				rest[i] = c + 'a' - 'A'
			}
		}
	}
	return rest, len(rest) > 0
}

// scanHost reports whether a host is a name of ordinary letters, with a port of
// digits or none, and whether it is in lower case.
func scanHost(host []byte) (plain, lower bool) {
	lower = true
	for i, c := range host {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '-', c == '_':
		case 'A' <= c && c <= 'Z':
			lower = false
		case c == ':':
			port := host[i+1:]
			return i > 0 && len(port) > 0 && len(bytes.Trim(port, "0123456789")) == 0, lower
		default:
			return false, false
		}
	}
	return true, lower
}

// isScheme reports whether a text is http or https in lower case, or another
// word of small letters.
func isScheme(text []byte) bool {
	for _, c := range text {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return len(text) > 0
}

// defaultPort returns the port, with its colon, that goes without saying.
func defaultPort(scheme []byte) string {
	switch string(scheme) {
	case "http":
		return ":80"
	case "https":
		return ":443"
	}
	return ""
}

// unusualHost leaves users, addresses in brackets, names in other alphabets and
// the like to the standard library.
func unusualHost(text []byte) (host []byte, ok bool) {
	parsed, err := url.Parse(string(text))
	if err != nil || parsed.Hostname() == "" || !utf8.ValidString(parsed.Host) || strayColon(parsed) {
		return nil, false
	}
	name := strings.ToLower(parsed.Host)
	name = strings.TrimSuffix(name, defaultPort([]byte(parsed.Scheme)))
	return []byte(strings.TrimSuffix(name, ":")), true
}

// strayColon reports a colon that is neither in brackets nor before the port.
func strayColon(parsed *url.URL) bool {
	return parsed.Host[0] != '[' && strings.Contains(parsed.Hostname(), ":")
}
