//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package wholefile

// How files that are being written are told from those that were left.

import (
	"os"
	"syscall"
)

// lock keeps a file locked. The system unlocks it when the program ends, in whatever way,
// so that a file of this kind without a lock is one that was left. The number of the process
// would not tell: containers that share a folder have the same numbers.
type lock struct{ *os.File }

// lockNew locks a file that this program has created. The lock outlives the closing of the
// file. mine is false if another program removed the file before it was locked.
func lockNew(file *os.File) (l *lock, mine bool) {
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return nil, true
	}
	syscall.CloseOnExec(fd)
	l = &lock{os.NewFile(uintptr(fd), file.Name())}
	if syscall.Flock(fd, syscall.LOCK_EX) != nil {
		return l, true // a file system without locks, where nothing that was left is removed
	}
	if !isNamed(file) {
		l.release()
		return nil, false
	}
	return l, true
}

// isNamed reports whether the name of an open file still leads to it.
func isNamed(file *os.File) bool {
	there, err := os.Lstat(file.Name())
	own, failure := file.Stat()
	return err == nil && failure == nil && os.SameFile(there, own)
}

// release unlocks the file.
func (l *lock) release() {
	if l != nil {
		_ = l.Close() // nothing was written
	}
}

// removeUnlocked removes a file that no program writes.
func removeUnlocked(name string) {
	const flags = os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	file, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	if isNamed(file) { // otherwise it has just been completed
		_ = os.Remove(name) // at worst it remains
	}
}
