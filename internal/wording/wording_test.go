package wording

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestShort(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"goal", "goal"},
		{strings.Repeat("a", 60), strings.Repeat("a", 60)},
		{strings.Repeat("a", 50) + strings.Repeat("b", 11), strings.Repeat("a", 30) + "…" + strings.Repeat("a", 18) + strings.Repeat("b", 11)},
		{strings.Repeat("μ", 100_000), strings.Repeat("μ", 30) + "…" + strings.Repeat("μ", 29)},
		{"\xff\x1b[1m\n", `\xff\x1b[1m\n`}, // no UTF-8, and what moves a cursor
	} {
		got := Short(test.text)
		assert.Equal(t, test.want, got)
		assert.LessOrEqual(t, utf8.RuneCountInString(got), 60)
	}
}

func TestQuote(t *testing.T) {
	assert.Equal(t, `"town B"`, Quote("town B"))
	assert.Equal(t, `"two\nlines"`, Quote("two\nlines"))
	assert.Equal(t, `"`+strings.Repeat("x", 30)+"…"+strings.Repeat("x", 29)+`"`, Quote(strings.Repeat("x", 1<<20)))
}

func TestInvalid(t *testing.T) {
	assert.Equal(t, "1 is not valid: use a whole number of 2 or more", Invalid(1, "a whole number of 2 or more"))
}

func TestNearest(t *testing.T) {
	names := []string{"name", "rewards", "to", "reward_models"}
	for word, want := range map[string]string{
		"reward": "rewards", "Rewards": "rewards", "rewrads": "rewards", "reward_model": "reward_models", "nmae": "name", "colour": "", "x": "", "": "", "t": "to",
	} {
		assert.Equal(t, want, Nearest(word, names), word)
	}
}

func TestLine(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, test := range []struct{ text, want string }{
		{"--to: 3 is\n\tnot  valid", "--to: 3 is not valid"},
		{"a\x1b[31m\x00\xffé\u202e�", `a\x1b[31m\x00\xffé\u202e�`},
		{strings.Repeat("é", 270), strings.Repeat("é", 270)},
		{long + ".json:3:4: found " + long + "; expected a number", strings.Repeat("x", 30) + "…" + strings.Repeat("x", 19) + ".json:3:4: found " + strings.Repeat("x", 30) + "…" + strings.Repeat("x", 28) + "; expected a number"},
		{strings.Repeat("ab ", 89) + strings.Repeat("cd ", 90), strings.Repeat("ab ", 60) + "…" + strings.Repeat("cd ", 29) + "cd"},
	} {
		got := Line(test.text)
		assert.LessOrEqual(t, utf8.RuneCountInString(got), 270)
		assert.Equal(t, test.want, got)
	}
}
