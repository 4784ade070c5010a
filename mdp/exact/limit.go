package exact

import (
	"fmt"

	"github.com/mdpsolve/mdpsolve/mdp"
)

// MemoryLimit is how many bytes the numbers of an answer, and what it takes to
// find them, may need: 1 GiB. A model that needs more is refused with
// [mdp.ErrTooLarge], before the work where that can be told from its size, and
// otherwise once its numbers turn out to have that many digits. They may have n
// times those of a probability for n states: at 53 binary digits the limit is at
// some 8,000 states, and at few digits at 90,000.
const MemoryLimit = 1 << 30

// checkForecast returns an error where the bytes are above the limit.
func checkForecast(what string, bytes float64) error {
	if bytes <= MemoryLimit {
		return nil
	}
	return fmt.Errorf("exact: %w: %s would take %.4g MiB; %d MiB are allowed", mdp.ErrTooLarge, what, bytes/(1<<20), MemoryLimit>>20)
}
