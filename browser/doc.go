// Package browser holds no code: its tests open the live page of mdpsolve serve, and
// files of mdpsolve report, in a real headless Chromium. The script run installs what
// they need.
package browser
