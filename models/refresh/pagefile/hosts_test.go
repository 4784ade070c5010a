package pagefile

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

func TestHostsOfPages(t *testing.T) {
	const list = "id,url,change_rate,host\n" +
		"1,https://a.example/,1,\n" +
		"2,https://b.example/,1,Any Text\n" +
		"3,,1,\n" +
		"https://A.example/,,1,\n" +
		"5,c.example/,1,\n" +
		"6,c.example/,1,17\n" +
		"1,https://d.example/,1,\n" +
		"7,https://a.example/2,-1,e\n" +
		"8,https://a.example/3,1,\"\xff\"\n"
	for _, size := range []int{1, 50, 0} {
		pages, report := readPages(t, list, Options{Hosts: true, Workers: 2, blockSize: size})
		assert.Equal(t, []string{"1", "2", "https://A.example/", "6"}, names(&pages.IDs))
		assert.Equal(t, []string{"a.example", "Any Text", "17"}, names(&pages.Hosts.Names), "not that of the second 1")
		assert.Equal(t, []int32{0, 1, 0, 2}, pages.Hosts.Of)
		assert.Equal(t, []string{
			`pages.csv:4:1: found "3"; expected a URL with a host, or a name in the column host`,
			`pages.csv:6:3: found "c.example/"; expected a URL with a host, or a name in the column host`,
			`pages.csv:8:1: found id "1", which is on line 2 already; expected each id once`,
			`pages.csv:9:23: found "-1"; expected 0 or a number from 1e-100 to 1e100`,
			`pages.csv:10:25: found "\xff"; expected a name in UTF-8 (the file may be in Latin-1 or Windows-1252)`,
		}, messages(report))
	}
	const lines = `{"url":"https://A.example:8080/","change_rate":1}
{"id":"2","url":"https://b.example/","change_rate":1}
{"url":"https://b.example/2","change_rate":1,"id":"3"}
{"id":"4","change_rate":1,"host":5}
{"id":5,"change_rate":1}
{"id":"6","change_rate":1,"host":{}}
{"id":"https://a.example:8080/2","change_rate":1,"host":null}
{"url":"https://b.example/3","change_rate":1,"url":"https://b.example/4"}
`
	pages, report, err := ReadPages(context.Background(), Source{"pages.jsonl", strings.NewReader(lines)}, Options{Hosts: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.example:8080", "b.example", "5"}, names(&pages.Hosts.Names))
	assert.Equal(t, []int32{0, 1, 1, 2, 0}, pages.Hosts.Of)
	assert.Equal(t, []string{
		`pages.jsonl:5:7: found "5"; expected a URL with a host, or a name in the column host`,
		`pages.jsonl:6:34: found {}; expected a text or a number`,
		`pages.jsonl:8:46: found "url" for the second time; expected each name once`,
	}, messages(report))
}

// Hosts of many blocks, against a map.
func TestHostsOfManyBlocks(t *testing.T) {
	const seed = 17
	random := rand.New(rand.NewPCG(seed, 1))
	var list strings.Builder
	list.WriteString("url,change_rate\n")
	var want, order []string
	seen := map[string]bool{}
	for i := range 20_000 {
		host := fmt.Sprintf("h%d.example", int(100*random.ExpFloat64()))
		if !seen[host] {
			seen[host] = true
			order = append(order, host)
		}
		want = append(want, host)
		fmt.Fprintf(&list, "https://%s/%d,1\n", host, i)
	}
	for _, workers := range []int{1, 3} {
		pages, _ := readPages(t, list.String(), Options{Hosts: true, Workers: workers, blockSize: 5000})
		require.Equal(t, order, names(&pages.Hosts.Names))
		require.Len(t, pages.Hosts.Of, len(want))
		for i, host := range pages.Hosts.Of {
			require.Equal(t, want[i], pages.Hosts.Names.At(int(host)))
		}
	}
}

func TestHostCaps(t *testing.T) {
	const list = "cap,host\n2,a\n,b\n0,c\n"
	caps, report, err := ReadHostCaps(context.Background(), Source{"caps.csv", strings.NewReader(list)}, Options{})
	require.NoError(t, err)
	assert.Equal(t, &Report{Rows: 3}, report)
	assert.Equal(t, []string{"a", "b", "c"}, names(&caps.Names))
	assert.Equal(t, []float64{2, none, 0}, caps.Limits)
	var hosts IDs
	for _, name := range []string{"c", "d", "A", "b"} {
		hosts.Append([]byte(name))
	}
	got, unknown := caps.Of(&hosts, 7)
	assert.Equal(t, []float64{0, 7, 7, none}, got)
	assert.Equal(t, []int{0}, unknown)

	for text, want := range map[string]string{
		"host,cap\na,-1\n":       `caps.csv:2:3: found "-1"; expected a finite number of 0 or more, or nothing`,
		"host,cap\n,1\n":         `caps.csv:2:1: found nothing; expected the name of a host`,
		"host,cap\na,1\na,2\n":   `caps.csv:3:1: found host "a", which is on line 2 already; expected each host once`,
		"host\na\n":              `caps.csv:1:1: found no column cap; expected a header with the columns host, cap and, optional, unit`,
		"":                       `caps.csv:1:1: found an empty file; expected a header with the columns host, cap and, optional, unit`,
		"{\"host\":\"a\"}\n":     `caps.jsonl:1:1: found nothing; expected a finite number of 0 or more, or nothing`,
		"host,cap,host\na,1,b\n": `caps.csv:1:1: found column "host" twice; expected a header with the columns host, cap and, optional, unit`,
	} {
		name, _, _ := strings.Cut(want, ":")
		_, _, err := ReadHostCaps(context.Background(), Source{name, strings.NewReader(text)}, Options{Strict: true})
		require.EqualError(t, err, want)
	}
	caps, _, err = ReadHostCaps(context.Background(), Source{"caps.jsonl", strings.NewReader(`{"host":"a","cap":null}`)}, Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, []float64{none}, caps.Limits)
}

// Some hosts have a group, and a list without that column has none.
func TestHostDelays(t *testing.T) {
	list, _, err := ReadHostDelays(t.Context(), Source{"delays.csv", strings.NewReader("host,delay,group,unit\na,2,g,minute\nb,,,minute\nc,1/2,h,minute\nd,0,g,minute\n")}, Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c", "d"}, names(&list.Names))
	assert.Equal(t, []float64{2, 0, 0.5, 0}, list.Limits)
	assert.Equal(t, unit.Minute, list.Unit)
	assert.Equal(t, []string{"g", "", "h"}, names(&list.Groups.Names))
	assert.Equal(t, []int32{0, 1, 2, 0}, list.Groups.Of)

	list, _, err = ReadHostDelays(t.Context(), Source{"delays.csv", strings.NewReader("host,delay\na,2\nb,1\n")}, Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, []string{""}, names(&list.Groups.Names))
	assert.Equal(t, []int32{0, 0}, list.Groups.Of)

	_, _, err = ReadHostDelays(t.Context(), Source{"delays.jsonl", strings.NewReader(`{"host":"a","delay":1,"group":[]}`)}, Options{Strict: true})
	assert.EqualError(t, err, "delays.jsonl:1:31: found []; expected a text or a number")
}

// A host is one host in every list, under each of its names.
func TestNamesOfHosts(t *testing.T) {
	const list = "id,change_rate,host\nhttps://a.example./1,1,\nhttps://A.example/2,1,\n3,1,A.EXAMPLE\n4,1,a.example.\n5,1,Bücher.example\n6,1,.\n"
	pages, report, err := ReadPages(context.Background(), Source{"p.csv", strings.NewReader(list)}, Options{Hosts: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.example", "xn--bcher-kva.example"}, names(&pages.Hosts.Names))
	assert.Equal(t, []int32{0, 0, 0, 0, 1}, pages.Hosts.Of)
	assert.Equal(t, []string{`p.csv:7:5: found "."; expected the name of a host`}, messages(report))

	caps, report, err := ReadHostCaps(context.Background(), Source{"c.csv", strings.NewReader("host,cap\nA.Example.,2\nxn--BCHER-kva.example,3\na.example,4\n")}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{`c.csv:4:1: found host "a.example", which is on line 2 already; expected each host once`}, messages(report))
	of, unknown := caps.Of(&pages.Hosts.Names, 1)
	assert.Equal(t, []float64{2, 3}, of)
	assert.Empty(t, unknown)

	delays, _, err := ReadHostDelays(context.Background(), Source{"d.csv", strings.NewReader("host,delay,group\nA.Example.,2,G\n")}, Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, "a.example", delays.Names.At(0))
	assert.Equal(t, "G", delays.Groups.Names.At(0), "groups are no hosts")
}
