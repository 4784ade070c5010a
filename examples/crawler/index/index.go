// Package index is a full-text index of pages, by Bleve.
package index

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/mdpsolve/mdpsolve/examples/crawler/crawl"
)

// batch is the number of pages that are written together. Bleve makes a segment of each batch,
// and merges segments in the background: batches of one page take some five times the work.
const batch = 25

// Index is a full-text index. It implements [crawl.Index].
type Index struct {
	bleve bleve.Index
	batch *bleve.Batch
}

// document is what is indexed of a page.
type document struct {
	Text string `json:"text"`
}

// New returns an empty index in a folder that it makes.
func New(folder string) (*Index, error) {
	text := bleve.NewTextFieldMapping()
	text.Store, text.IncludeInAll, text.IncludeTermVectors, text.DocValues = false, false, false, false
	mapping := bleve.NewIndexMapping()
	mapping.DefaultMapping.AddFieldMappingsAt("text", text)
	// Nobody needs the index after a loss of power.
	b, err := bleve.NewUsing(folder, mapping, scorch.Name, scorch.Name, map[string]any{"unsafe_batch": true})
	if err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	return &Index{b, b.NewBatch()}, nil
}

// Index takes a page in; it replaces the one that has been at its URL. Every 25th page waits for
// the index to take all 25 in; they are found from then on, or after [Index.Flush].
func (x *Index) Index(p crawl.Page) error {
	if err := x.batch.Index(p.URL, document{string(p.Body)}); err != nil {
		return err
	}
	if x.batch.Size() >= batch {
		return x.Flush()
	}
	return nil
}

// Flush writes what has been indexed.
func (x *Index) Flush() error {
	err := x.bleve.Batch(x.batch)
	x.batch.Reset()
	return err
}

// Pages returns the number of pages in the index.
func (x *Index) Pages() (uint64, error) { return x.bleve.DocCount() }

// Search returns the URLs of the pages that match a query best, at most a number of them.
func (x *Index) Search(query string, most int) ([]string, error) {
	match := bleve.NewMatchQuery(query)
	match.SetField("text")
	found, err := x.bleve.Search(bleve.NewSearchRequestOptions(match, most, 0, false))
	if err != nil {
		return nil, err
	}
	urls := make([]string, 0, len(found.Hits))
	for _, hit := range found.Hits {
		urls = append(urls, hit.ID)
	}
	return urls, nil
}

// Close frees the index.
func (x *Index) Close() error { return x.bleve.Close() }
