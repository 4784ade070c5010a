package modelfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// headerOf reads no further than the header of a file.
func headerOf(path string) (header modelfile.Header, err error) {
	enough := errors.New("enough")
	_, err = modelfile.ReadFile(path, modelfile.Options{Announced: func(h modelfile.Header) error {
		header = h
		return enough
	}})
	if errors.Is(err, enough) {
		err = nil
	}
	return header, err
}

func TestHeaders(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const more = "@type: MDP\n@value_type: rational\n@nr_states\n2\n@nr_choices\n3\n@model\nwhatever follows"
	for _, test := range []struct {
		path string
		want modelfile.Header
	}{
		{filepath.Join("testdata", "queue.drn"), modelfile.Header{Kind: modelfile.CTMC, States: 4, Choices: 4, Transitions: -1}},
		{write("a.drn", more), modelfile.Header{Kind: modelfile.MDP, Rational: true, States: 2, Choices: 3, Transitions: -1}},
		{write("a.json", `{"kind": "dtmc", "numbers": "rational", "states": whatever`), modelfile.Header{Kind: modelfile.DTMC, Rational: true, States: -1, Choices: -1, Transitions: -1}},
		{write("b.json", `{"kind": "ctmc", "states": []}`), modelfile.Header{Kind: modelfile.CTMC, States: -1, Choices: -1, Transitions: -1}},
		{write("a.tra", "# names\n2 3 4\n0 0 1 0.5 a/b\n"), modelfile.Header{Kind: modelfile.MDP, States: 2, Choices: 3, Transitions: 4}},
		{write("b.tra", "# Transitions (CTMC)\n5 7\n0 0 1/2\n"), modelfile.Header{Kind: modelfile.CTMC, States: 5, Choices: -1, Transitions: 7}},
		{write("c.tra", "5 7\n0 0 1/2\n"), modelfile.Header{States: 5, Choices: -1, Transitions: 7}},
	} {
		got, err := headerOf(test.path)
		require.NoError(t, err, test.path)
		assert.Equal(t, test.want, got, test.path)
	}
	for path, want := range map[string]string{
		write("d.drn", "@type: XYZ\n"):         folder + `/d.drn:1:8: found "XYZ"; expected DTMC, CTMC or MDP`,
		write("d.json", `{"kind": "xyz"}`):     folder + `/d.json:1:10: found "xyz"; expected DTMC, CTMC, MDP, CTMDP or SMDP`,
		write("d.tra", "2 x\n"):                folder + `/d.tra:1:3: found "x"; expected a line of two or three whole numbers: states, choices (of an MDP), transitions`,
		filepath.Join(folder, "no.tra"):        "modelfile: open no.tra: file does not exist",
		filepath.Join(folder, "no.drn"):        "open " + folder + "/no.drn: no such file or directory",
		filepath.Join(folder, "model.unknown"): "modelfile: unknown file format: ",
	} {
		_, err := headerOf(path)
		require.ErrorContains(t, err, want)
	}
}
