package number

import (
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var long = flag.Bool("long", false, "read millions of random numbers instead of hundreds of thousands")

// sameAsStrconv compares with the standard library, to the bit.
func sameAsStrconv(t *testing.T, text string) {
	t.Helper()
	want, err := strconv.ParseFloat(text, 64)
	got, fault := Parse(text)
	allowed := err == nil && strings.Trim(text, "+-.0123456789eE") == ""
	if allowed && want == 0 {
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		allowed = !strings.ContainsAny(mantissa, "123456789")
	}
	if (fault == nil) != allowed || allowed && math.Float64bits(want) != math.Float64bits(got) {
		t.Fatalf("%q: %v, %v, not %v, %v", text, got, fault, want, allowed)
	}
}

func TestNumbersAreThoseOfStrconv(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "+1", "1.", ".5", ".", "", "-", "e5", "1e", "1e+", "1e-3", "1E5", "1.5e10", "007", "1_0", "0x10", "inf", "NaN", "1 ", " 1",
		"1.7976931348623157e308", "1.8e308", "5e-324", "2e-324", "1e-400", "0e-400", "0e999999999999999999999", "1e999999999999999999999",
		"9007199254740993", "9007199254740993.0", "9007199254740992.5", "9007199254740993e-1", "18446744073709551615", "18446744073709551616",
		"0.1", "0.30000000000000004", "123456789012345678901234567890", "0.000000000000000000000000000001", "1e22", "1e23", "1e-22", "1e-23", "1..2", "1.2.3", "--1",
		"00000000000000000000000000000000001.5", "0.99999999999999999999999999999", "4503599627370496.5", "4503599627370497.5",
	} {
		sameAsStrconv(t, text)
	}
	random := rand.New(rand.NewPCG(5, 9))
	count := 200_000
	if *long {
		count = 2_000_000
	}
	for range count {
		var text string
		switch random.IntN(4) {
		case 0: // the shortest text of any float
			text = strconv.FormatFloat(math.Float64frombits(random.Uint64()), 'g', -1, 64)
		case 1: // what people write
			text = strconv.FormatFloat(random.ExpFloat64(), 'g', 1+random.IntN(20), 64)
		case 2: // halfway between two floats, or nearly so
			m := uint64(1)<<53 | random.Uint64N(1<<53)
			text = strconv.FormatUint(m|1, 10) + "e-" + strconv.Itoa(random.IntN(30))
		default:
			text = strconv.FormatUint(random.Uint64()>>random.IntN(64), 10)
			at := random.IntN(len(text) + 1)
			text = text[:at] + "." + text[at:] + "e" + strconv.Itoa(random.IntN(60)-30)
		}
		sameAsStrconv(t, text)
	}
}

// Exact ties, which are the hard case: (2k+1)·2^j in decimals of up to 19 digits.
func TestTiesGoToEven(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 10))
	for range 100_000 {
		m := uint64(1)<<53 | random.Uint64N(1<<53) | 1 // 54 bits: halfway
		sameAsStrconv(t, strconv.FormatUint(m, 10))
		sameAsStrconv(t, strconv.FormatUint(m, 10)+"0e-1")
		sameAsStrconv(t, strconv.FormatUint(m/2, 10)+".5") // m/2 + ½
	}
	value, err := Parse("-1.5")
	require.NoError(t, err)
	assert.Equal(t, -1.5, value)
}

func FuzzNumber(f *testing.F) {
	for _, text := range []string{"1", "1/3", "1234567894123/56.5", "-1.5e3", "0x1p3", "1e400", "12345678901234567890.5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1000 && !strings.Contains(text, "/") {
			sameAsStrconv(t, text)
		}
	})
}

func BenchmarkNumber(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 9))
	var texts [1024]string
	for i := range texts {
		texts[i] = strconv.FormatFloat(random.ExpFloat64(), 'f', 4, 64)
	}
	b.Run("own", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, _ = Parse(texts[i%1024])
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_, _ = strconv.ParseFloat(texts[i%1024], 64)
		}
	})
}
