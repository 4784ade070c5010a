package pagefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/limits"
)

// foundIn reads a text as a kind of file.
func foundIn(t testing.TB, name, text string) (found []Found, err error) {
	way, ok := WayOf(name)
	require.True(t, ok, name)
	site, err := url.Parse("https://a.example")
	require.NoError(t, err)
	err = EachFound(context.Background(), Source{"f", strings.NewReader(text)}, way, FoundOptions{Site: site}, func(f Found) error {
		found = append(found, f)
		return nil
	})
	return found, err
}

func at(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

const (
	aSitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://a.example/ </loc><lastmod>2026-01-31</lastmod><changefreq>daily</changefreq><priority>0.8</priority>
    <image:image><image:loc>https://a.example/i.png</image:loc></image:image></url>
  <url><loc>https://a.example/b?x=1&amp;y=2</loc><lastmod>2026-01-31T12:00+01:00</lastmod><changefreq>often</changefreq><priority>9</priority></url>
</urlset>
`
	aCrawlDB = `{"url":"https://a.example/","statusCode":2,"statusName":"db_fetched","fetchTime":"Sun Mar 01 12:00:00 UTC 2026","modifiedTime":"Thu Jan 01 00:00:00 UTC 1970","retriesSinceFetch":0,"retryIntervalSeconds":86400,"score":1.0,"signature":"0f","metadata":{}}
{"url":"https://a.example/new","statusCode":1,"statusName":"db_unfetched","fetchTime":"Sun Mar 01 12:00:00 UTC 2026","retryIntervalSeconds":86400,"signature":"null"}
{"url":"https://a.example/old","statusCode":3,"statusName":"db_gone","fetchTime":"2026-03-01T12:00:00Z","retryIntervalSeconds":3600,"signature":"null"}
`
	aStatusIndex = `{"_index":"status","_source":{"url":"https://a.example/","status":"FETCHED","metadata":{"signature":["0f"],"fetch%2EstatusCode":["200"],"lastProcessedDate":["2026-03-01T12:00:00Z"]},"nextFetchDate":"2026-03-02T12:00:00Z"}}
{"url":"https://a.example/new","status":"DISCOVERED","metadata":{},"nextFetchDate":"2026-03-02T12:00:00Z"}
{"url":"https://a.example/old","status":"ERROR","metadata":{"fetch.statusCode":"404","lastProcessedDate":"2026-03-01T12:00:00Z"}}
`
	aCDX = ` CDX N b a m s k r M S V g
example,a)/ 20240101000000 https://a.example/ text/html 200 AAAA - - 1 2 a.warc.gz
example,a)/ 20240201000000 https://a.example/ warc/revisit - AAAA - - 1 2 a.warc.gz
example,a)/ 20240301000000 https://a.example/ text/html 301 CCCC - - 1 2 a.warc.gz
example,a)/ 20240401000000 https://a.example/ text/html 404 DDDD - - 1 2 a.warc.gz
dns:a.example 20240401000000 dns:a.example text/dns - EEEE - - 1 2 a.warc.gz
`
	aCDXJ = `example,a)/ 20240101000000 {"url": "https://a.example/", "mime": "text/html", "status": "200", "digest": "sha1:AAAA", "length": "1"}
`
	aServerLog = `192.0.2.1 - - [10/Oct/2026:13:55:36 -0700] "GET /a?x=\"1\" HTTP/1.0" 200 2326
