package pagefile

// This file reads sitemaps (sitemaps.org, protocol 0.9).

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/number"
	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// changeFrequencies are those of the protocol, in changes per day. A page that changes with each
// access is taken to do so every quarter of an hour, an archived one every ten years.
var changeFrequencies = map[string]float64{
	"always": 96, "hourly": 24, "daily": 1, "weekly": 1. / 7, "monthly": 1. / 30, "yearly": 1. / 365, "never": 1. / 3650,
}

// sitemap reads a sitemap: XML, or a URL on each line. It ignores a lastmod, changefreq or priority that
// does not follow the protocol. The priority 0.5, which pages without one have, is a weight of 1.
func (f *foundReader) sitemap() error {
	head := (&input{reader: f.in}).head(1 << 10)
	if len(head) == 0 {
		if _, err := f.in.Peek(1); !errors.Is(err, io.EOF) {
			return err
		}
		return faultAt(1, 1, "nothing", "a sitemap")
	}
	if !bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n"), []byte("<")) {
		return f.eachLine(func(line []byte, number int) error {
			if !fetchable(string(line)) {
				return notURL(number, 1, string(line))
			}
			return f.take(Found{Line: number, URL: string(line)})
		})
	}
	decoder := xml.NewDecoder(f.in)
	decoder.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if strings.EqualFold(label, "us-ascii") {
			return in, nil
		}
		return nil, faultAt(1, 1, "the encoding "+wording.Quote(label), "UTF-8, as sitemaps have it")
	}
	isIndex, known := false, false
	var index IndexError
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && known {
			break
		}
		if err != nil {
			return xmlFault(decoder, err)
		}
		start, is := token.(xml.StartElement)
		if !is {
			continue
		}
		line, column := decoder.InputPos()
		if !known {
			known, isIndex = true, start.Name.Local == "sitemapindex"
			if !isIndex && start.Name.Local != "urlset" {
				return faultAt(line, 1, "the element "+wording.Quote(start.Name.Local), "urlset or sitemapindex")
			}
			continue
		}
		if start.Name.Local != "url" && start.Name.Local != "sitemap" {
			continue
		}
		var entry struct {
			Loc        string `xml:"loc"`
			LastMod    string `xml:"lastmod"`
			ChangeFreq string `xml:"changefreq"`
			Priority   string `xml:"priority"`
		}
		if err := decoder.DecodeElement(&entry, &start); err != nil {
			return xmlFault(decoder, err)
		}
		loc := strings.TrimSpace(entry.Loc)
		if !fetchable(loc) {
			return notURL(line, column, loc)
		}
		if isIndex {
			index.Sitemaps = append(index.Sitemaps, loc)
			continue
		}
		found := Found{Line: line, URL: loc, ChangeRate: changeFrequencies[strings.ToLower(strings.TrimSpace(entry.ChangeFreq))]}
		if priority, err := number.Parse(strings.TrimSpace(entry.Priority)); err == nil && priority >= 0 && priority <= 1 {
			const ordinary, least = 0.5, 0.05 // which is of some worth
			found.Weight = max(priority, least) / ordinary
		}
		found.Modified = lastMod(strings.TrimSpace(entry.LastMod))
		for given, says := range map[*string]bool{
			&entry.ChangeFreq: found.ChangeRate > 0, &entry.Priority: found.Weight > 0, &entry.LastMod: !found.Modified.IsZero(),
		} {
			if strings.TrimSpace(*given) != "" && !says {
				found.Ignored++
			}
		}
		if err := f.take(found); err != nil {
			return err
		}
	}
	if isIndex {
		return &index
	}
	return nil
}

// lastMod reads a date and time of W3C, the zero time if it is none.
func lastMod(text string) time.Time {
	if at, err := unit.ParseTime(text); err == nil {
		return at
	}
	for _, layout := range []string{"2006-01-02T15:04Z07:00", "2006-01", "2006"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// xmlFault says what is wrong with XML.
func xmlFault(decoder *xml.Decoder, err error) error {
	if syntax := (*xml.SyntaxError)(nil); errors.As(err, &syntax) {
		_, column := decoder.InputPos()
		return faultAt(syntax.Line, column, "no XML ("+syntax.Msg+")", "a sitemap")
	}
	if errors.Is(err, io.EOF) {
		return faultAt(1, 1, "no element", "a sitemap")
	}
	return err
}
