package store

// What a file is before it is opened: empty, damaged, or a store.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"github.com/mdpsolve/mdpsolve/internal/wording"
)

// verify reads a file through once, and returns what is wrong with it: where bbolt comes
// across a damaged page later, it ends the program.
func verify(ctx context.Context, path string) (err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	case info.Size() == 0:
		return ErrEmpty
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer damage(&err)
	db, err := openBolt(path, bbolt.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.View(func(tx *bbolt.Tx) error {
		if isEmpty(tx) {
			return ErrEmpty
		}
		if info, err = os.Stat(path); err == nil && info.Size() < tx.Size() {
			return fmt.Errorf("the file is damaged: it has %d of %d bytes", info.Size(), tx.Size())
		}
		for _, name := range buckets {
			bucket := tx.Bucket(name)
			if bucket == nil {
				continue // load says so
			}
			if hasChecksums(tx) {
				err = table{bucket}.check(name, ctx.Err)
			} else {
				err = inOrder(ctx, bucket, name)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// inOrder reads a bucket of an older file through, whose values have no checksums.
func inOrder(ctx context.Context, bucket *bbolt.Bucket, name []byte) error {
	var last []byte
	return bucket.ForEach(func(key, value []byte) error {
		if last != nil && bytes.Compare(last, key) >= 0 {
			return fmt.Errorf("the file is damaged: keys of its %s are not in order", name)
		}
		last = key
		crc32.ChecksumIEEE(value) // for the sake of reading it
		return ctx.Err()
	})
}

// damage turns what bbolt panics with into an error.
func damage(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("the file is damaged: %s", wording.Short(fmt.Sprint(fault)))
	}
}

// isEmpty reports whether a file has nothing in it, as one that was made by another program,
// or by a Create that was killed.
func isEmpty(tx *bbolt.Tx) bool {
	name, _ := tx.Cursor().First()
	return name == nil
}
