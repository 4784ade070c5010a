package urlhost

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHostOf(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example/":                 "a.example",
		"https://a.example":                  "a.example",
		"https://a.example?q=https://b/":     "a.example",
		"https://a.example#top":              "a.example",
		"HTTP://WWW.A.Example:80/x":          "www.a.example",
		"https://WWW.A.Example:8443/x":       "www.a.example:8443",
		"https://a.example:443/":             "a.example",
		"http://a.example:443/":              "a.example:443",
		"http://a.example:/":                 "a.example",
		"ftp://a.example:80/":                "a.example:80",
		"https://user:secret@A.example/":     "a.example",
		"http://[2001:DB8::1]:80/":           "[2001:db8::1]",
		"http://[2001:DB8::1]:8080/":         "[2001:db8::1]:8080",
		"https://BÜCHER.example/":            "bücher.example",
		"https://a.example/100%/<not>/right": "a.example",
		"view-source://a.example/":           "a.example",
	} {
		host, ok := Of([]byte(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, string(host), text)
	}
	for _, text := range []string{
		"", "a", "17", "a.example", "a.example/x", "//a.example/", "/x", "mailto:a@a.example", "https:///x", "file:///x", "https://:443/",
		"https://", "://a.example/", "1http://a.example/", "https://a b/", "https://a.example:x/", "https://%zz/", "https://[::1/", "https://\xff/",
		"a.example/x?u=https://b.example/", "https://a:b:80/", `https://a.example\x`, "https://%ff/",
	} {
		host, ok := Of([]byte(text))
		assert.False(t, ok, "%q: %q", text, host)
	}
}

func TestDomain(t *testing.T) {
	for host, want := range map[string]string{
		"example.org":              "example.org",
		"www.example.org":          "example.org",
		"a.b.example.org:8080":     "example.org",
		"www.example.org.":         "example.org",
		"WWW.Example.org":          "example.org",
		"www.example.co.uk":        "example.co.uk",
		"co.uk":                    "co.uk",
		"someone.github.io":        "someone.github.io",
		"www.bücher.de":            "xn--bcher-kva.de",
		"www.xn--bcher-kva.de":     "xn--bcher-kva.de",
		"www.食狮.公司.cn":             "xn--85x722f.xn--55qx5d.cn",
		"localhost":                "localhost",
		"192.0.2.7":                "192.0.2.7",
		"192.0.2.7:80":             "192.0.2.7",
		"[2001:db8::1]":            "2001:db8::1",
		"[2001:db8::1]:8080":       "2001:db8::1",
		"the machine in the attic": "the machine in the attic",
		"a..b":                     "a..b",
		"":                         "",
	} {
		assert.Equal(t, want, Domain(host), host)
	}
}

// The host is what net/url makes of a URL that it can read, in lower case and
// without the port that goes without saying, and is its own host.
func FuzzHost(f *testing.F) {
	for _, text := range []string{"https://A.example:443/x?y#z", "http://u@[::1]:80", "ftp://é.example:21/", "x://a_b:/", "https://a%20b/"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		host, ok := Of(text)
		require.Equal(t, before, text)
		parsed, err := url.Parse(string(text))
		if err == nil && bytes.Contains(text, []byte("://")) && parsed.Hostname() != "" && utf8.ValidString(parsed.Host) && !strayColon(parsed) {
			require.True(t, ok)
			want := strings.ToLower(parsed.Host)
			if port := map[string]string{"http": "80", "https": "443"}[parsed.Scheme]; parsed.Port() == "" || parsed.Port() == port {
				want = strings.TrimSuffix(want, ":"+parsed.Port())
			}
			require.Equal(t, want, string(host))
		}
		if !ok || bytes.ContainsAny(host, "%") {
			return
		}
		again, ok := Of([]byte("x://" + string(host)))
		require.True(t, ok)
		require.Equal(t, string(host), string(again))
	})
}
