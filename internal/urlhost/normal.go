package urlhost

// This file gives the URLs of one page one form.

import (
	"bytes"
	"strconv"
	"strings"
)

// Normal returns the normal form of a URL, the same for all URLs that are equivalent by RFC 3986,
// 6.2.2 and 6.2.3. It has the scheme in lower case, the host as [Canonical] has it, no default port,
// "/" for an empty path, no dot segments, and escapes in capitals and only where they are needed.
// The fragment, which no server sees, is left out. A text that is no URL of http or https stays as it
// is.
func Normal(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	scheme = strings.ToLower(scheme)
	if !found || defaultPorts[scheme] == "" {
		return text
	}
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	user := strings.LastIndexByte(rest[:end], '@') + 1
	host, ok := Of([]byte(scheme + "://" + rest[user:end]))
	if !ok || bytes.IndexByte(host, '%') >= 0 {
		return text
	}
	path, query, hasQuery := strings.Cut(rest[end:], "?")
	normal := scheme + "://" + rest[:user] + string(host) + normalPath(path)
	if hasQuery {
		normal += "?" + fewEscapes(query)
	}
	return normal
}

// normalPath writes each segment of a path with few escapes and removes the segments . and ..
// (RFC 3986, 5.2.4).
func normalPath(path string) string {
	if path == "" {
		return "/"
	}
	if !strings.Contains(path, "/.") && !strings.Contains(path, "%") {
		return path
	}
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		segment = fewEscapes(segment)
		if segment != "." && segment != ".." {
			kept = append(kept, segment)
			continue
		}
		if segment == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if i == len(segments)-1 {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

// fewEscapes writes letters, digits and -._~ as they are, and other escapes in capitals. A segment
// or query with a percent sign that is no escape stays as it is.
func fewEscapes(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		code, err := strconv.ParseUint(text[min(i+1, len(text)):min(i+3, len(text))], 16, 8)
		if err != nil || i+3 > len(text) {
			return text
		}
		switch c := byte(code); {
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString(strings.ToUpper(text[i : i+3]))
		}
		i += 2
	}
	return b.String()
}
