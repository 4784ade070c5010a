package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A machine that runs tests has some.
func TestAvailable(t *testing.T) { assert.Greater(t, Available(), 1e6) }
