package app

// What --version says.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// build says which source a program was built from.
type build struct {
	version  string // of the module
	commit   string // "" if unknown
	date     string // of the commit
	modified bool   // the source has uncommitted changes
}

func readBuild() build {
	b := build{version: "(devel)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.commit = setting.Value
		case "vcs.time":
			b.date, _, _ = strings.Cut(setting.Value, "T")
		case "vcs.modified":
			b.modified = setting.Value == "true"
		}
	}
	return b
}

// String returns what --version prints.
func (b build) String() string {
	commit := "commit unknown"
	if b.commit != "" {
		const shortHash = 12
		commit = fmt.Sprintf("commit %s of %s", b.commit[:min(len(b.commit), shortHash)], b.date)
	}
	if b.modified {
		commit += ", modified"
	}
	return fmt.Sprintf("mdpsolve %s, %s, %s %s/%s", b.version, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
