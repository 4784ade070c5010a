// Package store keeps the pages of a crawler on disk: what it knows of each, when each
// was visited and with what outcome. From that it says at any time how often to visit
// each page and which are due.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// A Store is a file of pages. [Create] makes one, [Open] opens it. Its methods may be
// called from several goroutines at a time; one process at a time has the file open.
//
// What is promised: a method that writes returns when its change is on disk, as far as
// the system's fsync says so. A process that is killed, or a machine that loses its
// power, at any moment loses no change whose method has returned, and leaves no change
// half done. Changes that wait at the same time are written together, with one fsync
// for all of them.
//
// Change rates are estimated from the visits, each time that one is recorded, with a prior
// that is fitted to all pages ([estimate.Prior]). Rates are those of [rates.Optimize]
// for them, where a host with a delay has no more than 1/delay visits. They are found anew
// once the pages that have joined, left or been estimated anew since have moved the sum of
// rates by 1%, or an hour has passed. Until then such a page has the rate that it is worth
// at the last multiplier. Rates are per day.
//
// A store of a million pages takes some 200 bytes a page in memory, and some 500 on disk,
// in a B+ tree (bbolt), each value with a checksum. Of the two stores that were timed, bbolt took 26 µs for a record
// that is read and written, an fsync for 500 of them, and pebble 30 µs; bbolt brings one
// module with it, pebble some 60.
type Store struct {
	db *bbolt.DB

	writing sync.Mutex // holds what follows, and is locked before mu
	free    []uint32   // numbers of pages that were removed
	next    uint32     // number that no page ever had

	mu      sync.Mutex // holds what follows
	waiting []*write
	memory  // all of it made from the file
}

// The buckets of the file.
var (
	settingsBucket = []byte("settings")
	hostsBucket    = []byte("hosts") // name: what the host asks for
	idsBucket      = []byte("ids")   // ID: number
	pagesBucket    = []byte("pages") // number: record

	buckets = [][]byte{settingsBucket, hostsBucket, idsBucket, pagesBucket}
)

var (
	// ErrNoPage says that the store has no page with an ID.
	ErrNoPage = errors.New("no such page")
	// ErrNotLater says that a visit is not later than the last one of its page. A visit
	// that is recorded twice ends so, and changes nothing.
	ErrNotLater = errors.New("the access is not later than the last one to the page")
	// ErrHostName says that a host cannot have a name.
	ErrHostName = errors.New("a host has a name of 1 to 1000 bytes")
	// ErrInUse says that another process has the file open.
	ErrInUse = errors.New("another process has the store open")
	// ErrEmpty says that a file has nothing in it, not even the settings of a store.
	// [Create] makes it a store.
	ErrEmpty = errors.New("the file is empty")
	// ErrClosed says that the store has been closed.
	ErrClosed = errors.New("the store is closed")
)

// Create makes a store in a new file, or an empty one, and opens it. It returns an error,
// and makes nothing, if there is something in the file or the settings are not valid.
func Create(ctx context.Context, path string, settings Settings) (*Store, error) {
	settings = settings.withDefaults()
	if _, err := settings.objective(); err != nil {
		return nil, err
	}
	_, err := os.Lstat(path)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return nil, err
	}
	db, err := openFile(path)
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		if !isEmpty(tx) {
			return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
		for _, bucket := range buckets {
			if _, err := tx.CreateBucketIfNotExists(bucket); err != nil {
				return err
			}
		}
		table := tableOf(tx, settingsBucket)
		return errors.Join(table.put(formatKey, []byte(formatNow)), settings.save(table))
	})
	if err != nil {
		err = errors.Join(err, db.Close())
		if isNew {
			err = errors.Join(err, os.Remove(path))
		}
		return nil, err
	}
	return open(ctx, db)
}

// Open opens a store, and reads what is kept in memory: some seconds for a million
// pages, which ctx can end. The error is [ErrInUse] where another process has it open,
// [ErrEmpty] if it is empty.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := verify(ctx, path); err != nil {
		return nil, err
	}
	db, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return open(ctx, db)
}

func openFile(path string) (*bbolt.DB, error) {
	// The list of free pages is made anew on opening, as all pages are read anyway.
	return openBolt(path, bbolt.Options{FreelistType: bbolt.FreelistMapType, NoFreelistSync: true})
}

func openBolt(path string, options bbolt.Options) (db *bbolt.DB, err error) {
	defer damage(&err)
	options.Timeout = time.Second
	db, err = bbolt.Open(path, 0o600, &options)
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, ErrInUse
	case errors.As(err, new(*fs.PathError)):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("the file is not a store: %w", err)
	}
	return db, nil
}

func open(ctx context.Context, db *bbolt.DB) (*Store, error) {
	s := &Store{db: db}
	if err := db.View(func(tx *bbolt.Tx) error { return s.load(ctx, tx) }); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// Close waits for the write under way, and closes the file.
func (s *Store) Close() error { return s.db.Close() }

// orClosed returns an error of the file, [ErrClosed] if that is closed.
func orClosed(err error) error {
	if errors.Is(err, bbolterrors.ErrDatabaseNotOpen) {
		return ErrClosed
	}
	return err
}
