// Package controller decides for a crawler whose rates are unknown.
//
// An [Adaptive] counts pages and robots in a crawler, estimates the rates, and decides by
// policies that it computes for them.
package controller
