package store

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// storeToFill names the store that a process, started by the test below, is to fill
// until it is killed.
const storeToFill = "MDPSOLVE_STORE_TO_FILL"

func TestMain(m *testing.M) {
	if path := os.Getenv(storeToFill); path != "" {
		panic(fill(path))
	}
	os.Exit(m.Run())
}

// writers is the number of goroutines that fill a store.
const writers = 8

// fill adds a page for each writer and visits it once a minute, over and over; sometimes
// it removes the page, and adds it again. It says on standard output what has been
// acknowledged: the writer, and the number of visits of its page, -1 for no page.
func fill(path string) error {
	s, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	faults := make(chan error)
	for writer := range writers {
		go func() {
			id := fmt.Sprint("page ", writer)
			visits := int64(-1)
			if status, err := s.Page(id); err == nil {
				visits = status.Visits
			}
			for {
				var err error
				switch visits {
				case -1:
					err = s.Put(Page{ID: id, Host: "host"})
					visits = 0
				case 300:
					_, err = s.Remove(id)
					visits = -1
				default:
					visits++
					err = s.Record(Visit{ID: id, Time: begin.Add(time.Duration(visits) * time.Minute), Outcome: Unchanged + Outcome(visits%2)})
				}
				if err != nil {
					faults <- err
				}
				fmt.Println(writer, visits) // in one piece
			}
		}()
	}
	return <-faults
}

// Whatever moment a process is killed at, all that it was told to be on disk is there:
// each page as it was last acknowledged, or as the one write that was under way has left
// it.
func TestKilledProcessesLoseNothing(t *testing.T) {
	kills := 10
	if *longRun {
		kills = 100
	}
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "pages.db")
	s, err := Create(t.Context(), path, Settings{Bandwidth: 100})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	acknowledged := [writers]int64{}
	for writer := range acknowledged {
		acknowledged[writer] = -1
	}
	writes := 0
	for range kills {
		process := exec.Command(os.Args[0])
		process.Env = append(os.Environ(), storeToFill+"="+path)
		process.Stderr = os.Stderr
		output, err := process.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, process.Start())
		moment := time.Duration(r.IntN(60_000)) * time.Microsecond
		lines := bufio.NewScanner(output)
		for first := true; lines.Scan(); first = false {
			if first {
				time.AfterFunc(moment, func() { _ = process.Process.Kill() })
			}
			var writer int
			var visits int64
			_, err := fmt.Sscan(lines.Text(), &writer, &visits)
			require.NoError(t, err)
			acknowledged[writer] = visits
			writes++
		}
		require.EqualError(t, process.Wait(), "signal: killed")

		s, err := Open(t.Context(), path)
		require.NoError(t, err)
		for writer, visits := range acknowledged {
			found := int64(-1)
			if status, err := s.Page(fmt.Sprint("page ", writer)); err == nil {
				found = status.Visits
				if found > 0 {
					require.Equal(t, begin.Add(time.Duration(found)*time.Minute), status.Visited)
					require.Equal(t, found-1, status.Seen)
					require.Equal(t, (found-1)/2, status.Changes, "every second one, but not the first")
				}
			} else {
				require.ErrorIs(t, err, ErrNoPage)
			}
			next := visits + 1
			if visits == 300 {
				next = -1
			}
			require.Contains(t, []int64{visits, next}, found, "writer %d", writer)
			acknowledged[writer] = found
		}
		require.NoError(t, s.Close())
	}
	t.Logf("%d processes killed, %d writes acknowledged, none lost", kills, writes)
}
