package pagefile

// This file reads what the databases of crawlers say of pages, as JSON lines.

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// eachObject decodes the object of each line into a T.
func eachObject[T any](f *foundReader, found func(object T, line int) (Found, *FileError)) error {
	return f.eachLine(func(text []byte, line int) error {
		var object T
		if err := json.Unmarshal(text, &object); err != nil {
			return faultAt(line, 1, notJSON(err), "an object of JSON on each line")
		}
		page, fault := found(object, line)
		switch {
		case fault != nil:
			return fault
		case !fetchable(page.URL):
			return notURL(line, 1, page.URL)
		}
		page.Line = line
		return f.take(page)
	})
}

// notJSON words the error of decoding without the types of this program.
func notJSON(err error) string {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		found := "the " + kind.Value
		if kind.Field != "" {
			found += " as " + kind.Field[strings.LastIndex(kind.Field, ".")+1:]
		}
		return found
	}
	return err.Error()
}

// javaTime is how java.util.Date writes a time, in UTC.
const javaTime = "Mon Jan 02 15:04:05 UTC 2006"

// nutch reads the CrawlDb of Nutch. This has the time of the next access; the last one was an interval
// before that. A page that was not fetched, or has moved, is taken as a page without an access.
func (f *foundReader) nutch() error {
	return eachObject(f, func(o struct {
		URL       string  `json:"url"`
		Status    string  `json:"statusName"`
		Fetch     string  `json:"fetchTime"`
		Interval  float64 `json:"retryIntervalSeconds"`
		Signature string  `json:"signature"`
	}, line int,
	) (page Found, fault *FileError) {
		page.URL = o.URL
		switch o.Status {
		case "db_fetched", "db_notmodified", "db_duplicate":
			page.Outcome = estimate.Found
			if o.Signature != "" && o.Signature != "null" {
				page.Digest = []byte(o.Signature)
			}
		case "db_gone":
			page.Outcome = estimate.Gone
		default:
			return page, nil
		}
		next, err := time.Parse(javaTime, o.Fetch)
		if err != nil {
			next, err = unit.ParseTime(o.Fetch)
		}
		if err != nil || !(o.Interval >= 0 && o.Interval < 1e9) {
			return page, faultAt(line, 1, "fetchTime "+string(jsonscan.AppendText(nil, o.Fetch)), "a time in UTC, such as "+javaTime+", and retryIntervalSeconds (run Nutch with TZ=UTC)")
		}
		page.Fetched = next.Add(-time.Duration(o.Interval * float64(time.Second))).UTC()
		return page, nil
	})
}

// A stormCrawlerPage is a document of StormCrawler's status index.
type stormCrawlerPage struct {
	URL      string                     `json:"url"`
	Status   string                     `json:"status"`
	Metadata map[string]json.RawMessage `json:"metadata"`
}

// value returns the first value of metadata, whose dots OpenSearch has as %2E.
func (p *stormCrawlerPage) value(name string) string {
	for _, key := range []string{name, strings.ReplaceAll(name, ".", "%2E")} {
		var one string
		var all []string
		switch raw := p.Metadata[key]; {
		case raw == nil:
		case json.Unmarshal(raw, &one) == nil:
			return one
		case json.Unmarshal(raw, &all) == nil && len(all) > 0:
			return all[0]
		}
	}
	return ""
}

// stormCrawler reads the status index of StormCrawler: documents as they are, or as they are exported with
// _source. The time of the last access is the metadata lastProcessedDate.
func (f *foundReader) stormCrawler() error {
	return eachObject(f, func(o struct {
		Source *stormCrawlerPage `json:"_source"`
		stormCrawlerPage
	}, line int,
	) (page Found, fault *FileError) {
		p := o.Source
		if p == nil {
			p = &o.stormCrawlerPage
		}
		page.URL = p.URL
		date := p.value("lastProcessedDate")
		if date == "" {
			return page, nil
		}
		at, err := unit.ParseTime(date)
		if err != nil {
			return page, faultAt(line, 1, "lastProcessedDate "+wording.Quote(date), "a time such as 2026-01-31T12:00:00Z")
		}
		switch p.Status {
		case "FETCHED":
			page.Outcome = estimate.Found
			if digest := p.value("signature"); digest != "" {
				page.Digest = []byte("signature=" + digest) // the form in which the URLFrontier service records it
			}
		case "FETCH_ERROR":
			page.Outcome = estimate.Failed
		case "ERROR":
			page.Outcome = estimate.Failed
			if code := p.value("fetch.statusCode"); code == "404" || code == "410" {
				page.Outcome = estimate.Gone
			}
		default: // it was discovered, or has moved
			return page, nil
		}
		page.Fetched = at
		return page, nil
	})
}
