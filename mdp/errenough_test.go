package mdp_test

import "errors"

// errEnough is the cause with which tests end a context or a recorder.
var errEnough = errors.New("enough")
