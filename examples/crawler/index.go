// This file keeps the full-text index of the pages, by Bleve.

package main

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// batch is the number of pages that are written together. Bleve makes a segment of each batch,
// and merges segments in the background: batches of one page take some five times the work.
const batch = 25

// index is a full-text index.
type index struct {
	bleve bleve.Index
	batch *bleve.Batch
}

// newIndex returns an empty index in a folder that it makes.
func newIndex(folder string) (*index, error) {
	text := bleve.NewTextFieldMapping()
	text.Store, text.IncludeInAll, text.IncludeTermVectors, text.DocValues = false, false, false, false
	mapping := bleve.NewIndexMapping()
	mapping.DefaultMapping.AddFieldMappingsAt("text", text)
	// The index lasts as long as the command.
	b, err := bleve.NewUsing(folder, mapping, scorch.Name, scorch.Name, map[string]any{"unsafe_batch": true})
	if err != nil {
		return nil, fmt.Errorf("make an index: %w", err)
	}
	return &index{b, b.NewBatch()}, nil
}

// add adds a page, and replaces the earlier one at its URL. Every 25th page waits until the index
// has taken all 25 in; they are found from then on, or after flush.
func (x *index) add(d document) error {
	if err := x.batch.Index(d.address, map[string]string{"text": d.text}); err != nil {
		return err
	}
	if x.batch.Size() >= batch {
		return x.flush()
	}
	return nil
}

// flush writes what has been indexed.
func (x *index) flush() error {
	err := x.bleve.Batch(x.batch)
	x.batch.Reset()
	return err
}

// pages returns the number of pages in the index.
func (x *index) pages() (uint64, error) { return x.bleve.DocCount() }

// search returns the URLs of the pages that match a query best, at most a number of them.
func (x *index) search(query string, most int) ([]string, error) {
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

// close frees the index.
func (x *index) close() error { return x.bleve.Close() }
