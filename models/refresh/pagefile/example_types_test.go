package pagefile_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// text returns a file with a name and content.
func text(name, content string) pagefile.Source {
	return pagefile.Source{Name: name, Reader: strings.NewReader(content)}
}

// A name alone is read from disk; with a Reader the name is only for messages.
func ExampleSource() {
	_, _, err := pagefile.ReadPages(context.Background(), pagefile.Source{Name: "nofile.csv"}, pagefile.Options{})
	fmt.Println(os.IsNotExist(err), err)
	// Output: true open nofile.csv: no such file or directory
}

func ExamplePages() {
	pages, _, err := pagefile.ReadPages(context.Background(),
		text("pages.csv", "url,change_rate,unit\nhttps://a.example/,12,day\n"), pagefile.Options{Unit: unit.Hour, Hosts: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pages.IDs.At(0), pages.ChangeRates[0], pages.Unit.Per())
	fmt.Println(pages.Hosts.Names.At(0), pages.Weights)
	// Output:
	// https://a.example/ 0.5 per hour
	// a.example []
}

func ExampleReport() {
	_, report, err := pagefile.ReadRates(context.Background(),
		text("rates.csv", "id,rate\na,1\nb,-1\na,2\n"), pagefile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Rows, "row used,", report.Unusable, "left out")
	for _, fault := range report.Faults {
		fmt.Println(fault)
	}
	// Output:
	// 1 row used, 2 left out
	// rates.csv:3:3: found "-1"; expected a finite number of 0 or more
	// rates.csv:4:1: found id "a", which is on line 2 already; expected each id once
}

func ExampleIDs() {
	var ids pagefile.IDs
	ids.Append([]byte("https://a.example/"))
	ids.Append([]byte("https://b.example/"))
	for i := range ids.Len() {
		fmt.Println(i, ids.At(i))
	}
	// Output:
	// 0 https://a.example/
	// 1 https://b.example/
}

// The latest row of a page counts.
func ExampleFetches() {
	var ids pagefile.IDs
	ids.Append([]byte("a"))
	ids.Append([]byte("b"))
	fetches, _, err := pagefile.ReadFetches(context.Background(), text("log.csv", "id,time\na,1\na,3\nc,4\n"), pagefile.Options{}, &ids)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(fetches.Times, "the latest at", fetches.Latest)
	// Output: [3 NaN] the latest at 4
}

func ExampleHistories() {
	histories, _, err := pagefile.ReadHistories(context.Background(),
		text("log.csv", "id,time,changed\na,0,true\na,2,false\nb,0,true\na,3,true\n"), pagefile.Options{Unit: unit.Day})
	if err != nil {
		fmt.Println(err)
		return
	}
	for page := range histories.IDs.Len() {
		fmt.Println(histories.IDs.At(page), "has", histories.Logs[page].History().Accesses(), "gaps between accesses")
	}
	// Output:
	// a has 2 gaps between accesses
	// b has 0 gaps between accesses
}

// Rows of a list, one after the other; nothing is kept in memory.
func ExamplePage() {
	err := pagefile.EachPage(context.Background(), text("new.jsonl", `{"id":"a","host":"north","weight":2}`), pagefile.Options{},
		func(page pagefile.Page) error {
			fmt.Println(page.Line, page.ID, page.Host, page.Weight)
			return nil
		})
	fmt.Println(err)
	// Output:
	// 1 a north 2
	// <nil>
}

func ExampleVisit() {
	err := pagefile.EachVisit(context.Background(), text("log.csv", "url,time,status\nhttps://a.example/,2026-01-31T12:00:00Z,304\n"), pagefile.Options{},
		func(visit pagefile.Visit) error {
			fmt.Println(visit.Line, visit.ID, visit.Time, visit.Outcome)
			return nil
		})
	fmt.Println(err)
	// Output:
	// 2 https://a.example/ 2026-01-31 12:00:00 +0000 UTC unchanged
	// <nil>
}

// The name says the format, unless Format does.
func ExampleTarget() {
	var ids pagefile.IDs
	ids.Append([]byte("https://a.example/"))
	slots := slices.Values([]int{0, -1})
	err := pagefile.WriteSchedule(context.Background(), pagefile.Target{Name: "schedule.jsonl", Writer: os.Stdout}, &ids, nil, slots)
	fmt.Println(err)
	// Output:
	// {"slot":1,"id":"https://a.example/"}
	// {"slot":2,"id":null}
	// <nil>
}

func ExampleFormat() {
	for _, name := range []string{"pages.csv.gz", "pages.json", "pages.parquet", "pages"} {
		format := pagefile.ByName(name)
		if format == pagefile.AnyFormat {
			format = "by its content"
		}
		fmt.Println(name, "is", format)
	}
	// Output:
	// pages.csv.gz is CSV
	// pages.json is JSON lines
	// pages.parquet is Parquet
	// pages is by its content
}

func ExamplePlanned() {
	var ids pagefile.IDs
	ids.Append([]byte("a"))
	file := strings.NewReader("slot,id,next_fetch\n1,a,1970-01-01T00:01:00Z\n2,,1970-01-01T00:02:00Z\n")
	planned, _, err := pagefile.ReadPlanned(context.Background(), pagefile.Source{Name: "plan.csv", Reader: file}, pagefile.Options{}, &ids)
	fmt.Println(planned.Times[0], planned.Slots, err)
	// Output: [60] 2 <nil>
}
