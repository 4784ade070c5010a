package main

// The exercises of docs/course.md: its files in JSON, and its solutions in Python.

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var courseAnswers = regexp.MustCompile("(?s)```text\n(.*?)```")

// TestCourseFiles compares what the command finds for the files with the answers of the page.
func TestCourseFiles(t *testing.T) {
	answers := strings.Split(courseAnswers.FindStringSubmatch(guideText(t, "course.md"))[1], "\n")
	for i, file := range []struct{ line, value, choice, choices string }{
		{"solve admission.json --criterion average --maximize", "value", "action", "admit,admit,admit,admit,admit,refuse,refuse"},
		{"solve repair.json --criterion average --minimize", "value", "action", "run,run,run,repair,repair"},
		{"solve inventory.json --criterion average --maximize", "value", "policy", "3,0,0,0,0"},
		{"solve path.json --criterion total --target work --minimize", "value", "action", "bridge,wait,drive,stay"},
		{"robots solve --lambda 1/2 --mu 1 --gamma 1.4 --buffer 3 --robots 4", "gain", "static_robots", "2"},
		{"refresh rates --input three.jsonl --bandwidth 3", "rate", "id", "a,b,c"},
	} {
		rows := csvRows(t, mustPrint(t, file.line+" -o csv"))
		value, err := strconv.ParseFloat(rows[0][file.value], 64)
		require.NoError(t, err)
		assert.Contains(t, answers[i], fmt.Sprintf("%.4f", value), file.line)
		var choices []string
		for _, row := range rows {
			choices = append(choices, row[file.choice])
		}
		assert.Equal(t, file.choices, strings.Join(choices, ","), file.line)
	}
}

// TestCoursePrograms runs the solutions in Python.
func TestCoursePrograms(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(t.Context(), python, "-c", "import numpy, pandas").Run() != nil {
		t.Skip("no python3 with numpy and pandas: docs/course.py is not run")
	}
	usePythonSource(t)
	script, err := filepath.Abs(filepath.Join(docsFolder, "course.py"))
	require.NoError(t, err)
	running := exec.CommandContext(t.Context(), python, script)
	var stderr strings.Builder
	running.Stderr = &stderr
	stdout, err := running.Output()
	require.NoError(t, err, stderr.String())
	assert.Equal(t, courseAnswers.FindStringSubmatch(guideText(t, "course.md"))[1], string(stdout))
}
