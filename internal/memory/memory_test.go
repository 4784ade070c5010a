package memory

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A machine that runs tests has some.
func TestAvailable(t *testing.T) { assert.Greater(t, Available(), 1e6) }

// A group is within those above it. What files of both versions of control groups look like is
// in the manual page cgroups(7).
func TestLimits(t *testing.T) {
	assert.Equal(t, []string{
		"/sys/fs/cgroup/user.slice/run-u1.scope/memory.max",
		"/sys/fs/cgroup/user.slice/memory.max",
		"/sys/fs/cgroup/memory.max",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes",
	}, limits("0::/user.slice/run-u1.scope\n"))
	assert.Equal(t, []string{
		"/sys/fs/cgroup/memory.max",
		"/sys/fs/cgroup/memory/docker/f00d/memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes",
	}, limits("9:name=systemd:/docker/f00d\n4:cpu,memory:/docker/f00d\n3:cpuset:/other\n"))
	assert.Equal(t, []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}, limits(""))
	assert.Equal(t, []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}, limits("0::/../..\n"), "outside the namespace")
}
