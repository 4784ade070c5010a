// Package freshness measures how much of what a crawler keeps is up to date, for several ways to
// choose which page to fetch next. It plays months in seconds, without HTTP: pages change, come
// and go by laws that have been published, and only it knows when.
package freshness
