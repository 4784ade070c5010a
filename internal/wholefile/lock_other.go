//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package wholefile

// How files that are being written are told from those that were left.

import (
	"os"
	"runtime"
)

// lock is nothing here.
type lock struct{}

func lockNew(*os.File) (l *lock, mine bool) { return nil, true }

func (*lock) release() {}

// removeUnlocked removes a file that no program writes: Windows does not remove one that is
// open. Elsewhere, what was left stays.
func removeUnlocked(name string) {
	if runtime.GOOS == "windows" {
		_ = os.Remove(name)
	}
}
