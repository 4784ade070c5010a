// Package jsonscan reads JSON value by value, and knows file, line and column of
// each, so that errors can name the place.
//
// One [Scanner] reads documents ([New]), which are read piece by piece and may be
// of any size, and the objects of JSON lines ([Scanner.Line]), which lie in memory.
// It takes the grammar of RFC 8259 and no more: texts are valid UTF-8, objects have
// each member once, values are nested to a limited depth.
package jsonscan
