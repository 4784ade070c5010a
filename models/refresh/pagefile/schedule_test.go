package pagefile

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchedulesWithFaults(t *testing.T) {
	pages, report, err := ReadSchedule(context.Background(), Source{"s.csv", bytes.NewReader([]byte("slot,id\n1,a\n2,x\n2,b\n2,b\n3.5,a\n-1,a\n3,a\n"))}, Options{}, idsOf("a", "b"))
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 0}, pages)
	assert.Equal(t, []string{
		`s.csv:3:3: found "x"; expected the id of a page of the list`,
		`s.csv:5:1: found slot 2 after slot 2; expected slot 3`,
		`s.csv:6:1: found "3.5"; expected the number of a slot`,
		`s.csv:7:1: found "-1"; expected the number of a slot`,
	}, messages(report))
}

func TestIndex(t *testing.T) {
	ids := idsOf("a", "b", "a", "")
	index := NewIndex(ids)
	for name, want := range map[string]int{"a": 0, "b": 1, "": 3} {
		page, found := index.Find([]byte(name))
		assert.True(t, found)
		assert.Equal(t, want, page)
	}
	_, found := index.Find([]byte("c"))
	assert.False(t, found)
}
