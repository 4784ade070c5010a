package main

// What workers keep of a shard between passes, so that they parse it once: its numbers and
// its ids, in files on a disk of the worker. Where they are not, as on another worker, or
// not what they should be, the shard is parsed again.

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
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
	shardInfo
	rates.Shard
	ids pagefile.IDs // empty where nobody has asked for them
}

// shardInfo is what else there is to say about a shard.
type shardInfo struct {
	Of       string // file, its version and how it was read
	Unit     unit.Unit
	Unusable int64
	Faults   []string // the first of those of rows left out
	HostList []string
}

// read returns the pages of a shard. That the file is not there, or holds something else, is
// a fault.
func (s scratch) read(ctx context.Context, file store.File, options pagefile.Options, ids bool) (*shardPages, error) {
	version, err := file.Version(ctx)
	folder, none := leftover.Join(string(s), scratchPrefix)
	if err != nil || none != nil { // what is wrong with the file shows below
		return parseShard(ctx, file, options)
	}
	of := fmt.Sprintf("%v, %s, unit %d, strict %v, hosts %v", file, version, options.Unit, options.Strict, options.Hosts)
	sum := sha256.Sum256([]byte(of))
	name := filepath.Join(folder, hex.EncodeToString(sum[:16]))
	if p, found := load(name, of, ids); found {
		return p, nil
	}
	p, err := parseShard(ctx, file, options)
	if err != nil {
		return nil, err
	}
	p.Of = of
	_ = p.save(name) // a disk that is full costs time, and no more
	return p, nil
}

// parseShard reads a shard itself.
func parseShard(ctx context.Context, file store.File, options pagefile.Options) (*shardPages, error) {
	source, done, err := file.Open(ctx)
	if err != nil {
		return nil, missing(file, err)
	}
	defer done()
	pages, report, err := pagefile.ReadPages(ctx, source, options)
	if fault, ok := errors.AsType[*pagefile.FileError](err); ok {
		return nil, usageError("%v", fault)
	}
	if err != nil {
		return nil, missing(file, err)
	}
	p := &shardPages{ids: pages.IDs, shardInfo: shardInfo{Unit: pages.Unit, Unusable: report.Unusable}}
	p.Shard = rates.Shard{Pages: pages.Pages, Least: pages.Least, Greatest: pages.Greatest}
	for _, fault := range report.Faults {
		p.Faults = append(p.Faults, fault.Error())
	}
	if pages.Hosts != nil {
		p.HostOf = pages.Hosts.Of
		for host := range pages.Hosts.Names.Len() {
			p.HostList = append(p.HostList, pages.Hosts.Names.At(host))
		}
		p.Hosts = p.HostList
	}
	return p, nil
}

// save writes the pages to a file, and their ids to another.
func (p *shardPages) save(name string) error {
	head, err := json.Marshal(p.shardInfo)
	if err != nil {
		return err
	}
	data := appendColumn(nil, head)
	for _, column := range [][]float64{p.ChangeRates, p.Weights, p.Least, p.Greatest} {
		data = appendColumn(data, column)
	}
	if err := saveData(name, appendColumn(data, p.HostOf)); err != nil {
		return err
	}
	lengths, text := make([]uint32, p.ids.Len()), []byte(nil)
	for i := range lengths {
		id := p.ids.Bytes(i)
		lengths[i] = uint32(len(id))
		text = append(text, id...)
	}
	data = appendColumn(nil, []byte(p.Of))
	return saveData(name+idsSuffix, appendColumn(appendColumn(data, lengths), text))
}

const idsSuffix = ".ids"

// load reads what save has written of a shard.
func load(name, of string, ids bool) (p *shardPages, found bool) {
	data, found := loadData(name)
	if !found {
		return nil, false
	}
	p = &shardPages{}
	if err := json.Unmarshal(cutColumn[byte](&data), &p.shardInfo); err != nil || p.Of != of {
		return nil, false
	}
	for _, column := range []*[]float64{&p.ChangeRates, &p.Weights, &p.Least, &p.Greatest} {
		*column = cutColumn[float64](&data)
	}
	p.HostOf, p.Hosts = cutColumn[int32](&data), p.HostList
	if !ids {
		return p, true
	}
	if data, found = loadData(name + idsSuffix); !found || string(cutColumn[byte](&data)) != of {
		return nil, false
	}
	lengths := cutColumn[uint32](&data)
	text := cutColumn[byte](&data)
	for _, n := range lengths {
		p.ids.Append(text[:n])
		text = text[n:]
	}
	return p, true
}

// appendColumn adds a column: its length, and 1, or 0 where there is none, and its numbers.
func appendColumn[T any](data []byte, column []T) []byte {
	size := uint64(0)
	if column != nil {
		size = uint64(len(column)) + 1
	}
	data, err := binary.Append(binary.LittleEndian.AppendUint64(data, size), binary.LittleEndian, column)
	if err != nil {
		panic(err) // T has no fixed size
	}
	return data
}

// cutColumn takes the next column from data.
func cutColumn[T any](data *[]byte) []T {
	size := binary.LittleEndian.Uint64(*data)
	if *data = (*data)[8:]; size == 0 {
		return nil
	}
	column := make([]T, size-1)
	used, err := binary.Decode(*data, binary.LittleEndian, column)
	if err != nil {
		panic(err) // data is what appendColumn has made
	}
	*data = (*data)[used:]
	return column
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// saveData writes a file with its checksum. It appears when it is whole.
func saveData(name string, data []byte) error {
	data = binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
	part := name + "." + rand.Text()
	err := os.WriteFile(part, data, 0o600)
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part) // it may not be there
	}
	return err
}

// loadData reads a file, if it is there and undamaged.
func loadData(name string) (data []byte, found bool) {
	data, err := os.ReadFile(name)
	end := len(data) - crc32.Size
	if err != nil || end < 0 || crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, false
	}
	return data[:end], true
}
