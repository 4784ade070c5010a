package pagefile_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

const list = `id,change_rate,weight
https://a.example/,0.5,3
https://b.example/,-2,1
https://c.example/,4,1
`

func ExampleReadPages() {
	pages, report, err := pagefile.ReadPages(context.Background(),
		pagefile.Source{Name: "pages.csv", Reader: strings.NewReader(list)}, pagefile.Options{Workers: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for page := range pages.Len() {
		fmt.Println(pages.IDs.At(page), pages.ChangeRates[page], pages.Weights[page])
	}
	fmt.Println(report.Unusable, "row left out:", report.Faults[0])
	// Output:
	// https://a.example/ 0.5 3
	// https://c.example/ 4 1
	// 1 row left out: pages.csv:3:20: found "-2"; expected 0 or a number from 1e-100 to 1e100
}

func ExampleOptions() {
	_, _, err := pagefile.ReadPages(context.Background(),
		pagefile.Source{Name: "pages.csv", Reader: strings.NewReader(list)}, pagefile.Options{Strict: true})
	fmt.Println(err)
	// Output: pages.csv:3:20: found "-2"; expected 0 or a number from 1e-100 to 1e100
}

func ExampleFileError() {
	_, _, err := pagefile.ReadRates(context.Background(),
		pagefile.Source{Name: "rates.csv", Reader: strings.NewReader("id,rate\na,fast\n")}, pagefile.Options{Strict: true})
	if fault, ok := errors.AsType[*pagefile.FileError](err); ok {
		fmt.Println("line", fault.Line, "has", fault.Found)
	}
	// Output: line 2 has "fast"
}

func ExampleRates() {
	rates, report, err := pagefile.ReadRates(context.Background(),
		pagefile.Source{Name: "rates.jsonl", Reader: strings.NewReader(`{"id":"a","rate":0.5}`)}, pagefile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Rows, rates.IDs.At(0), rates.Rates)
	// Output: 1 a [0.5]
}

func ExampleHosts() {
	const list = "url,change_rate,host\nhttps://A.example/,1,\nhttps://b.example/,1,north\nhttps://a.example:443/2,3,\n"
	pages, _, err := pagefile.ReadPages(context.Background(),
		pagefile.Source{Name: "pages.csv", Reader: strings.NewReader(list)}, pagefile.Options{Hosts: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for page, host := range pages.Hosts.Of {
		fmt.Println(pages.IDs.At(page), pages.Hosts.Names.At(int(host)))
	}
	// Output:
	// https://A.example/ a.example
	// https://b.example/ north
	// https://a.example:443/2 a.example
}

func ExampleHostLimits() {
	caps, _, err := pagefile.ReadHostCaps(context.Background(),
		pagefile.Source{Name: "caps.csv", Reader: strings.NewReader("host,cap\na.example,2\nc.example,1/2\n")}, pagefile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var hosts pagefile.IDs
	hosts.Append([]byte("b.example"))
	hosts.Append([]byte("a.example"))
	fmt.Println(caps.Of(&hosts, 5))
	// Output: [5 2] [1]
}

func ExampleWriteRows() {
	pages, _, err := pagefile.ReadPages(context.Background(), pagefile.Source{Name: "pages.csv", Reader: strings.NewReader(list)}, pagefile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	type row struct {
		ID       []byte  `parquet:"id,string"`
		Rate     float64 `parquet:"rate"`
		Interval float64 `parquet:"interval,optional"` // absent where it is 0
	}
	rates, intervals := []float64{2, 0}, []float64{0.5, 0}
	err = pagefile.WriteRows(context.Background(), pagefile.Target{Name: "-", Writer: os.Stdout}, pages.IDs.Len(), 1, func(i int) row {
		return row{pages.IDs.Bytes(i), rates[i], intervals[i]}
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// id,rate,interval
	// https://a.example/,2,0.5
	// https://c.example/,0,
}

func ExampleReadHistories() {
	const log = `{"url":"https://a.example/","time":"2026-01-01T00:00:00Z","digest":"x1"}
{"url":"https://a.example/","time":"2026-01-01T01:00:00Z","digest":"x2"}
{"url":"https://a.example/","time":"2026-01-01T03:00:00Z","digest":"x2"}
`
	histories, _, err := pagefile.ReadHistories(context.Background(), pagefile.Source{Name: "log.jsonl", Reader: strings.NewReader(log)}, pagefile.Options{Unit: unit.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	estimate, err := histories.Logs[0].History().Estimate()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.3f changes %s\n", histories.IDs.At(0), estimate.Rate, histories.Unit.Per())
	// Output: https://a.example/: 0.405 changes per hour
}

func ExampleWriteSchedule() {
	var ids pagefile.IDs
	ids.Append([]byte("https://a.example/"))
	ids.Append([]byte("https://b.example/"))
	err := pagefile.WriteSchedule(context.Background(), pagefile.Target{Name: "-", Writer: os.Stdout}, &ids, nil, slices.Values([]int{0, 1, 0}))
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// slot,id
	// 1,https://a.example/
	// 2,https://b.example/
	// 3,https://a.example/
}

func ExampleIndex() {
	var ids pagefile.IDs
	ids.Append([]byte("a"))
	ids.Append([]byte("b"))
	page, found := pagefile.NewIndex(&ids).Find([]byte("b"))
	fmt.Println(page, found)
	// Output: 1 true
}

func ExampleByName() {
	fmt.Println(pagefile.ByName("pages.jsonl.zst"))
	// Output: JSON lines
}

func ExampleWeights() {
	ctx := context.Background()
	pages, _, err := pagefile.ReadPages(ctx, pagefile.Source{Name: "pages.csv", Reader: strings.NewReader("id,change_rate\na,1\nb,2\n")}, pagefile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	weights, _, err := pagefile.ReadWeights(ctx, pagefile.Source{Name: "weights.csv", Reader: strings.NewReader("id,weight\nb,10\n")}, pagefile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	unknown := weights.Give(pages)
	fmt.Println(pages.Weights, unknown)
	// Output: [1 10] []
}