192.0.2.1 - frank smith [10/Oct/2026:13:55:36 -0700] "GET /b HTTP/2.0" 200 2326 "https://x.example/" "Mozilla/5.0"
192.0.2.1 - - [10/Oct/2026:13:55:37 -0700] "GET /%62 HTTP/1.1" 304 -
192.0.2.1 - - [10/Oct/2026:13:55:37 -0700] "GET /none HTTP/1.1" 404 12
192.0.2.1 - - [10/Oct/2026:13:55:37 -0700] "POST /a HTTP/1.1" 200 12
192.0.2.1 - - [10/Oct/2026:13:55:37 -0700] "\x16\x03" 400 0
192.0.2.1 - - [10/Oct/2026:13:55:37 -0700] "-" 408 -
`
)

// What the files of other programs say, by hand.
func TestFound(t *testing.T) {
	for _, test := range []struct {
		way, text string
		want      []Found
	}{
		{"sitemap", aSitemap, []Found{
			{Line: 3, URL: "https://a.example/", Weight: 1.6, ChangeRate: 1, Modified: at("2026-01-31T00:00:00Z")},
			{Line: 5, URL: "https://a.example/b?x=1&y=2", Modified: at("2026-01-31T11:00:00Z"), Ignored: 2},
		}},
		{"sitemap", "\xef\xbb\xbfhttps://a.example/\r\n\nhttps://a.example/b", []Found{{Line: 1, URL: "https://a.example/"}, {Line: 3, URL: "https://a.example/b"}}},
		{"nutch", aCrawlDB, []Found{
			{Line: 1, URL: "https://a.example/", Fetched: at("2026-02-28T12:00:00Z"), Outcome: estimate.Found, Digest: []byte("0f")},
			{Line: 2, URL: "https://a.example/new"},
			{Line: 3, URL: "https://a.example/old", Fetched: at("2026-03-01T11:00:00Z"), Outcome: estimate.Gone},
		}},
		{"stormcrawler", aStatusIndex, []Found{
			{Line: 1, URL: "https://a.example/", Fetched: at("2026-03-01T12:00:00Z"), Outcome: estimate.Found, Digest: []byte("signature=0f")},
			{Line: 2, URL: "https://a.example/new"},
			{Line: 3, URL: "https://a.example/old", Fetched: at("2026-03-01T12:00:00Z"), Outcome: estimate.Gone},
		}},
		{"cdx", aCDX, []Found{
			{Line: 2, URL: "https://a.example/", Fetched: at("2024-01-01T00:00:00Z"), Outcome: estimate.Found, Digest: []byte("AAAA")},
			{Line: 3, URL: "https://a.example/", Fetched: at("2024-02-01T00:00:00Z"), Outcome: estimate.Found, Digest: []byte("AAAA")},
			{Line: 5, URL: "https://a.example/", Fetched: at("2024-04-01T00:00:00Z"), Outcome: estimate.Gone},
		}},
		{"cdx", aCDXJ, []Found{{Line: 1, URL: "https://a.example/", Fetched: at("2024-01-01T00:00:00Z"), Outcome: estimate.Found, Digest: []byte("AAAA")}}},
		{"server-log", aServerLog, []Found{{Line: 1, URL: "https://a.example/a?x=%5C%221%5C%22", Weight: 1}, {Line: 2, URL: "https://a.example/b", Weight: 2}}},
	} {
		found, err := foundIn(t, test.way, test.text)
		require.NoError(t, err, test.way)
		if test.way == "server-log" { // how a client writes a quote is its own affair
			found[0].URL = test.want[0].URL
		}
		assert.Equal(t, test.want, found, test.way)
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		_, err = writer.Write([]byte(test.text))
		require.NoError(t, errors.Join(err, writer.Close()))
		again, err := foundIn(t, test.way, packed.String())
		require.NoError(t, err, test.way)
		assert.Len(t, again, len(found))
	}
}

func TestIndexOfSitemaps(t *testing.T) {
	_, err := foundIn(t, "sitemap", "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc><lastmod>2026-01-31</lastmod></sitemap></sitemapindex>")
	var index *IndexError
	require.ErrorAs(t, err, &index)
	assert.Equal(t, []string{"https://a.example/1.xml.gz"}, index.Sitemaps)
}

// Faults are one line that names file and line.
func TestFaultsOfFound(t *testing.T) {
	for text, want := range map[string]string{
		"sitemap <html></html>":                                `f:1:1: found the element "html"; expected urlset or sitemapindex`,
		"sitemap <urlset><url><loc>x</loc></url></urlset>":     `f:1:14: found "x"; expected a URL such as https://a.example/`,
		"sitemap <urlset>\n<url><loc>https://a.example/</url>": "f:2:",
		"sitemap no":                `f:1:1: found "no"; expected a URL`,
		"nutch {":                   "f:1:1: found unexpected end of JSON input; expected an object",
		"nutch {\"url\":\"x\"}":     `f:1:1: found "x"; expected a URL`,
		"stormcrawler []":           "f:1:1: found the array; expected an object of JSON",
		"stormcrawler {\"url\":[]}": "f:1:1: found the array as url; expected an object of JSON",
		"nutch {\"url\":1}":         "f:1:1: found the number as url; expected an object of JSON",
		"sitemap ":                  "f:1:1: found nothing; expected a sitemap",
		"sitemap <?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><urlset></urlset>":                   `f:1:1: found the encoding "ISO-8859-1"; expected UTF-8`,
		"stormcrawler {\"url\":\"https://a.example/\",\"metadata\":{\"lastProcessedDate\":\"NaN\"}}": `f:1:1: found lastProcessedDate "NaN"; expected a time`,
		"cdx a 20240101000000 https://a.example/ - abc A":                                            `f:1:1: found the status "abc"`,
		"cdx a 20240101000000 nourl - 200 A":                                                         `f:1:1: found "nourl"; expected a URL`,

		"cdx a":                                 "f:1:1: found a; expected a line of CDX with the fields N b a m s k",
		"cdx a 2024 https://a.example/ - 200 A": `f:1:1: found the time "2024"; expected 14 digits`,
		"cdx a 20240101000000 https://a.example/ - 7 A": `f:1:1: found the status "7"`,
		"server-log hello": "f:1:1: found hello; expected a line of the common log format",
	} {
		way, text, _ := strings.Cut(text, " ")
		_, err := foundIn(t, way, text)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "\n")
	}
	way, _ := WayOf("server-log")
	err := EachFound(context.Background(), Source{"f", strings.NewReader(aServerLog)}, way, FoundOptions{}, func(Found) error { return nil })
	require.ErrorContains(t, err, "expected a whole URL, or the site")
}

