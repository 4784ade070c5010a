package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
)

// A worker parses a shard once, and again where what it keeps is not there, is damaged, of
// another shard or of another version of the file.
func TestScratch(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s, remove, err := newScratch()
	require.NoError(t, err)
	folder := filepath.Join(temporary, string(s))
	name := filepath.Join(t.TempDir(), "pages.csv")
	write(t, name, "id,change_rate,weight,host,least_rate,unit\na,1,2,h,0.5,day\nb,3,,g,,day\na,1,1,h,,day\nc,-1,1,h,,day\n")
	file, err := store.Parse(name)
	require.NoError(t, err)
	options := pagefile.Options{Hosts: true}
	read := func() *shardPages {
		t.Helper()
		p, err := s.read(t.Context(), file, options, true)
		require.NoError(t, err)
		return p
	}
	files := func() []string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(folder, "*"))
		require.NoError(t, err)
		return names
	}

	first := read()
	assert.Equal(t, []float64{1, 3}, first.ChangeRates)
	assert.Equal(t, []float64{2, 1}, first.Weights)
	assert.Equal(t, []float64{0.5, 0}, first.Least)
	assert.Nil(t, first.Greatest)
	assert.Equal(t, []string{"h", "g"}, first.Hosts)
	assert.Equal(t, []int32{0, 1}, first.HostOf)
	assert.Len(t, first.Faults, 2)
	assert.EqualValues(t, 2, first.Unusable)
	assert.Equal(t, "b", first.ids.At(1))
	require.Len(t, files(), 3, "the numbers, the ids, and what holds the folder")
	assert.Equal(t, first, read())

	// Each change below is undone by parsing, and a mark in the numbers shows whether it was.
	kept := [2]string{}
	for _, name := range files() {
		switch filepath.Ext(name) {
		case idsSuffix:
			kept[1] = name
		case "":
			if filepath.Base(name) != "held" {
				kept[0] = name
			}
		}
	}
	marked := *first
	marked.ChangeRates = []float64{7, 8}
	for what, damage := range map[string]func(){
		"none":               func() {},
		"a bit of numbers":   func() { flip(t, kept[0]) },
		"a bit of ids":       func() { flip(t, kept[1]) },
		"the end of numbers": func() { shorten(t, kept[0]) },
		"the end of ids":     func() { shorten(t, kept[1]) },
		"all of the numbers": func() { write(t, kept[0], "") },
		"the ids' file":      func() { require.NoError(t, os.Remove(kept[1])) },
		"another shard": func() {
			other := marked
			other.Of = "other.csv"
			require.NoError(t, other.save(kept[0]))
		},
		"another shard's ids": func() {
			other := marked
			other.Of = "other.csv"
			aside := filepath.Join(t.TempDir(), "aside")
			require.NoError(t, other.save(aside))
			require.NoError(t, os.Rename(aside+idsSuffix, kept[1]))
		},
	} {
		require.NoError(t, marked.save(kept[0]))
		damage()
		want := first
		if what == "none" {
			want = &marked
		}
		assert.Equal(t, want, read(), what)
	}

	require.NoError(t, marked.save(kept[0]))
	write(t, name, "id,change_rate\nd,4\n")
	options.Hosts = false
	changed := read()
	assert.Equal(t, []float64{4}, changed.ChangeRates)
	assert.Nil(t, changed.Weights)
	assert.Equal(t, changed, read())

	remove()
	assert.NoDirExists(t, folder)
	assert.Equal(t, changed, read(), "as on another machine")
	assert.Len(t, files(), 3)
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	assert.Equal(t, changed.Pages, read().Pages, "without a folder")
}

// flip changes a bit in the middle of a file.
func flip(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	data[len(data)/2] ^= 4
	write(t, name, string(data))
}

// shorten cuts a byte off a file.
func shorten(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	write(t, name, string(data[:len(data)-1]))
}
