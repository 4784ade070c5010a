package bench

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

var pageRows = flag.Int("pagefile.rows", 200_000, "rows of the page lists of BenchmarkPageFile; 10000000 is the size to report")

// benchPage is a row of a page list.
type benchPage struct {
	ID         string  `parquet:"id"`
	ChangeRate float64 `parquet:"change_rate"`
	Weight     float64 `parquet:"weight"`
}

// writePageLists writes the same list in several formats: URLs of 30 to 60
// bytes, numbers with all their digits.
func writePageLists(b *testing.B, folder string, rows int) map[string]string {
	random := rand.New(rand.NewPCG(5, 11))
	names := map[string]string{}
	create := func(kind, name string) *os.File {
		names[kind] = filepath.Join(folder, name)
		file, err := os.Create(names[kind])
		require.NoError(b, err)
		return file
	}
	csv := create("csv", "pages.csv")
	jsonLines := create("jsonl", "pages.jsonl")
	columns := create("parquet", "pages.parquet")
	csvText, jsonText := bufio.NewWriterSize(csv, 1<<20), bufio.NewWriterSize(jsonLines, 1<<20)
	table := parquet.NewGenericWriter[benchPage](columns, parquet.MaxRowsPerRowGroup(1<<20), parquet.Compression(&parquet.Snappy))
	_, err := csvText.WriteString("id,change_rate,weight\n")
	require.NoError(b, err)
	batch := make([]benchPage, 0, 1<<12)
	for row := range rows {
		page := benchPage{
			"https://host" + strconv.Itoa(random.IntN(rows/20+1)) + ".example/path/" + strconv.FormatUint(random.Uint64()>>random.IntN(40), 36) + "/" + strconv.Itoa(row),
			random.ExpFloat64(), random.Float64(),
		}
		_, err := fmt.Fprintf(csvText, "%s,%v,%v\n", page.ID, page.ChangeRate, page.Weight)
		require.NoError(b, err)
		_, err = fmt.Fprintf(jsonText, "{\"id\":%q,\"change_rate\":%v,\"weight\":%v}\n", page.ID, page.ChangeRate, page.Weight)
		require.NoError(b, err)
		if batch = append(batch, page); len(batch) == cap(batch) || row == rows-1 {
			_, err := table.Write(batch)
			require.NoError(b, err)
			batch = batch[:0]
		}
	}
	require.NoError(b, csvText.Flush())
	require.NoError(b, jsonText.Flush())
	require.NoError(b, table.Close())
	for _, file := range []*os.File{csv, jsonLines, columns} {
		require.NoError(b, file.Close())
	}
	return names
}

// BenchmarkPageFile reads page lists and writes lists of rates, and compares with the time
// to read only the bytes of the file.
func BenchmarkPageFile(b *testing.B) {
	folder := b.TempDir()
	names := writePageLists(b, folder, *pageRows)
	rate := func(b *testing.B) {
		b.ReportMetric(float64(*pageRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	}
	for _, kind := range []string{"csv", "jsonl", "parquet"} {
		b.Run("bytes/"+kind, func(b *testing.B) {
			for b.Loop() {
				file, err := os.Open(names[kind])
				require.NoError(b, err)
				_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{file}, make([]byte, 1<<20))
				require.NoError(b, err)
				require.NoError(b, file.Close())
			}
			rate(b)
		})
		read := func(name string, options pagefile.Options) {
			b.Run(fmt.Sprintf("%s/%s/workers=%d", name, kind, options.Workers), func(b *testing.B) {
				for b.Loop() {
					pages, report, err := pagefile.ReadPages(context.Background(), pagefile.Source{Name: names[kind]}, options)
					require.NoError(b, err)
					require.Zero(b, report.Unusable)
					require.Equal(b, *pageRows, pages.Len())
				}
				rate(b)
			})
		}
		read("read", pagefile.Options{Workers: 1})
		read("read", pagefile.Options{Workers: 2})
		read("hosts", pagefile.Options{Workers: 2, Hosts: true})
	}
	pages, _, err := pagefile.ReadPages(context.Background(), pagefile.Source{Name: names["csv"]}, pagefile.Options{Workers: 2})
	require.NoError(b, err)
	for _, kind := range []string{"csv", "jsonl", "parquet"} {
		b.Run("write/"+kind+"/workers=2", func(b *testing.B) {
			type row struct { // as of refresh rates
				ID        []byte  `parquet:"id,string"`
				Rate      float64 `parquet:"rate"`
				Interval  float64 `parquet:"interval,optional"`
				Freshness float64 `parquet:"freshness"`
			}
			target := pagefile.Target{Name: filepath.Join(folder, "rates."+kind)}
			for b.Loop() {
				require.NoError(b, pagefile.WriteRows(context.Background(), target, pages.IDs.Len(), 2, func(i int) row {
					return row{pages.IDs.Bytes(i), pages.ChangeRates[i], 1 / pages.ChangeRates[i], pages.Weights[i]}
				}))
			}
			rate(b)
		})
	}
}
