//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package leftover

import (
	"os"
	"runtime"
)

// This file is for systems without flock. Windows removes no file that is open.

// Hold keeps a file that is there from being taken for one that has been left: there, it
// is enough that it is open.
func Hold(*os.File) (held *os.File, ok bool) { return nil, true }

// Remove removes a regular file that nobody holds, and reports whether it has. Where it
// cannot be known who holds a file, nothing is removed.
func Remove(name string) bool { return runtime.GOOS == "windows" && os.Remove(name) == nil }
