package urlhost

import (
	"bytes"
	"math/rand/v2"
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
		"https://BÜCHER.example/":            "xn--bcher-kva.example",
		"https://A.Example./x":               "a.example",
		"https://a.example.:443/x":           "a.example",
		"http://a.example.:8080":             "a.example:8080",
		"https://u@A.example.:443/":          "a.example",
		"http://[2001:db8:0::0:1]/":          "[2001:db8::1]",
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
		"a.example/x?u=https://b.example/", "https://a:b:80/", "https://./", "https://.:443/", `https://a.example\x`, "https://%ff/",
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

// The one form of a name is its own one form.
func TestCanonicalNamesStay(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("aB.。．\u00ad\t :8[]-üß٠")
	for range 20_000 {
		name := make([]rune, 1+random.IntN(6))
		for i := range name {
			name[i] = letters[random.IntN(len(letters))]
		}
		once := Canonical(string(name))
		require.Equal(t, once, Canonical(once), "%q", string(name))
	}
}

// All names of a host have one form, which stays as it is.
func TestCanonical(t *testing.T) {
	for want, names := range map[string][]string{
		"a.example":             {"a.example", "A.EXAMPLE", "a.example.", "A.Example.", "a.example:", " a.example. "},
		"a.example:8080":        {"A.example:8080", "a.example.:8080"},
		"xn--bcher-kva.example": {"bücher.example", "BÜCHER.example.", "XN--BCHER-KVA.example", "bu\u0308cher.example", "bücher。example"},
		"a_b.example":           {"A_B.example."},
		"[2001:db8::1]":         {"2001:DB8::1", "[2001:db8:0::1]", "[2001:db8::1]:"},
		"[2001:db8::1]:80":      {"[2001:DB8::0:1]:80"},
		"192.0.2.7":             {"192.0.2.7", "192.0.2.7."},
		"team_ä:x":              {"Team_Ä:X"},
		"Team A.":               {"Team A.", "Team A. "},
		"17":                    {"17"},
		"":                      {"", ".", ".."},
		"\xffA":                 {"\xffA"},
	} {
		for _, name := range names {
			assert.Equal(t, want, Canonical(name), name)
			assert.Equal(t, want, string(Canonical([]byte(name))), name)
		}
		assert.Equal(t, want, Canonical(want))
	}
}

// The host of a URL that net/url can read is what that makes of it, in lower case and
// without a default port; otherwise it is its own host.
func FuzzHost(f *testing.F) {
	for _, text := range []string{"https://A.example:443/x?y#z", "http://u@[::1]:80", "ftp://é.example:21/", "x://a_b:/", "https://a%20b/", "http://a..:80/"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		host, ok := Of(text)
		require.Equal(t, before, text)
		parsed, err := url.Parse(string(text))
		if err == nil && bytes.Contains(text, []byte("://")) && isASCII(parsed.Host) && !strings.Contains(parsed.Host, " ") && !strings.Contains(parsed.Hostname(), ":") {
			want := strings.TrimRight(strings.ToLower(parsed.Hostname()), ".")
			if port := parsed.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[parsed.Scheme] {
				want += ":" + port
			}
			if ok = ok && want != ""; ok {
				require.Equal(t, want, string(host))
			} else {
				require.Empty(t, strings.Trim(parsed.Hostname(), "."))
			}
		}
		if !ok {
			return
		}
		require.Equal(t, string(host), Canonical(string(host)))
		if bytes.ContainsAny(host, "%") {
			return
		}
		again, ok := Of([]byte("x://" + string(host)))
		require.True(t, ok)
		require.Equal(t, string(host), string(again))
	})
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) < 0
}
