//go:build !unix

package serve

// Files that are in memory.

import "os"

// mapped returns the content of a file.
func mapped(path string) (data []byte, release func(), err error) {
	data, err = os.ReadFile(path)
	return data, func() {}, err
}
