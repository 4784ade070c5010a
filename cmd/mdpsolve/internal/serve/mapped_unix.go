//go:build unix

package serve

// Files that are in memory.

import (
	"os"
	"strings"
	"syscall"
)

// mapping is the file that the last question has handed over.
type mapping struct {
	path string
	file *os.File // nil for none
	data []byte
}

// open returns the content of a file without copying it. The content may be used until the next call. Until
// then, the file must not become shorter.
func (m *mapping) open(path string) ([]byte, error) {
	if !m.isKept(path) {
		m.close()
		file, err := os.OpenFile(path, os.O_RDWR, 0) // for overwrite
		if err != nil {
			file, err = os.Open(path)
		}
		if err != nil {
			return nil, err
		}
		*m = mapping{path: path, file: file}
	}
	info, err := m.file.Stat()
	if err != nil || info.Size() == int64(len(m.data)) {
		return m.data, err
	}
	m.unmap()
	if info.Size() == 0 || !info.Mode().IsRegular() {
		return nil, nil
	}
	m.data, err = syscall.Mmap(int(m.file.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	return m.data, os.NewSyscallError("mmap", err)
}

// overwrite is the function overwrite, but it does not look for a file that is kept.
func (m *mapping) overwrite(path string, content []byte) error {
	if m.isKept(path) {
		_, err := m.file.WriteAt(content, 0)
		return err
	}
	return overwrite(path, content)
}

// isKept reports whether a path names the last file: a descriptor, which this process inherits, always names the
// same. To look for a path takes longer than to read a small model.
func (m *mapping) isKept(path string) bool { return m.path == path && isDescriptor(path) }

func isDescriptor(path string) bool { return strings.HasPrefix(path, "/dev/fd/") }

// close ends the use of the content.
func (m *mapping) close() {
	if m.unmap(); m.file != nil {
		_ = m.file.Close() // nothing is lost
	}
	*m = mapping{}
}

func (m *mapping) unmap() {
	if m.data != nil {
		_ = syscall.Munmap(m.data)
	}
	m.data = nil
}
