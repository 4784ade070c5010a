package modelfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSojournTimes reads random mean sojourn times: rates are probabilities over them, rewards per
// unit of time are earned as such, and what is written is read as the same again.
func TestSojournTimes(t *testing.T) {
	const seed, trials = 7, 200
	random := rand.New(rand.NewPCG(seed, 0))
	for trial := range trials {
		label := fmt.Sprintf("seed %d, trial %d", seed, trial)
		duration, reward, perTime := big.NewRat(1+random.Int64N(99), 1+random.Int64N(99)), big.NewRat(random.Int64N(9), 7), big.NewRat(random.Int64N(19)-9, 3)
		share := big.NewRat(1+random.Int64N(9), 10)
		rest := new(big.Rat).Sub(one, share)
		text := fmt.Sprintf(`{"kind": "smdp", "reward_models": ["r"], "states": [{"actions": [
			{"duration": "%v", "rewards": ["%v"], "reward_rates": ["%v"], "to": [[0, "%v"], [1, "%v"]]}]}, {"actions": [{"duration": 1, "to": [[1, 1]]}]}]}`,
			duration, reward, perTime, share, rest)
		for _, exact := range []bool{true, false} {
			m, err := ReadJSON(strings.NewReader(text), "m.json", Options{Exact: exact})
			require.NoError(t, err, text)
			expected, err := m.ExpectedRewards("r")
			require.NoError(t, err)
			want := new(big.Rat).Quo(reward, duration) // per unit of time
			want.Add(want, perTime)
			nearest, _ := want.Float64()
			assert.InDelta(t, nearest, expected.Float[0], 1e-14*(1+10*max(nearest, -nearest)), label)
			for e, p := range []*big.Rat{share, rest} {
				if e == 1 && rest.Sign() == 0 {
					continue
				}
				rate := new(big.Rat).Quo(p, duration)
				nearest, _ := rate.Float64()
				assert.InEpsilon(t, nearest, m.Values.Float[e], 1e-15, label)
				if exact {
					assert.Zero(t, rate.Cmp(m.Values.Exact[e]), label)
				}
			}
			if !exact {
				continue
			}
			assert.Zero(t, want.Cmp(expected.Exact[0]), label)
			again, err := ReadJSON(strings.NewReader(jsonOf(t, m)), "again.json", Options{Exact: true})
			require.NoError(t, err)
			assert.Equal(t, jsonOf(t, m), jsonOf(t, again), label)
			for e, x := range m.Values.Exact {
				assert.Zero(t, x.Cmp(again.Values.Exact[e]), label)
			}
		}
	}
}

// TestDiscountFactor compares the rows for a rate of discounting with what they stand for: a step
// leads on with the rate of each transition over R, and ends time with α over R.
func TestDiscountFactor(t *testing.T) {
	m, err := ReadJSON(strings.NewReader(`{"kind": "ctmdp", "states": [
		{"actions": [{"to": [[0, 5], [1, 0.3]]}, {"to": []}]}, {"actions": [{"to": [[0, 7]]}]}]}`), "m.json", Options{})
	require.NoError(t, err)
	for _, alpha := range []*big.Rat{big.NewRat(1, 1000000007), big.NewRat(1, 3), big.NewRat(1000, 3)} {
		beta, err := m.DiscountFactor(alpha)
		require.NoError(t, err)
		arrays, err := m.TableArraysAt("", alpha)
		require.NoError(t, err)
		factor, _ := beta.Float64()
		off := new(big.Rat).Mul(new(big.Rat).Sub(one, beta), new(big.Rat).SetFloat64(arrays.Rate))
		assert.Zero(t, off.Cmp(alpha))
		for k, want := range []float64{0.3, 0, 7} {
			leaving := 0.0
			for e := arrays.RowStart[k]; e < arrays.RowStart[k+1]; e++ {
				if own := []int32{0, 0, 1}[k]; arrays.Columns[e] != own {
					leaving += arrays.Probabilities[e]
				}
			}
			assert.InDelta(t, want, leaving*factor*arrays.Rate, 1e-14*want)
		}
	}
}

