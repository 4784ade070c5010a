//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package leftover

import (
	"os"
	"syscall"
)

// This file holds files by flock.

// Hold keeps a file that is there from being taken for one that has been left, until held
// is closed. It is not ok where somebody else has just taken it for that, and removes it.
func Hold(file *os.File) (held *os.File, ok bool) {
	held, err := os.Open(file.Name())
	if err != nil {
		return nil, false
	}
	if !lock(held) || !isAt(held, file.Name()) {
		_ = held.Close() // it was only read
		return nil, false
	}
	return held, true
}

// isAt reports whether a name is that of an open file.
func isAt(file *os.File, name string) bool {
	open, err := file.Stat()
	there, errThere := os.Lstat(name)
	return err == nil && errThere == nil && os.SameFile(open, there)
}

// lock reports whether a file has been locked: nobody else has.
func lock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Remove removes a regular file that nobody holds, and reports whether it has.
func Remove(name string) bool {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close() //nolint:errcheck // it was only read
	// Whoever has the lock alone may remove it: what is at its name stays the same file.
	return lock(file) && isAt(file, name) && os.Remove(name) == nil
}
