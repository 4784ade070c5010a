// Package number reads numbers as people write them.
package number