// TestTimesErrors has the faults of the kinds in continuous time with choices.
func TestTimesErrors(t *testing.T) {
	const smdp = `{"kind": "smdp", "reward_models": ["r"], "states": [{"actions": [%s]}]}`
	const ctmdp = `{"kind": "ctmdp", "reward_models": ["r"], "states": [{"actions": [%s]}]}`
	for _, c := range []struct{ form, action, want string }{
		{smdp, `{"to": [[0, 1]]}`, `found an action without "duration"`},
		{smdp, `{"duration": 0, "to": [[0, 1]]}`, "found a duration of 0; expected a positive number"},
		{smdp, `{"duration": -1, "to": [[0, 1]]}`, "found a duration of -1; expected a positive number"},
		{smdp, `{"duration": 1, "to": []}`, "found no transitions; expected one"},
		{smdp, `{"duration": 1, "to": [[0, 0.9]]}`, "found probabilities that sum to 0.9; expected a sum of 1"},
		{smdp, `{"duration": 1, "to": [[0, 0.5], [0, 0.5]]}`, "found state 0 twice"},
		{smdp, `{"duration": 1, "to": [[0, [0.5, 1]]]}`, "found an interval in a model of kind SMDP; expected a number"},
		{smdp, `{"duration": 1, "distance": 0.5, "to": [[0, 1]]}`, "found a distance in a model of kind SMDP"},
		{smdp, `{"duration": 1, "reward_rates": [1, 2], "to": [[0, 1]]}`, "expected a list of rewards of length 1"},
		{ctmdp, `{"duration": 1, "to": [[0, 1]]}`, `found "duration" in a model of kind CTMDP; expected "kind": "smdp" before "states"`},
		{ctmdp, `{"reward_rates": [1], "to": []}`, `found "reward_rates" of an action that never ends`},
		{ctmdp, `{"to": [[0, [1, 2]]]}`, "found an interval in a model of kind CTMDP; expected a number"},
		{`{"states": [{"actions": [%s]}]}`, `{"duration": 1, "to": [[0, 1]]}`, `found "duration" in a model whose "kind" is not known yet; expected "kind": "smdp" before "states"`},
		{`{"states": [{"actions": [%s]}], "kind": "smdp"}`, `{"to": [[0, 1]]}`, `found "kind": "smdp" after "states"; expected "kind" before "states"`},
		{`{"kind": "mdp", "reward_models": ["r"], "states": [{"actions": [%s]}]}`, `{"reward_rates": [1], "to": [[0, 1]]}`, `found "reward_rates" in a model of kind MDP`},
	} {
		for _, exact := range []bool{false, true} {
			_, err := ReadJSON(strings.NewReader(fmt.Sprintf(c.form, c.action)), "m.json", Options{Exact: exact})
			if assert.Error(t, err, c.action) {
				assert.Contains(t, err.Error(), c.want)
				assert.NotContains(t, err.Error(), "\n")
			}
		}
	}
}

// TestTimedFormats writes rates with choices to the formats that have a place for them, and to
// those that have none.
func TestTimedFormats(t *testing.T) {
	for _, exact := range []bool{false, true} {
		even, err := ReadJSON(strings.NewReader(`{"kind": "ctmdp", "initial": [1], "labels": {"a": [1]}, "reward_models": ["r"], "states": [
			{"rewards": [1], "actions": [{"rewards": [2], "to": [[0, 0.1], [1, 0.2, [0.3]]]}, {"name": "b", "to": [[1, 0.1], [0, 0.2]]}]},
			{"actions": [{"to": []}, {"to": []}]}]}`), "m.json", Options{Exact: exact})
		require.NoError(t, err)
		var written bytes.Buffer
		require.NoError(t, WriteUMB(&written, even))
		again, err := ReadUMB(&written, "m.umb", Options{Exact: exact})
		require.NoError(t, err)
		assert.Equal(t, jsonOf(t, even), jsonOf(t, again))

		var none bytes.Buffer
		create := func(string) (io.WriteCloser, error) { return nil, errors.New("created") }
		for format, err := range map[string]error{"DRN": WriteDRN(&none, even), "PRISM": WritePRISM(create, even)} {
			assert.EqualError(t, err, "modelfile: "+format+": the model is of kind CTMDP, for which the format has no place: use JSON or UMB")
		}
		if uneven := *even; !exact {
			uneven.Values.Float = slices.Clone(even.Values.Float)
			uneven.Values.Float[0] = 7
			assert.EqualError(t, WriteUMB(&none, &uneven), "modelfile: UMB: the actions of state 0 have different exit rates, for which the format has no place: use JSON")
		}
		assert.Zero(t, none.Len())
	}
	smdp, err := ReadJSON(strings.NewReader(`{"kind": "smdp", "states": [{"actions": [{"duration": 2, "to": [[0, 1]]}]}]}`), "m.json", Options{})
	require.NoError(t, err)
	assert.EqualError(t, WriteUMB(io.Discard, smdp), "modelfile: UMB: the model is of kind SMDP, for which the format has no place: use JSON")
}

func jsonOf(t *testing.T, m *Model) string {
	t.Helper()
	var written bytes.Buffer
	require.NoError(t, WriteJSON(&written, m))
	return written.String()
}
