// This file reads the rules of a robots.txt: RFC 9309, and crawl-delay.

package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// robotsRules are the rules of a robots.txt for one crawler. The zero value allows everything.
type robotsRules struct {
	paths []pathRule
	delay time.Duration // crawl-delay, or 0
}

// pathRule allows or forbids the paths that match a pattern.
type pathRule struct {
	pattern string // as encoded makes it; * stands for any characters, $ at the end for the end
	allow   bool
}

// parseRobotsText returns the rules for a user agent: those of all groups that name it, or else those
// of the groups of "*". It skips lines that it does not understand, as RFC 9309 demands
// (section 2.2.4): one slip must not cost the rules around it.
func parseRobotsText(text, userAgent string) robotsRules {
	var named, others robotsRules
	var isNamed, toNamed, toOthers, naming bool // of the group that is being read: whom it is for; it may get more names
	product := productToken(userAgent)
	for line := range strings.FieldsFuncSeq(strings.TrimPrefix(text, "\ufeff"), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if !naming {
				toNamed, toOthers, naming = false, false, true
			}
			toOthers = toOthers || value == "*"
			toNamed = toNamed || value != "*" && strings.EqualFold(productToken(value), product)
			isNamed = isNamed || toNamed
			continue
		case "allow", "disallow", "crawl-delay":
			naming = false
		default:
			continue
		}
		if toNamed {
			named.add(key, value)
		}
		if toOthers {
			others.add(key, value)
		}
	}
	if isNamed {
		return named
	}
	return others
}

// productToken returns the name in a user agent, without version and remarks.
func productToken(userAgent string) string {
	if end := strings.IndexAny(userAgent, "/ \t(;"); end >= 0 {
		return userAgent[:end]
	}
	return userAgent
}

// add takes in a line of a group.
func (r *robotsRules) add(key, value string) {
	if key == "crawl-delay" {
		const most = 1e9 // seconds; a time.Duration ends at 9.2e9
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 && !math.IsInf(seconds, 0) {
			r.delay = time.Duration(min(seconds, most) * float64(time.Second))
		}
		return
	}
	if value == "" {
		return // "Disallow:" forbids nothing
	}
	if value[0] != '/' && value[0] != '*' {
		value = "/" + value
	}
	pattern, isEnd := strings.CutSuffix(value, "$")
	pattern = encoded(pattern, "*")
	if isEnd {
		pattern += "$"
	}
	r.paths = append(r.paths, pathRule{pattern, key == "allow"})
}

// allows reports whether a path, with its query, may be fetched. The longest pattern that matches decides,
// and of two equally long rules the one that allows.
func (r *robotsRules) allows(path string) bool {
	path = encoded(path, "")
	allow, longest := true, -1
	for _, rule := range r.paths {
		length := len(rule.pattern)
		if (length > longest || length == longest && rule.allow) && matches(rule.pattern, path) {
			allow, longest = rule.allow, length
		}
	}
	return allow
}

// matches reports whether a pattern matches the beginning of a path, or with $ the whole of it.
// Where the text after a * does not match, that * takes one character more; no * before
// it needs to.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	if !whole {
		pattern += "*"
	}
	at, star, taken := 0, -1, 0 // the place in pattern; that of its last *; the place in path up to which this * matches
	for i := 0; i < len(path); {
		switch {
		case at < len(pattern) && pattern[at] == '*':
			star, taken = at, i
			at++
		case at < len(pattern) && pattern[at] == path[i]:
			at++
			i++
		case star >= 0:
			taken++
			at, i = star+1, taken
		default:
			return false
		}
	}
	return strings.Trim(pattern[at:], "*") == ""
}

// encoded returns a path in the one form in which paths are compared (RFC 9309, section 2.2.2):
// letters, digits and -._~ as they are, reserved characters as they stand, and everything else
// in percent-encoding with capital letters. Of * and $, which mean something in patterns, it
// encodes those that are not in special.
func encoded(path, special string) string {
	const plain = "-._~!'();:@&=+,/?#[]"
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c, isEncoded := path[i], false
		if c == '%' && i+2 < len(path) {
			if code, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c, isEncoded = byte(code), true
				i += 2
			}
		}
		isLetter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		switch {
		case isLetter || strings.IndexByte("-._~", c) >= 0,
			!isEncoded && (strings.IndexByte(plain, c) >= 0 || strings.IndexByte(special, c) >= 0):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
