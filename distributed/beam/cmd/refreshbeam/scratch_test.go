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
	require.Len(t, files(), 2, "the pages, and what holds the folder")
	assert.Equal(t, first, read())

	// Each change below is undone by parsing, and a mark in the numbers shows whether it was.
	kept := files()[0]
	if filepath.Base(kept) == "held" {
		kept = files()[1]
	}
	marked := *first
	marked.ChangeRates = []float64{7, 8}
	for what, damage := range map[string]func(){
		"none":             func() {},
		"a bit of numbers": func() { flip(t, kept, 0.3) },
		"a bit of ids":     func() { flip(t, kept, 0.95) },
		"a last byte":      func() { shorten(t, kept, 1) },
		"the ids":          func() { shorten(t, kept, 100) },
		"all of it":        func() { write(t, kept, "") },
		"the file":         func() { require.NoError(t, os.Remove(kept)) },
	} {
		require.NoError(t, marked.save(kept))
		damage()
		want := first
		if what == "none" {
			want = &marked
		}
		assert.Equal(t, want, read(), what)
	}

	require.NoError(t, marked.save(kept))
	options.Hosts = false
	other := read()
	assert.Equal(t, first.ChangeRates, other.ChangeRates, "as it is read otherwise")
	assert.Nil(t, other.Hosts)
	assert.Equal(t, other, read())

	_, err = s.read(t.Context(), file+".none", options, true)
	require.EqualError(t, err, "--input: "+string(file)+".none is not there any more")

	remove()
	assert.NoDirExists(t, folder)
	assert.Equal(t, other, read(), "as on another machine")
	assert.Len(t, files(), 2)
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	assert.Equal(t, other.Pages, read().Pages, "without a folder")
}

// flip changes a bit of a file at a share of its length.
func flip(t *testing.T, name string, at float64) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	data[int(at*float64(len(data)))] ^= 4
	write(t, name, string(data))
}

// shorten cuts bytes off a file.
func shorten(t *testing.T, name string, bytes int) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	write(t, name, string(data[:len(data)-bytes]))
}
