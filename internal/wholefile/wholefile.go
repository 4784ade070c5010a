// Package wholefile writes files that are never seen half done.
package wholefile

import (
	"io/fs"
	"os"
)

// Suffix ends the name that a file has until it is complete.
const Suffix = ".partial"

// Write makes a file: under its name and [Suffix] first, and under its own name
// when write has returned and the file is closed. What was there before stays if
// anything fails, and nothing is left of the attempt. A write that is to survive
// a loss of power ends with the file's Sync.
func Write(name string, mode fs.FileMode, write func(file *os.File) error) error {
	partial := name + Suffix
	file, err := os.OpenFile(partial, os.O_RDWR|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	err = write(file)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(partial, name)
	}
	if err != nil {
		_ = os.Remove(partial) // err counts
	}
	return err
}

// WriteDurably writes a file of the given content that survives a loss of power.
func WriteDurably(name string, mode fs.FileMode, content []byte) error {
	return Write(name, mode, func(file *os.File) error {
		if _, err := file.Write(content); err != nil {
			return err
		}
		return file.Sync()
	})
}
