package pagefile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadWeek(t *testing.T) {
	read := func(list string) (*[7 * 24]float64, error) {
		week, _, err := ReadWeek(t.Context(), Source{Name: "week.csv", Reader: strings.NewReader(list)}, Options{Strict: true})
		return week, err
	}
	week, err := read("day,hour,bandwidth\nsat-mon,,10/hour\nfri,22-6,100/hour\n,7,1/min\n,8-10,48/day\n")
	require.NoError(t, err)
	for _, day := range []int{0, 5, 6} {
		for hour := range 24 {
			assert.InDelta(t, 240, week[24*day+hour], 1e-9)
		}
	}
	for hour := range 24 {
		want := map[bool]float64{true: 2400}[hour >= 22 || hour < 6] // of the same day
		switch hour {
		case 7:
			want = 1440
		case 8, 9:
			want = 48
		}
		assert.InDelta(t, want, week[24*4+hour], 1e-9, hour)
	}
	assert.Zero(t, week[24+22])
	week, err = read("bandwidth,unit\n5,hour\n")
	require.NoError(t, err)
	assert.InDelta(t, 120, week[100], 1e-9)
	for _, wrong := range []string{
		"day,bandwidth\nmoon,1/day\n", "hour,bandwidth\n24,1/day\n", "hour,bandwidth\n-1,1/day\n", "hour,bandwidth\n7,1\n",
		"hour,bandwidth\n7,-1/day\n", "hour,bandwidth\n7,x\n", "hour,bandwidth\n7-,1/day\n",
	} {
		_, err := read(wrong)
		assert.ErrorContains(t, err, "week.csv:2:", wrong)
	}
}
