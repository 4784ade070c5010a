package urlhost

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The equivalences of RFC 3986, 6.2.2 and 6.2.3, among them its own examples.
func TestNormal(t *testing.T) {
	for text, want := range map[string]string{
		"HTTP://www.EXAMPLE.com/":            "http://www.example.com/",
		"http://example.com":                 "http://example.com/",
		"http://example.com:/":               "http://example.com/",
		"http://example.com:80/":             "http://example.com/",
		"https://x":                          "https://x/",
		"https://X/":                         "https://x/",
		"https://x:443/#a":                   "https://x/",
		"https://x:80/":                      "https://x:80/",
		"https://x?q=/../#f":                 "https://x/?q=/../",
		"https://x/?":                        "https://x/?",
		"https://x/a/b/c/./../../g":          "https://x/a/g",
		"https://x/mid/content=5/../6":       "https://x/mid/6",
		"https://x/a/..":                     "https://x/",
		"https://x/a/.":                      "https://x/a/",
		"https://x/../a":                     "https://x/a",
		"https://x//a//":                     "https://x//a//",
		"https://x/.well-known/..a":          "https://x/.well-known/..a",
		"https://x/%7Efoo/%2e%2E/b%3a%C3%b6": "https://x/b%3A%C3%B6",
		"https://x/%7Efoo/%zz?%41":           "https://x/~foo/%zz?A",
		"https://x/%zz/../%41":               "https://x/A",
		"https://x/%%341":                    "https://x/%%341",
		"https://x/%4":                       "https://x/%4",
		"https://x/a%2Fb":                    "https://x/a%2Fb",
		"https://User@X/":                    "https://User@x/",
		"https://Bücher.example":             "https://xn--bcher-kva.example/",
		"https://[::FFFF]:443/":              "https://[::ffff]/",
		"ftp://X/":                           "ftp://X/",
		"page 7#a":                           "page 7#a",
		"https://":                           "https://",
	} {
		assert.Equal(t, want, Normal(text), text)
	}
}

// A normal URL stays as it is, and has the same host.
func FuzzNormal(f *testing.F) {
	f.Add("HTTPS://u@A.example.:443/%7e/../?%41#b")
	f.Add("http://[::1]:80")
	f.Add("https://x/%2%25e")
	f.Add("https://x/%7x/../%41")
	f.Fuzz(func(t *testing.T, text string) {
		normal := Normal(text)
		if again := Normal(normal); again != normal {
			t.Fatalf("%q is made %q, and that %q", text, normal, again)
		}
		scheme, _, _ := strings.Cut(text, "://")
		if host, ok := Of([]byte(strings.ToLower(scheme) + text[len(scheme):])); ok && normal != text {
			if again, ok := Of([]byte(normal)); !ok || !bytes.Equal(again, host) {
				t.Fatalf("%q has the host %q, and %q has %q", text, host, normal, again)
			}
		}
	})
}
