//go:build unix

package serve

// Files that are in memory.

import (
	"os"
	"syscall"
)

// mapped returns the content of a file, which is not copied. It may be used until release is called,
// and the file must not become shorter before that.
func mapped(path string) (data []byte, release func(), err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	info, err := file.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return nil, func() {}, err
	}
	data, err = syscall.Mmap(int(file.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	return data, func() { _ = syscall.Munmap(data) }, os.NewSyscallError("mmap", err)
}
