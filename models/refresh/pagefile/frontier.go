package pagefile

// This file writes the next fetches of pages for URLFrontier.

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/mdpsolve/mdpsolve/internal/jsonscan"
	"github.com/mdpsolve/mdpsolve/models/refresh/sequence"
)

// WriteFrontier writes JSON lines that URLFrontier takes (its URLItem message in
// the JSON form of protocol buffers), one for each page whose next fetch is known:
//
//	{"known":{"info":{"url":"https://a.example/"},"refetchableFromDate":"1767225600"}}
//
// The date is in whole seconds since 1970, rounded up, as no page is to be fetched
// early. next returns the time of a page's next fetch, or false if there is none;
// workers goroutines call it. leftOut is the number of pages without a next fetch. A
// target of another format than JSON lines is an error.
func WriteFrontier(ctx context.Context, target Target, urls *IDs, workers int, next func(page int) (time.Time, bool)) (leftOut int64, err error) {
	if target.Format = cmp.Or(target.Format, JSONLines); target.Format != JSONLines {
		return 0, fmt.Errorf("pagefile: URLFrontier's items are written in %[2]v, not in %[1]v", target.Format, JSONLines)
	}
	for page := range urls.Len() {
		if _, ok := next(page); !ok {
			leftOut++
		}
	}
	out, err := target.open()
	if err != nil {
		return 0, err
	}
	err = writeText(ctx, out.writer, "", urls.Len(), workers, func(dst []byte, from, to int) []byte {
		for page := from; page < to; page++ {
			at, ok := next(page)
			if !ok {
				continue
			}
			seconds := at.Add(time.Second - 1).Unix()
			dst = jsonscan.AppendText(append(dst, `{"known":{"info":{"url":`...), urls.Bytes(page))
			dst = append(dst, `},"refetchableFromDate":"`...)
			dst = strconv.AppendInt(dst, seconds, 10)
			dst = append(dst, "\"}}\n"...)
		}
		return dst
	})
	return leftOut, out.finish(ctx, err)
}

// NextFetch turns the slots of sequence.NextSlots into the times that
// [WriteFrontier] asks for.
func NextFetch(table sequence.Timetable, slots []int64) func(page int) (time.Time, bool) {
	return func(page int) (time.Time, bool) {
		if slots[page] == 0 {
			return time.Time{}, false
		}
		return table.Time(slots[page]), true
	}
}