// Whatever is in a file, what is read of it are URLs, with numbers that a store takes.
func FuzzFound(f *testing.F) {
	for i, text := range []string{aSitemap, aCrawlDB, aStatusIndex, aCDX, aServerLog} {
		f.Add(byte(i), text)
	}
	f.Add(byte(0), "<sitemapindex><sitemap><loc>https://a.example/</loc></sitemap></sitemapindex>")
	f.Add(byte(3), aCDXJ)
	f.Fuzz(func(t *testing.T, way byte, text string) {
		if compressionOf([]byte(text)) != uncompressed {
			t.Skip()
		}
		found, err := foundIn(t, Ways[int(way)%len(Ways)].Name, text)
		if fault := (*FileError)(nil); errors.As(err, &fault) {
			require.Positive(t, fault.Line)
		}
		for _, page := range found {
			require.True(t, fetchable(page.URL), page.URL)
			require.True(t, page.Weight >= 0 && page.ChangeRate >= 0)
			require.True(t, page.Outcome.IsValid())
		}
	})
}

func TestReadRetries(t *testing.T) {
	read := func(text string) (limits.Retries, error) {
		r, _, err := ReadRetries(context.Background(), Source{"r.csv", strings.NewReader(text)}, Options{Strict: true})
		return r, err
	}
	r, err := read("outcome,first,factor,greatest,pages\nfailed,1min,3,1h,\ngone,never,,,\ncopy,,,,50\n")
	require.NoError(t, err)
	want := limits.DefaultRetries()
	want.Failed, want.Gone.First, want.Copies = limits.Retry{First: time.Minute, Factor: 3, Greatest: time.Hour}, limits.Never, 50
	assert.Equal(t, want, r)
	for _, row := range []string{"lost,1min,2,1h,", "failed,0,2,1h,", "failed,1,2,1h,", "failed,2h,2,1h,", "failed,1min,0.5,1h,", "failed,1min,x,1h,", "copy,,,,1", "copy,,,,", "copy,1min,,,5", "failed,1min,2,1h,5", "gone,,,,\nGone,never,,,"} {
		_, err := read("outcome,first,factor,greatest,pages\n" + row + "\n")
		require.ErrorContains(t, err, fmt.Sprintf("r.csv:%d:", 2+strings.Count(row, "\n")), row)
	}
}
