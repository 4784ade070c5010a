package app

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

func TestVersion(t *testing.T) {
	machine := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	assert.Equal(t, "mdpsolve v1.2.3, commit 0123456789ab of 2026-01-31, modified, "+machine,
		build{"v1.2.3", "0123456789abcdef", "2026-01-31", true}.String())
	assert.Equal(t, "mdpsolve (devel), commit unknown, "+machine, build{version: "(devel)"}.String())

	for _, flag := range []string{"--version", "-v"} {
		var stdout, stderr strings.Builder
		assert.Equal(t, ui.ExitSolved, Run(t.Context(), []string{"mdpsolve", flag}, &stdout, &stderr))
		assert.Equal(t, readBuild().String()+"\n", stdout.String())
		assert.Empty(t, stderr.String())
	}
}
