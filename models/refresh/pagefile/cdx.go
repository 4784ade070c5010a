package pagefile

// This file reads indexes of web archives.

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/wording"
	"github.com/mdpsolve/mdpsolve/models/refresh/estimate"
)

// A capture is a line of an index.
type capture struct {
	URL    string `json:"url"`
	Status string `json:"status"`
	Digest string `json:"digest"`
	time   string
}

// cdx reads an index of WARC files: CDX, whose first line may name the fields by letters, or CDXJ.
// Redirects are left out, and so are records that are no pages, such as answers of the domain name
// system.
func (f *foundReader) cdx() error {
	fields := strings.Fields("N b a m s k")
	return f.eachLine(func(line []byte, number int) error {
		if rest, is := bytes.CutPrefix(line, []byte("CDX ")); is {
			fields = strings.Fields(string(rest))
			return nil
		}
		if line[0] == '!' { // a header of CDXJ
			return nil
		}
		c, fault := captureOf(line, number, fields)
		if fault != nil {
			return fault
		}
		at, err := time.Parse("20060102150405", c.time)
		if err != nil {
			return faultAt(number, 1, "the time "+wording.Quote(c.time), "14 digits, such as 20260131150000")
		}
		found := Found{Line: number, URL: c.URL, Fetched: at, Outcome: estimate.Found}
		if c.Status != "" && c.Status != "-" { // an entry that repeats an earlier one has no status
			status, err := strconv.Atoi(c.Status)
			var ok bool
			if found.Outcome, ok = estimate.OutcomeOf(status); err != nil || !ok {
				return faultAt(number, 1, "the status "+wording.Quote(c.Status), "an HTTP status or -")
			}
			if status >= 300 && status < 400 && found.Outcome != estimate.Unchanged {
				return nil
			}
		}
		if !fetchable(c.URL) {
			if !strings.Contains(c.URL, ":") { // otherwise it has another scheme
				return notURL(number, 1, c.URL)
			}
			return nil
		}
		if found.Outcome == estimate.Found && c.Digest != "" && c.Digest != "-" {
			found.Digest = []byte(strings.TrimPrefix(c.Digest, "sha1:"))
		}
		return f.take(found)
	})
}

// captureOf reads a line of an index.
func captureOf(line []byte, number int, fields []string) (c capture, fault *FileError) {
	if start := bytes.IndexByte(line, '{'); start > 0 {
		if words := strings.Fields(string(line[:start])); len(words) == 2 {
			if err := json.Unmarshal(line[start:], &c); err != nil {
				return c, faultAt(number, start+1, notJSON(err), "an object of CDXJ with url, status and digest as texts")
			}
			c.time = words[1]
			return c, nil
		}
	}
	words := strings.Fields(string(line))
	for i, letter := range fields {
		if i >= len(words) {
			break
		}
		switch letter {
		case "a":
			c.URL = words[i]
		case "b":
			c.time = words[i]
		case "s":
			c.Status = words[i]
		case "k":
			c.Digest = words[i]
		}
	}
	if c.URL == "" || c.time == "" {
		return c, faultAt(number, 1, wording.Short(string(line)), "a line of CDX with the fields "+strings.Join(fields, " ")+", or of CDXJ")
	}
	return c, nil
}
