package main

// Pictures are drawn, and files of failures stay as they were.

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/internal/ui"
)

func TestPlots(t *testing.T) {
	for _, line := range []string{
		"robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4",
		"robots solve --robots 100 --buffer 40 --lambda 0.02 --mu 1 --gamma 1",
		"robots solve --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --service erlang:4",
		"robots frontier --robots 16 --buffer 5 --lambda 0.1 --mu 1 --from 0.5 --to 5",
		"robots frontier --class 2@0.1 --class 3@0.2 --buffer 5 --mu 1 --from 0.5 --to 5 --service erlang:2 --robot-cost 0.01",
		"static sweep --over gamma --from 0.1 --to 6 --lambda 1/5.7 --mu 1 --buffer 10",
		"static sweep --over buffer --from 2 --to 40 --lambda 0.1 --mu 1 --gamma 1.2",
		"static sweep --over ratio --from 1/2 --to 6 --mu 1 --gamma 1",
		"static sweep --over gamma --from 1 --to 1 --lambda 1 --mu 1 --buffer 10",
		"robots sweep --over gamma --from 1 --to 2 --steps 3 --robots 16 --buffer 5 --lambda 0.1 --mu 1",
		"robots reproduce --figure 2,3,4,5,6,7,8",
		"robots simulate --robots 16 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --horizon 1000",
		"robots simulate --policy static:10 --buffer 5 --lambda 0.1 --mu 1 --gamma 1.4 --service deterministic --horizon 1000",
	} {
		name := filepath.Join(t.TempDir(), "plot")
		status, _, stderr := execute(t, line+" --plot "+name+".svg")
		require.Zero(t, status, stderr)
		svg, err := os.Open(name + ".svg")
		require.NoError(t, err)
		decoder := xml.NewDecoder(svg)
		for err == nil {
			_, err = decoder.Token()
		}
		assert.ErrorIs(t, err, io.EOF)
		require.NoError(t, svg.Close())

		status, _, stderr = execute(t, line+" --plot "+name+".png")
		require.Zero(t, status, stderr)
		bitmap, err := os.Open(name + ".png")
		require.NoError(t, err)
		picture, err := png.Decode(bitmap)
		require.NoError(t, err)
		require.NoError(t, bitmap.Close())
		assert.Greater(t, picture.Bounds().Dx(), 800)

		status, _, stderr = execute(t, line+" --plot "+name+".pdf --size 85x250mm")
		require.Zero(t, status, stderr)
		document, err := os.ReadFile(name + ".pdf")
		require.NoError(t, err)
		assert.True(t, bytes.HasPrefix(document, []byte("%PDF-")))
		pages := 1
		if strings.Contains(line, "reproduce") {
			pages = 7
		}
		assert.Contains(t, string(document), fmt.Sprintf("/Count %d\n", pages), "a page for each figure of the paper")
	}
}

func TestPlotFilesOfFailures(t *testing.T) {
	name := filepath.Join(t.TempDir(), "plot.svg")
	const failing = "robots solve --robots 50000 --buffer 50000 --lambda 0.1 --mu 1 --gamma 1.4 --method policy-iteration --plot "
	status, _, _ := execute(t, failing+name)
	require.Equal(t, ui.ExitUsage, status)
	assert.NoFileExists(t, name)

	require.NoError(t, os.WriteFile(name, []byte("kept"), 0o600))
	status, _, _ = execute(t, failing+name)
	require.Equal(t, ui.ExitUsage, status)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(text))
}
