package modelfile_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

func TestTmp(t *testing.T) {
	os.MkdirAll("/tmp/w/umbs/ours", 0o777)
	for i := range 400 {
		random := rand.New(rand.NewPCG(20240601, uint64(i)))
		exact := i%2 == 1
		want := randomModel(random, exact)
		var b bytes.Buffer
		require.NoError(t, modelfile.WriteUMB(&b, want))
		got, err := modelfile.ReadUMB(bytes.NewReader(b.Bytes()), "m.umb", modelfile.Options{Exact: exact})
		require.NoError(t, err)
		require.NoError(t, got.Validate())
		require.Equal(t, plain(want), plain(got), i)
		if i < 60 {
			name := fmt.Sprintf("/tmp/w/umbs/ours/%d", i)
			require.NoError(t, modelfile.WriteFile(name+".umb", want))
			require.NoError(t, modelfile.WriteFile(name+".drn", want))
		}
	}
}

func TestTmp2(t *testing.T) {
	for _, f := range []string{"/tmp/w/umbex.umb", "/tmp/w/umbs/q.umb", "/tmp/w/umbs/abs.umb", "/tmp/w/umbs/d.umb", "/tmp/w/umbs/m.umb", "/tmp/w/umbs/a.umb", "/tmp/w/umbs/dx.umb",
		"/tmp/w/umbs/umbi/polling2.umb", "/tmp/w/umbs/umbi/robot.umb", "/tmp/w/umbs/umbi/simple1.umb", "/tmp/w/umbs/umbi/simple2.umb", "/tmp/w/umbs/umbi/small-test.umb", "/tmp/w/umbs/umbi/wlan0-2-2.umb"} {
		m, err := modelfile.ReadFile(f, modelfile.Options{})
		fmt.Printf("%s %+v %v\n", f, m, err)
	}
}
