package modelfile_test

// Models with very many reward models.

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The time to read names is in proportion to their number: to compare each with all
// others would take more than a minute here, and half a second is enough.
func TestManyRewardModels(t *testing.T) {
	const number = 400_000
	var text strings.Builder
	text.WriteString("@type: MDP\n@reward_models\n")
	for i := range number {
		text.WriteString("r" + strconv.Itoa(i) + " ")
	}
	text.WriteString("\n@nr_states\n1\n@model\n")
	path := filepath.Join(t.TempDir(), "m.drn")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	begin := time.Now()
	header, err := headerOf(path)
	require.NoError(t, err)
	assert.Equal(t, 1, header.States)
	assert.Less(t, time.Since(begin), 20*time.Second)
}
