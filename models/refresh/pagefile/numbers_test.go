package pagefile

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var none = math.Inf(1)

func TestOptionalNumbers(t *testing.T) {
	const list = "recall,id,change_rate,host,false_rate\n" +
		"1,a,1,x,0.5\n" +
		",b,1,y,\n" +
		"1,c,1,,-1\n" +
		"2,d,1,,2\n" +
		"NaN,e,1,,\n" +
		"0,f,1,,0\n" +
		",g,1,,\"\"\n" +
		"0.5,h,1,,Inf\n" +
		"0.5,a,1,,\n"
	pages, report := readPages(t, list, Options{})
	assert.Equal(t, []string{"a", "b", "f", "g"}, names(&pages.IDs))
	assert.Equal(t, []float64{0.5, 0, 0, 0}, pages.FalseRates)
	assert.Equal(t, []float64{1, 0, 0, 0}, pages.Recalls)
	assert.Nil(t, pages.Weights)
	assert.Nil(t, pages.Hosts, "not asked for")
	want := []string{
		`pages.csv:4:8: found "-1"; expected 0 or a number from 1e-100 to 1e100, or nothing`,
		`pages.csv:5:1: found "2"; expected 0 or a number from 1e-100 to 1, or nothing`,
		`pages.csv:6:1: found "NaN"; expected 0 or a number from 1e-100 to 1, or nothing`,
		`pages.csv:9:10: found "Inf"; expected 0 or a number from 1e-100 to 1e100, or nothing`,
		`pages.csv:10:1: found id "a", which is on line 2 already; expected each id once`,
	}
	assert.Equal(t, want, messages(report))
	assert.EqualValues(t, len(want), report.Unusable)
	_, _, err := ReadPages(context.Background(), Source{"pages.csv", strings.NewReader(list)}, Options{Strict: true})
	require.EqualError(t, err, want[0])
}

// Numbers that come up late, or in some blocks only, are those of their rows; a
// column without any takes no memory.
func TestNumbersOfSomeRows(t *testing.T) {
	const list = `{"id":"a","change_rate":1}
{"id":"b","change_rate":1,"recall":null}
{"id":"c","change_rate":1,"false_rate":2}
{"id":"d","change_rate":1}
{"id":"e","change_rate":1,"false_rate":"3","weight":7}
{"id":"f","change_rate":1,"false_rate":true}
{"id":"g","change_rate":1}
`
	for _, size := range []int{1, 30, 100, 0} {
		pages, report, err := ReadPages(context.Background(), Source{"pages.jsonl", strings.NewReader(list)}, Options{Workers: 2, blockSize: size})
		require.NoError(t, err)
		assert.Equal(t, []float64{0, 0, 2, 0, 3, 0}, pages.FalseRates)
		assert.Equal(t, []float64{1, 1, 1, 1, 7, 1}, pages.Weights)
		assert.Nil(t, pages.Recalls)
		assert.Equal(t, []string{`pages.jsonl:6:40: found "true"; expected 0 or a number from 1e-100 to 1e100, or nothing`}, messages(report))
	}
	pages, _ := readPages(t, "id,change_rate,recall,false_rate\na,1,,\n", Options{})
	assert.Nil(t, pages.Recalls)
	assert.Nil(t, pages.FalseRates)
}

type signalledPage struct {
	URL       string   `parquet:"url"`
	Rate      float64  `parquet:"change_rate"`
	Recall    *float64 `parquet:"recall"`
	FalseRate *float32 `parquet:"false_rate"`
	Host      *string  `parquet:"host,dict"`
}

func TestOptionalNumbersAndHostsInParquet(t *testing.T) {
	half, two, host := 0.5, float32(2), "x"
	data := parquetOf(t, []signalledPage{
		{"https://A.example/1", 1, &half, nil, &host},
		{"https://A.example/2", 1, nil, &two, nil},
		{"three", 1, nil, nil, nil},
		{"four", 1, nil, nil, &host},
	}, parquet.MaxRowsPerRowGroup(2))
	for _, workers := range []int{1, 3} {
		pages, report, err := ReadPages(context.Background(), Source{"pages.parquet", bytes.NewReader(data)}, Options{Workers: workers, Hosts: true})
		require.NoError(t, err)
		assert.Equal(t, []float64{0.5, 0, 0}, pages.Recalls)
		assert.Equal(t, []float64{0, 2, 0}, pages.FalseRates)
		assert.Equal(t, []string{"x", "a.example"}, names(&pages.Hosts.Names))
		assert.Equal(t, []int32{0, 1, 0}, pages.Hosts.Of)
		assert.Equal(t, []string{`pages.parquet:3:1: found "three"; expected a URL with a host, or a name in the column host`}, messages(report))
	}
}
