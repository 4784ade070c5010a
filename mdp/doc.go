// Package mdp is a placeholder.
package mdp
