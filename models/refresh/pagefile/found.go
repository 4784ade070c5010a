package pagefile

// This file reads what other programs say of pages: sitemaps, the databases of crawlers, indexes of
// archives and logs of web servers.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// A Found is what a file of another program says of a page. What it does not say is zero.
type Found struct {
	Line       int
	URL        string
	Weight     float64   // how much the page is worth; 0 if nothing is said of it, which counts as 1
	ChangeRate float64   // a first guess of changes per day
	Modified   time.Time // when the page has last changed
	Fetched    time.Time // when it was accessed, with the outcome and the digest that follow
	Outcome    estimate.Outcome
	Digest     []byte // of what was found
	Ignored    int    // values that say nothing: of a sitemap, lastmod, changefreq and priority outside of the protocol
}

// A Way is a kind of file from which pages come.
type Way struct {
	Name string
	Says string // what the file says, for help
	// OnlyWeights says that the file has weights alone, for pages that are in the store already.
	OnlyWeights bool

	read func(f *foundReader) error
}

// Ways are all kinds of files.
var Ways = []Way{
	{"sitemap", "XML or one URL a line: new pages, and changes of others", false, (*foundReader).sitemap},
	{"nutch", "nutch readdb -dump -format json: pages and their last access", false, (*foundReader).nutch},
	{"stormcrawler", "the status index as JSON lines: pages and their last access", false, (*foundReader).stormCrawler},
	{"cdx", "CDX or CDXJ index of WARC files: pages and all accesses", false, (*foundReader).cdx},
	{"server-log", "log of a web server in the common format: requests as weights", true, (*foundReader).serverLog},
}

// WayOf returns the way with a name.
func WayOf(name string) (way Way, ok bool) {
	at := slices.IndexFunc(Ways, func(w Way) bool { return w.Name == name })
	if at < 0 {
		return way, false
	}
	return Ways[at], true
}

// An IndexError says that a file is an index of sitemaps, which are to be fetched and read.
type IndexError struct{ Sitemaps []string }

// Error returns the message.
func (e *IndexError) Error() string {
	return fmt.Sprintf("an index of %s: fetch and read these", wording.Count(len(e.Sitemaps), "sitemap"))
}

// A foundReader reads a file.
type foundReader struct {
	ctx  context.Context
	in   *bufio.Reader
	take func(Found) error
	FoundOptions
}

// FoundOptions say how to read the log of a server.
type FoundOptions struct {
	Site     *url.URL // https://a.example, of the paths in the log; nil if it has whole URLs
	KeepURLs bool     // count requests by URLs as they are, not as [urlhost.Normal] writes them
}

// EachFound calls take with what a file says of each page, as [EachVisit] does; the file may be
// compressed. An index of sitemaps ends it with an [*IndexError].
func EachFound(ctx context.Context, source Source, way Way, options FoundOptions, take func(Found) error) error {
	in, err := source.open()
	if err != nil {
		return err
	}
	defer in.close()
	err = way.read(&foundReader{ctx, in.reader, func(f Found) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return take(f)
	}, options})
	var fault *FileError
	switch {
	case err == nil || errors.As(err, new(*IndexError)) || ctx.Err() != nil:
		return err
	case errors.As(err, &fault):
		fault.File = in.name
		return fault
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// eachLine calls take with the lines of a text that are not blank.
func (f *foundReader) eachLine(take func(line []byte, number int) error) error {
	lines := bufio.NewScanner(f.in)
	lines.Buffer(nil, maxRecord)
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), byteOrderMark))
		if len(line) == 0 {
			continue
		}
		if err := take(line, number); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return faultAt(number+1, 1, fmt.Sprintf("a row of more than %d bytes", maxRecord), "a shorter one")
	}
	return lines.Err()
}

// fetchable reports whether a text is a URL of a page.
func fetchable(text string) bool {
	_, ok := urlhost.Of([]byte(text))
	return ok
}

// notURL says that what should be the URL of a page is none.
func notURL(line, column int, text string) *FileError {
	return faultAt(line, column, wording.Quote(text), "a URL such as https://a.example/")
}
