// Package jsonscan reads JSON value by value, and keeps file, line and column of
// each for error messages.
//
// A [Scanner] reads documents of any size piece by piece ([New]), or lines of JSON lines
// in memory ([Scanner.Line]). It accepts the grammar of RFC 8259 with three limits: texts
// are valid UTF-8, objects have each member once, and the depth of nesting is limited.
package jsonscan
