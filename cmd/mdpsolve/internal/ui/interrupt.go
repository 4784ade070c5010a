package ui

// How long commands wait for work that does not end soon after its context.

import "time"

// Patience is how long a command that is interrupted, or at its time limit, waits for an
// answer of running work. The work must not call [Arguments.Fail].
const Patience = 400 * time.Millisecond
