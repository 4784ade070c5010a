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
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
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
// that is fitted to a sample of the pages ([Store.Learn]). Rates are those of [rates.Optimize]
// for them, where a host with a delay has no more than 1/delay visits. They are found anew
// once the pages that have joined, left or been estimated anew since have moved the sum of
// rates by 1%, or an hour has passed. Until then such a page has the rate that it is worth
// at the last multiplier. Rates are per day.
//
// A store of a million pages takes some 200 bytes a page in memory, and some 500 on disk,
// in a B+ tree (bbolt), each value with a checksum. Two libraries were timed: to read and write
// a record, with an fsync for 500 of them, bbolt took 26 µs and pebble 30 µs; bbolt brings one
// module with it, pebble some 60.
type Store struct {
	db   *bbolt.DB
	file *os.File     // of db
	size atomic.Int64 // of the file, which never becomes shorter

	writing sync.Mutex // holds what follows, and is locked before mu
	free    []uint32   // numbers of pages that were removed
	next    uint32     // number that no page ever had
	changed bool       // since it was opened

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
	// ErrReadOnly says that the file of a store that was opened by [OpenToRead] may not be written.
	ErrReadOnly = errors.New("the file of the store may only be read")
	// ErrClosed says that the store has been closed.
	ErrClosed = errors.New("the store is closed")
	// ErrDamaged says that a file is not as it was written.
	ErrDamaged = errors.New("the file is damaged")
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
	db, file, err := openFile(path)
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
	return open(ctx, db, file)
}

// Open opens a store, and reads what is kept in memory: some seconds for a million
// pages, which ctx can end. The error is [ErrInUse] where another process has it open,
// [ErrEmpty] if it is empty.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := verify(ctx, path); err != nil {
		return nil, err
	}
	db, file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return open(ctx, db, file)
}

// OpenToRead opens a store as Open does, also where the file may not be written: on a
// read-only file system, for example. Methods that write then return [ErrReadOnly], and what
// [Store.Learn] finds does not outlive the Store.
func OpenToRead(ctx context.Context, path string) (*Store, error) {
	s, err := Open(ctx, path)
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return s, err
	}
	db, file, err := openBolt(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	return open(ctx, db, file)
}

func openFile(path string) (*bbolt.DB, *os.File, error) {
	// The list of free pages is made anew on opening, as all pages are read anyway.
	return openBolt(path, bbolt.Options{FreelistType: bbolt.FreelistMapType, NoFreelistSync: true})
}

var errNoStore = errors.New("the file is not a store")

var openOS = os.OpenFile // tests have it refuse files

func openBolt(path string, options bbolt.Options) (db *bbolt.DB, file *os.File, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer damage(&err)
	options.Timeout = time.Second
	options.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		file, err = openOS(name, flag, mode)
		return file, err
	}
	db, err = bbolt.Open(path, 0o600, &options)
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, nil, ErrInUse
	case errors.As(err, new(*fs.PathError)):
		return nil, nil, err
	case err != nil:
		return nil, nil, fmt.Errorf("%w: %w", errNoStore, err)
	}
	// A copy may have taken the place of the file while this process waited for it.
	own, err := file.Stat()
	if there, gone := os.Stat(path); err != nil || gone != nil || !os.SameFile(own, there) {
		return nil, nil, errors.Join(ErrInUse, err, gone, db.Close())
	}
	return db, file, nil
}

func open(ctx context.Context, db *bbolt.DB, file *os.File) (*Store, error) {
	s := &Store{db: db, file: file}
	if err := s.view(func(tx *bbolt.Tx) error { return s.load(ctx, tx) }); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// view calls do with a transaction that reads the file.
func (s *Store) view(do func(tx *bbolt.Tx) error) (err error) {
	if err := s.checkSize(); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer damage(&err)
	return described(s.db.View(do))
}

// update calls do with a transaction that changes the file.
func (s *Store) update(do func(tx *bbolt.Tx) error) (err error) {
	if err := s.checkSize(); err != nil {
		return err
	}
	tx, err := s.db.Begin(true)
	if err != nil {
		return described(err)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer damage(&err)
	defer tx.Rollback() //nolint:errcheck // an error says that it has ended, as it should
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return s.checkSize()
}

// checkSize notes the size of the file, and returns an error if it was larger before. bbolt maps
// the file into memory: the kernel stops whoever touches what is not there, and while a
// transaction begins no error would leave its locks free.
func (s *Store) checkSize() error {
	had := s.size.Load()
	info, err := s.file.Stat()
	if err != nil {
		return described(err)
	}
	if info.Size() < had {
		return fmt.Errorf("%w: it has %d of %d bytes", ErrDamaged, info.Size(), had)
	}
	s.size.CompareAndSwap(had, info.Size()) // or it has grown meanwhile
	return nil
}

// Close waits for the write under way, and closes the file.
func (s *Store) Close() error {
	_ = s.saveSummary() // without it, [Summarize] takes longer
	return s.db.Close()
}

// described returns an error of the file, [ErrClosed] or [ErrReadOnly] if it is one of these.
func described(err error) error {
	switch {
	case errors.Is(err, bbolterrors.ErrDatabaseNotOpen), errors.Is(err, os.ErrClosed):
		return ErrClosed
	case errors.Is(err, bbolterrors.ErrDatabaseReadOnly):
		return ErrReadOnly
	}
	return err
}
