package certificate_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/certificate"
)

// assertOneLine demands an error of one line that names the file.
func assertOneLine(t *testing.T, err error) {
	t.Helper()
	assert.Contains(t, err.Error(), "r.json:")
	assert.NotContains(t, err.Error(), "\n")
}

func FuzzRead(f *testing.F) {
	var text bytes.Buffer
	require.NoError(f, certificate.Write(&text, someResult()))
	f.Add(text.String())
	f.Add(`{"x": [true, null, {"a": "\ud83d\ude00"}], "values": ["Infinity"]}`)
	f.Add(`{"criterion": "total", "sense": "maximize", "value": 1}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := certificate.Read(strings.NewReader(text), "r.json")
		if err != nil {
			assertOneLine(t, err)
			return
		}
		var again bytes.Buffer
		require.NoError(t, certificate.Write(&again, r))
		got, err := certificate.Read(&again, "r.json")
		require.NoError(t, err)
		require.Equal(t, r, got)
	})
}
