// This file writes the text of pages.

package site

import (
	"math/rand/v2"
	"strconv"
)

// vocabulary is the number of words that pages are made of.
const vocabulary = 5000

// text returns size bytes: made-up words, the k-th of which comes about 1/k as often as the first
// (Zipf's law), so that an index has frequent terms and rare ones.
func text(size int, page, version uint64) []byte {
	random := rand.New(rand.NewPCG(page, version))
	zipf := rand.NewZipf(random, 1.01, 1, vocabulary-1)
	text := make([]byte, 0, size+32)
	text = append(text, "Version "...)
	text = strconv.AppendUint(text, version, 10)
	size = max(size, len(text)) // the version is always there: pages differ when they have changed
	for len(text) < size {
		text = append(text, ' ')
		text = appendWord(text, zipf.Uint64())
	}
	return text[:size]
}

// appendWord appends the n-th word: syllables that spell n.
func appendWord(text []byte, n uint64) []byte {
	const consonants, vowels = "bdfgklmnprst", "aeiou"
	for {
		text = append(text, consonants[n%12], vowels[n/12%5])
		if n /= 60; n == 0 {
			return text
		}
	}
}
