package index_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
	"github.com/mdpsolve/mdpsolve/examples/crawler/index"
)

// Two pages go into an index, and one has the word that is sought.
func ExampleIndex() {
	folder, err := os.MkdirTemp("", "index")
	if err != nil {
		log.Fatal(err)
	}
	x, err := index.New(filepath.Join(folder, "pages"))
	if err != nil {
		log.Fatal(err)
	}
	for url, text := range map[string]string{"https://a.example/": "robots fetch", "https://b.example/": "an indexer starves"} {
		if err := x.Index(crawl.Page{URL: url, Body: []byte(text)}); err != nil {
			log.Fatal(err)
		}
	}
	if err := x.Flush(); err != nil {
		log.Fatal(err)
	}
	found, err := x.Search("starves", 10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found)
	if err := errors.Join(x.Close(), os.RemoveAll(folder)); err != nil {
		log.Fatal(err)
	}
	// Output: [https://b.example/]
}
