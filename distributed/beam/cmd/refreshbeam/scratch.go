package main

// What workers keep of a shard between passes, so that they parse it once: its numbers and
// its ids, in a file on a disk of the worker. Where it is not there, as on another worker, or
// is damaged, the shard is parsed again.

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mdpsolve/mdpsolve/distributed/beam/store"
	"github.com/mdpsolve/mdpsolve/internal/leftover"
	"github.com/mdpsolve/mdpsolve/models/refresh/pagefile"
	"github.com/mdpsolve/mdpsolve/models/refresh/rates"
	"github.com/mdpsolve/mdpsolve/models/refresh/unit"
)

// scratch is a folder for such files. It has one name on all machines, in their folders for
// temporary files.
type scratch string

const scratchPrefix = "refreshbeam-scratch-"

// newScratch makes a scratch for a run, which remove removes. On other machines, their next
// run does.
func newScratch() (s scratch, remove func(), err error) {
	folder, remove, err := leftover.Folder(scratchPrefix)
	return scratch(filepath.Base(folder)), remove, err
}

// shardPages are the pages of a shard.
type shardPages struct {
	shardNumbers
	ids pagefile.IDs // empty where nobody has asked for them
}

// shardNumbers is what there is to say about a shard without its ids.
type shardNumbers struct {
	rates.Shard
	Unit     unit.Unit
	Unusable int64
	Faults   []string // the first of those of rows left out
}

// shardIDs are the ids of a shard, one behind the other.
type shardIDs struct {
	Lengths []uint32
	Text    []byte
}

// read returns the pages of a shard. That the file is not there, or holds something else, is
// a fault. A file that is replaced during the run may be taken as it was at first.
func (s scratch) read(ctx context.Context, file store.File, options pagefile.Options, ids bool) (*shardPages, error) {
	folder, none := leftover.Join(string(s), scratchPrefix)
	sum := sha256.Sum256(fmt.Appendf(nil, "%v, unit %d, strict %v, hosts %v", file, options.Unit, options.Strict, options.Hosts))
	name := filepath.Join(folder, hex.EncodeToString(sum[:16]))
	if p, err := load(name, ids); none == nil && err == nil {
		return p, nil
	}
	p, err := parseShard(ctx, file, options)
	if err == nil && none == nil {
		_ = p.save(name) // a disk that is full costs time, and no more
	}
	return p, err
}

// parseShard reads a shard itself.
func parseShard(ctx context.Context, file store.File, options pagefile.Options) (*shardPages, error) {
	source, done, err := file.Open(ctx)
	if err != nil {
		return nil, missing(ctx, file, err)
	}
	defer done()
	pages, report, err := pagefile.ReadPages(ctx, source, options)
	if fault, ok := errors.AsType[*pagefile.FileError](err); ok {
		return nil, usageError("%v", fault)
	}
	if err != nil {
		return nil, missing(ctx, file, err)
	}
	p := &shardPages{ids: pages.IDs, shardNumbers: shardNumbers{
		Shard: rates.Shard{Pages: pages.Pages, Least: pages.Least, Greatest: pages.Greatest},
		Unit:  pages.Unit, Unusable: report.Unusable,
	}}
	for _, fault := range report.Faults {
		p.Faults = append(p.Faults, fault.Error())
	}
	if pages.Hosts != nil {
		p.HostOf = pages.Hosts.Of
		for host := range pages.Hosts.Names.Len() {
			p.Hosts = append(p.Hosts, pages.Hosts.Names.At(host))
		}
	}
	return p, nil
}

// save writes the pages to a file, which appears when it is whole: numbers, and behind them
// ids, each as a member of gzip for its checksum.
func (p *shardPages) save(name string) (err error) {
	part := name + "." + rand.Text()
	file, err := os.Create(part)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err == nil {
			err = os.Rename(part, name)
		}
		if err != nil {
			_ = os.Remove(part) // so that it takes no room
		}
	}()
	var ids shardIDs
	for i := range p.ids.Len() {
		id := p.ids.Bytes(i)
		ids.Lengths, ids.Text = append(ids.Lengths, uint32(len(id))), append(ids.Text, id...)
	}
	for _, part := range []any{&p.shardNumbers, &ids} {
		packed, err := gzip.NewWriterLevel(file, gzip.NoCompression)
		if err != nil {
			return err
		}
		if err := errors.Join(gob.NewEncoder(packed).Encode(part), packed.Close()); err != nil {
			return err
		}
	}
	return nil
}

// load reads what save has written of a shard.
func load(name string, ids bool) (*shardPages, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	buffered := bufio.NewReaderSize(file, 1<<16)
	p := &shardPages{}
	if err := loadPart(buffered, &p.shardNumbers); err != nil || !ids {
		return p, err
	}
	var all shardIDs
	if err := loadPart(buffered, &all); err != nil {
		return nil, err
	}
	for _, n := range all.Lengths {
		p.ids.Append(all.Text[:n])
		all.Text = all.Text[n:]
	}
	return p, nil
}

// loadPart reads a value up to its checksum.
func loadPart(from *bufio.Reader, value any) error {
	packed, err := gzip.NewReader(from)
	if err != nil {
		return err
	}
	packed.Multistream(false)
	if err := gob.NewDecoder(packed).Decode(value); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, packed)
	return err
}
