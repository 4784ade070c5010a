package store

// What a file is before it is opened: empty, damaged, or a store.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"go.etcd.io/bbolt"
)

// verify reads a whole file and returns what is wrong with it. Without this, bbolt would end the
// program when it meets a damaged page later.
func verify(ctx context.Context, path string) error {
	db, err := inspect(path, func(tx *bbolt.Tx) error {
		if err := checkFormat(path, tx); err != nil {
			return err
		}
		for _, name := range buckets {
			bucket := tx.Bucket(name)
			if bucket == nil {
				continue // load says so
			}
			if err := (table{bucket}).check(name, ctx.Err); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return db.Close()
}

// inspect opens a file to read, has look called with it, and returns it open: others cannot write to it
// meanwhile. After an error it is closed.
func inspect(path string, look func(tx *bbolt.Tx) error) (db *bbolt.DB, err error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer damage(&err)
	opened, _, err := openBolt(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() {
		if db == nil { // after a panic, too
			err = errors.Join(err, opened.Close())
		}
	}()
	if err := opened.View(look); err != nil {
		return nil, err
	}
	return opened, nil
}

// checkFile returns why there cannot be a store in a file.
func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return ErrEmpty
	}
	return nil
}

// checkFormat returns why a file has no pages, or others than this program can read.
func checkFormat(path string, tx *bbolt.Tx) error {
	if info, err := os.Stat(path); err == nil && info.Size() < tx.Size() { // first, as what is missing cannot be read
		return fmt.Errorf("%w: it has %d of %d bytes", ErrDamaged, info.Size(), tx.Size())
	}
	if isEmpty(tx) {
		return ErrEmpty
	}
	if settings := tx.Bucket(settingsBucket); settings != nil {
		if format, err := (table{settings}).get(formatKey); err != nil || string(format) != formatNow {
			return cmp.Or(err, errOtherFormat)
		}
	}
	return nil
}

var errOtherFormat = errors.New("the file is a store of another version of this program: make a new store from its pages and accesses")

// damage turns a panic of bbolt into an error. The words of the panic are about bbolt itself, and tell
// users nothing.
func damage(err *error) {
	if recover() != nil {
		*err = ErrDamaged
	}
}

// isEmpty reports whether a file has nothing in it, as one that was made by another program,
// or by a Create that was killed.
func isEmpty(tx *bbolt.Tx) bool {
	name, _ := tx.Cursor().First()
	return name == nil
}
