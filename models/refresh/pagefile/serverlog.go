package pagefile

// This file counts the requests in the log of a web server.

import (
	"net/url"
	"regexp"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// commonLine is a line in the common log format of Apache's and other servers, to the status: host,
// two names, the time in brackets, the request in quotes. What follows is that of longer formats.
var commonLine = regexp.MustCompile(`^\S+ \S+ .*?\[[^\]]+\] "((?:[^"\\]|\\.)*)" (\d{3}|-)(?: |$)`)

// request matches the request for a page, by a path or a whole URL.
var request = regexp.MustCompile(`^GET (\S+)(?: HTTP/[\d.]+)?$`)

// serverLog counts the requests that the server answered with the page, or with the status 304. The
// number is the weight of the page. Pages come in the order of their first requests.
func (f *foundReader) serverLog() error {
	at := map[string]int{}
	var pages []Found
	err := f.eachLine(func(line []byte, number int) error {
		found := commonLine.FindSubmatch(line)
		if found == nil {
			return faultAt(number, 1, wording.Short(string(line)), "a line of the common log format: host - - [time] \"request\" status bytes")
		}
		asked := request.FindSubmatch(found[1])
		if status := string(found[2]); asked == nil || status[0] != '2' && status != "304" {
			return nil
		}
		page := string(asked[1])
		if !fetchable(page) {
			path, err := url.Parse(page)
			switch {
			case err != nil || page[0] != '/':
				return nil // a request for something that is no path has not found a page
			case f.Site == nil:
				return faultAt(number, 1, "the path "+wording.Quote(page), "a whole URL, or the site, such as https://a.example")
			}
			page = f.Site.Scheme + "://" + f.Site.Host + path.String()
		}
		if !f.KeepURLs {
			page = urlhost.Normal(page)
		}
		if _, known := at[page]; !known {
			at[page] = len(pages)
			pages = append(pages, Found{Line: number, URL: page})
		}
		pages[at[page]].Weight++
		return nil
	})
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := f.take(page); err != nil {
			return err
		}
	}
	return nil
}
