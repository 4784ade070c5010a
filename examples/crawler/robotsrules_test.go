package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestRobotsPaths has the examples of RFC 9309, sections 2.2.2, 2.2.3 and 5.2, and what sites often write.
func TestRobotsPaths(t *testing.T) {
	for _, c := range []struct{ rules, allowed, forbidden string }{
		{"Allow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/ /other", "/example/page/disallowed.gif"},
		{"Disallow: /foo/bar?baz=quz", "/foo/bar", "/foo/bar?baz=quz"},
		{"Disallow: /foo/bar/ツ", "/foo/bar/", "/foo/bar/%E3%83%84 /foo/bar/%e3%83%84"},
		{"Disallow: /foo/bar/%E3%83%84", "/foo/bar/%E3%83%85", "/foo/bar/%E3%83%84"},
		{"Disallow: /foo/bar/%62%61%7A", "/foo/bar/bay", "/foo/bar/baz"},
		{"Disallow: /~joe/", "/joe/", "/~joe/ /%7ejoe/ /%7Ejoe/"},
		{"Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-x.html", "/path/file-with-a-*.html"},
		{"Disallow: /path/foo-%24", "/path/foo-", "/path/foo-$ /path/foo-%24"},
		{"Disallow: /this/*/exactly", "/this/exactly", "/this/a/b/exactly/so"},
		{"Disallow: *.gif$", "/a.gif?x /a.gif/b", "/a.gif /b/c.gif.gif"},
		{"Allow: /$\nDisallow: /", "/", "/dir/ /a"},                 // the first page alone
		{"Disallow: /private*/x", "/a/private1/x", "/private1/x/y"}, // from the beginning of the path
		{"Disallow: /a\nAllow: /a", "/a", ""},                       // of two equally long rules, the one that allows
		{"Disallow:", "/ /a", ""},
		{"Disallow: a%2fb", "/a/b", "/a%2Fb /a%2fb"},
		{"Disallow: /100%", "/100", "/100% /100%25"},
		{"Disallow: /a # not /b", "/b", "/a"},
		{"Disallow: /*a*a*a*a*a*a*a*a*b", "/" + strings.Repeat("a", 5000), "/aaaaaaaab"},
	} {
		rules := parseRobotsText("User-agent: *\n"+c.rules, "crawler")
		for path := range strings.FieldsSeq(c.allowed) {
			assert.True(t, rules.allows(path), "%q: %.40s", c.rules, path)
		}
		for path := range strings.FieldsSeq(c.forbidden) {
			assert.False(t, rules.allows(path), "%q: %s", c.rules, path)
		}
	}
}

// TestRobotsGroups has groups for others, groups that belong together, and lines that nobody understands.
func TestRobotsGroups(t *testing.T) {
	const text = "\ufeffDisallow: /before\r\n" + `<html>
user-agent : *
Disallow:

User-Agent: EXAMPLEbot/2.1 (a remark)
User-agent: other
Crawl-delay: soon
Disallow: /a
Sitemap: https://a.example/map
crawl-delay: 2.5

User-agent: bad
Disallow: /

User-agent: examplebot
Disallow: /b`
	mine := parseRobotsText(text, "ExampleBot/1.0")
	assert.Equal(t, robotsRules{[]pathRule{{"/a", false}, {"/b", false}}, 2500 * time.Millisecond}, mine)
	assert.Equal(t, robotsRules{}, parseRobotsText(text, "example"))
	bad := parseRobotsText(text, "bad")
	assert.False(t, bad.allows("/"))
	both := parseRobotsText("User-agent: a\nUser-agent: *\nDisallow: /x", "b")
	assert.True(t, both.allows("/y"))
	assert.False(t, both.allows("/x"))
	assert.Positive(t, parseRobotsText("User-agent: *\nCrawl-delay: 1e300", "b").delay)
	assert.Zero(t, parseRobotsText("User-agent: *\nCrawl-delay: NaN\nCrawl-delay: -1\nCrawl-delay: inf", "b").delay)
}
