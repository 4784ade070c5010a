package main

// Tests of plans that go on from day to day, and of delays.

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/internal/urlhost"
)

// site is the access rates of some pages of four hosts, per day.
type site map[string]float64

// write writes the list of rates.
func (s site) write(t *testing.T, name string) (sum float64) {
	t.Helper()
	text := strings.Builder{}
	text.WriteString("id,rate,unit\n")
	for i := range 1000 { // in the same order each time
		if id := pageID(i); s[id] > 0 {
			fmt.Fprintf(&text, "%s,%v,day\n", id, s[id])
			sum += s[id]
		}
	}
	writeFile(t, name, text.String())
	return sum
}

func pageID(i int) string { return fmt.Sprintf("https://h%d.example/%d", i%4, i) }

// slotsOf returns the ids of a schedule, and their times in days since the beginning of 2026.
func slotsOf(t *testing.T, name string) (ids []string, times []float64) {
	t.Helper()
	for _, row := range strings.Split(strings.TrimSpace(readFile(t, name)), "\n")[1:] {
		cells := strings.Split(row, ",")
		at, err := time.Parse(time.RFC3339, cells[2])
		require.NoError(t, err)
		ids = append(ids, cells[1])
		times = append(times, at.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Hours()/24)
	}
	return ids, times
}

// Three weeks of plans made each morning, for pages of which some leave and some join, at
// rates that change: no page is due twice and never fetched.
func TestPlanOfEachDay(t *testing.T) {
	refreshFolder(t)
	r := rand.New(rand.NewPCG(1, 21))
	pages, present := site{}, 300
	rate := func() float64 { return math.Exp(0.7*r.NormFloat64()) / 5 }
	for i := range present {
		pages[pageID(i)] = rate()
	}
	share, accesses, log := map[string]float64{}, map[string]float64{}, "id,time\n"
	for day := range 21 {
		for i := range present {
			if id := pageID(i); pages[id] > 0 && r.IntN(50) == 0 && day > 0 {
				delete(pages, id)
				pages[pageID(present)] = rate()
				present++
			} else if pages[id] > 0 {
				pages[id] *= math.Exp(0.05 * r.NormFloat64())
			}
		}
		sum := pages.write(t, "rates.csv")
		slots := int(sum) // of the day; its end is not quite that of the calendar
		start := time.Date(2026, 1, 1+day, 0, 0, 0, 0, time.UTC)
		line := fmt.Sprintf("refresh schedule --input rates.csv --wall-clock --length %d --out day%d.csv", slots, day)
		if day == 0 {
			mustRun(t, line+" --now "+start.Format(time.RFC3339))
		} else {
			writeFile(t, "log.csv", log)
			mustRun(t, line+" --last-fetch log.csv --now "+start.Format(time.RFC3339))
		}
		ids, times := slotsOf(t, fmt.Sprintf("day%d.csv", day))
		require.Len(t, ids, slots)
		for i, id := range ids {
			lag := share[id] + (times[i]-float64(day))*pages[id] - accesses[id]
			require.InDelta(t, 0, lag, 6, "%s on day %d", id, day) // at first, pages never accessed come before it
			accesses[id]++
			log += fmt.Sprintf("%s,%s\n", id, start.Add(time.Duration((times[i]-float64(day))*24*float64(time.Hour))).Format(time.RFC3339Nano))
		}
		for id, rate := range pages {
			share[id] += rate
		}
	}
	for id, share := range share {
		assert.False(t, share >= 2 && accesses[id] == 0, "%s was due %v times", id, share)
	}
}

// No two accesses to a host are nearer than its delay, in a plan and from one to the next;
// what has to be left out is said, and the least possible.
func TestHostDelays(t *testing.T) {
	refreshFolder(t)
	pages := site{}
	for i := range 80 {
		pages[pageID(i)] = float64(1 + i%9)
	}
	sum := pages.write(t, "rates.csv")
	writeFile(t, "delays.csv", "host,delay,unit\nh0.example,1/2,hour\nh2.example,,hour\n")
	delays := map[string]float64{"https://h0.example": 30, "https://h1.example": 2, "https://h2.example": 2, "https://h3.example": 2}
	const line = "refresh schedule --input rates.csv --wall-clock --host-delay 2min --host-delays delays.csv -o json"
	last := map[string]float64{}
	for day, start := range []string{" --now 2026-01-01T00:00:00Z", " --last-fetch day0.csv"} {
		name := fmt.Sprintf("day%d.csv", day)
		status, stdout, stderr := execute(t, fmt.Sprintf("%s --length %d --out %s%s", line, int(sum), name, start))
		require.Zero(t, status, stderr)
		assert.Contains(t, stderr, `the delay of "h0.example" is too long for the rates`)
		var answer struct {
			Empty int     `json:"empty"`
			Lost  float64 `json:"lost"`
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &answer))
		// Slots are 1440/sum minutes apart.
		asked := 0.0
		for id, rate := range pages {
			if strings.Contains(id, "h0.") {
				asked += rate
			}
		}
		assert.InDelta(t, asked/sum-1/math.Ceil(30*sum/1440), answer.Lost, 1e-12)
		ids, times := slotsOf(t, name)
		empty := 0
		for i, id := range ids {
			if id == "" {
				empty++
				continue
			}
			host := id[:strings.LastIndex(id, "/")]
			if before, found := last[host]; found {
				require.GreaterOrEqual(t, (times[i]-before)*1440, delays[host]-1e-4, "%s, day %d", id, day) // times are to the millisecond
			}
			last[host] = times[i]
		}
		assert.Equal(t, answer.Empty, empty)
		assert.Zero(t, empty)
	}
	writeFile(t, "changes.csv", strings.Replace(readFile(t, "rates.csv"), ",rate,", ",change_rate,", 1))
	mustRun(t, "refresh evaluate --input changes.csv --schedule day0.csv --bandwidth 400/day --unit day")
}

// With the caps that rates were found with, no window of a day has more accesses to a host
// than its cap.
func TestCapsOfEveryWindow(t *testing.T) {
	refreshFolder(t)
	text := strings.Builder{}
	text.WriteString("id,change_rate\n")
	for i := range 90 {
		fmt.Fprintf(&text, "%s,%d\n", pageID(i), 1+i%11)
	}
	writeFile(t, "pages.csv", text.String())
	writeFile(t, "caps.csv", "host,cap,unit\nH0.example,5,day\nh1.example,12,day\nh2.example,,day\n")
	const caps = " --host-cap 40/day --host-caps caps.csv"
	mustRun(t, "refresh rates --input pages.csv --unit day --bandwidth 300 --out rates.csv"+caps)
	most := map[string]int{"https://h0.example": 5, "https://h1.example": 12, "https://h2.example": 300, "https://h3.example": 40}
	for flags, kept := range map[string]bool{"": false, caps: true} {
		mustRun(t, "refresh schedule --input rates.csv --length 3000 --wall-clock --now 2026-01-01T00:00:00Z --out plan.csv"+flags)
		ids, times := slotsOf(t, "plan.csv")
		exceeded, before := 0, map[string][]float64{}
		for i, id := range ids {
			if id == "" {
				continue
			}
			host := id[:strings.LastIndex(id, "/")]
			before[host] = append(before[host], times[i])
			if n := len(before[host]); n > most[host] && times[i]-before[host][n-1-most[host]] < 1-1e-7 { // times are to the millisecond
				exceeded++
			}
		}
		assert.Equal(t, kept, exceeded == 0, "%q: %d", flags, exceeded)
	}
	_, _, stderr := execute(t, "refresh schedule --input rates.csv --length 5 --host-cap 0")
	assert.Contains(t, stderr, "--host-cap: 0 is not valid")
	writeFile(t, "caps.csv", "host,cap,unit\nh0.example,0,day\n")
	status, _, stderr := execute(t, "refresh schedule --input rates.csv --length 5 --host-caps caps.csv")
	assert.Equal(t, 2, status)
	assert.Equal(t, "mdpsolve: --host-caps: host \"h0.example\" has the cap 0: leave its pages out of rates.csv\n", stderr)
}

// A fetch of a page that has left keeps its host busy, and its registered domain, though
// that has no other page of the host.
func TestDelaysAfterPagesThatHaveLeft(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "rates.csv", "id,rate,unit\nhttps://a.example/1,5,day\nhttps://www.b.example/1,5,day\n")
	writeFile(t, "log.csv", "id,time\nhttps://a.example/left,2026-01-01T00:00:00Z\nhttps://old.b.example/,2026-01-01T00:00:00Z\n")
	for options, want := range map[string]map[string]float64{ // hours to the first access
		"--host-delay 8h":                  {"a": 8, "b": 0},
		"--host-delay 8h --group-delay 8h": {"a": 8, "b": 8},
	} {
		mustRun(t, "refresh schedule --input rates.csv --length 10 --wall-clock --last-fetch log.csv --out plan.csv "+options)
		ids, times := slotsOf(t, "plan.csv")
		first := map[string]float64{}
		for i, id := range slices.Backward(ids) {
			if id != "" {
				first[urlhost.Domain(id[strings.Index(id, "//")+2 : strings.LastIndex(id, "/")])[:1]] = times[i] * 24
			}
		}
		assert.Len(t, first, 2, options)
		for domain, hours := range first {
			assert.GreaterOrEqual(t, hours, want[domain]-1e-6, options)
			assert.Less(t, hours, want[domain]+4.8, options) // two slots
		}
	}
}

// Neither of a host nor of a group of hosts are two accesses nearer than the delay: not in
// a plan, not from one to the next, and not from what has been fetched before. Groups are
// registered domains, or as the list says. What is lost is what the two delays cost.
func TestGroupDelays(t *testing.T) {
	refreshFolder(t)
	const slots = 1440 // a day, one a minute
	hostOf := func(i int) string { return fmt.Sprintf("www%d.d%d.example", i%3, i/3%5) }
	groupOf := func(i int) string {
		if i/3%5 < 2 && i%3 < 2 {
			return "192.0.2.7"
		}
		return fmt.Sprintf("d%d.example", i/3%5)
	}
	hostDelays := func(host string) float64 {
		if host == "www1.d1.example" || host == "www2.d4.example" {
			return 40
		}
		return 3
	}
	write := func(name string, from, to int) (accesses map[string]float64) {
		weights, sum := make([]float64, to), 0.0
		for i := from; i < to; i++ {
			weights[i] = float64(1 + i%7)
			if i/3%5 == 3 {
				weights[i] *= 4
			}
			sum += weights[i]
		}
		text, byHost := "url,rate,unit\n", map[string]float64{}
		for i := from; i < to; i++ {
			rate := weights[i] / sum * slots
			text += fmt.Sprintf("https://%s/%d,%v,day\n", hostOf(i), i, rate)
			byHost[hostOf(i)] += rate
		}
		writeFile(t, name, text)
		byGroup := map[string]float64{}
		for i := range 15 {
			byGroup[groupOf(i)] += min(byHost[hostOf(i)], slots/hostDelays(hostOf(i)))
		}
		return byGroup
	}
	writeFile(t, "delays.csv", `host,delay,group,unit
www0.d0.example,3,192.0.2.7,minute
www1.d0.example,3,192.0.2.7,minute
www0.d1.example,3,192.0.2.7,minute
www1.d1.example,40,192.0.2.7,minute
www2.d4.example,40,,minute
`)
	const options = "--wall-clock --host-delay 3min --host-delays delays.csv --group-delay 5min --length 1440 -o json --out "
	lastHost, lastGroup := map[string]float64{}, map[string]float64{}
	for day, line := range []string{
		"--now 2026-01-01T00:00:00Z ", "--last-fetch log.csv --now 2026-01-02T00:00:00Z ", "--last-fetch log.csv --now 2026-01-03T00:00:00Z ",
	} {
		name := fmt.Sprintf("day%d.csv", day)
		asked := write("rates.csv", 5*day, 90+5*day)
		_, stdout, stderr := execute(t, "refresh schedule --input rates.csv "+line+options+name)
		assert.Contains(t, stderr, "the delays of 2 hosts and 1 group of hosts, such as ", stderr)
		var answer struct {
			HostsCut  int     `json:"hosts_cut"`
			GroupsCut int     `json:"groups_cut"`
			Lost      float64 `json:"lost"`
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &answer), stderr)
		kept := 0.0
		for _, asked := range asked {
			kept += min(asked, slots/5)
		}
		assert.InDelta(t, 1-kept/slots, answer.Lost, 1e-9)
		assert.Equal(t, []int{2, 1}, []int{answer.HostsCut, answer.GroupsCut})
		log := "url,time\n"
		ids, times := slotsOf(t, name)
		for slot, id := range ids {
			if id == "" {
				continue
			}
			var i int
			_, err := fmt.Sscanf(id[strings.LastIndex(id, "/"):], "/%d", &i)
			require.NoError(t, err)
			minute := math.Round(times[slot] * 1440)
			for _, level := range []struct {
				last  map[string]float64
				name  string
				delay float64
			}{{lastHost, hostOf(i), hostDelays(hostOf(i))}, {lastGroup, groupOf(i), 5}} {
				if before, found := level.last[level.name]; found {
					require.GreaterOrEqual(t, minute-before, level.delay, "%s, day %d", level.name, day)
				}
				level.last[level.name] = minute
			}
			log += fmt.Sprintf("%s,%s\n", id, time.Date(2026, 1, 1, 0, int(minute), 0, 0, time.UTC).Format(time.RFC3339))
		}
		writeFile(t, "log.csv", log)
	}
}

// Delays reach back over plans though all pages of a host have left, and others joined, and
// though they are longer than before.
func TestDelaysReachBack(t *testing.T) {
	refreshFolder(t)
	write := func(name, page string) {
		text := "url,rate,unit\n"
		for host := range 6 {
			text += fmt.Sprintf("https://h%d.d%d.example/%s,240,day\n", host, host/2, page)
		}
		writeFile(t, name, text)
	}
	write("monday.csv", "old")
	write("tuesday.csv", "new")
	const line = "refresh schedule --wall-clock --length 100 " // a slot each minute
	mustRun(t, line+"--input monday.csv --host-delay 5min --group-delay 2min --now 2026-01-01T00:00:00Z --out monday.slots.csv")
	mustRun(t, line+"--input tuesday.csv --host-delay 20min --group-delay 9min --last-fetch monday.slots.csv --out tuesday.slots.csv")
	last, before := map[string]float64{}, 0
	for _, name := range []string{"monday.slots.csv", "tuesday.slots.csv"} {
		ids, times := slotsOf(t, name)
		for i, id := range ids {
			if id == "" {
				continue
			}
			host, _, _ := strings.Cut(strings.TrimPrefix(id, "https://"), "/")
			minute := times[i] * 1440
			for group, delay := range map[string]float64{host: 20, host[strings.Index(host, ".")+1:]: 9} {
				if at, found := last[group]; found && name[0] == 't' {
					require.GreaterOrEqual(t, minute-at, delay-1e-4, "%s in slot %d", group, i+1)
					if at <= 100 {
						before++
					}
				}
				last[group] = minute
			}
		}
	}
	assert.Equal(t, 6+3, before, "hosts and groups that were compared with Monday")
}

// The delay of a host that has no pages in one plan is kept in the plan after that.
func TestDelaysOfHostsThatComeBack(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "both.csv", "id,rate,unit\nhttps://x.example/,24,day\nhttps://y.example/,24,day\n")
	writeFile(t, "one.csv", "id,rate,unit\nhttps://y.example/,24,day\n")
	plan := func(input, out string, length int, options string) {
		mustRun(t, fmt.Sprintf("refresh schedule --input %s.csv --length %d --wall-clock --host-delay 30h --group-delay 1h --out %s.csv%s", input, length, out, options))
	}
	plan("both", "day1", 4, " --now 2026-01-01T00:00:00Z")
	before, at := slotsOf(t, "day1.csv")
	last := at[slices.Index(before, "https://x.example/")] // in days
	plan("one", "day2", 2, " --last-fetch day1.csv")
	_, rows, _ := strings.Cut(readFile(t, "day2.csv"), "\n")
	writeFile(t, "log.csv", readFile(t, "day1.csv")+rows)
	plan("both", "day3", 96, " --last-fetch log.csv")
	ids, times := slotsOf(t, "day3.csv")
	first := slices.Index(ids, "https://x.example/")
	require.GreaterOrEqual(t, first, 0)
	assert.InDelta(t, last+30./24, times[first], 1./24)
	assert.GreaterOrEqual(t, times[first], last+30./24-1e-6)
}

// Delays of 3 and 5 slots allow 8 accesses in 15 slots, if each is looked at by itself. Both can be
// had half of the time at most, as 3 and 5 have no common divisor. That is said before the first slot.
func TestDelaysInEachOthersWay(t *testing.T) {
	refreshFolder(t)
	writeFile(t, "rates.csv", "url,rate\nhttps://a.example/,8\nhttps://b.example/,7\n")
	writeFile(t, "delays.csv", "host,delay\na.example,3/15\nb.example,5/15\n")
	const line = "refresh schedule --input rates.csv --host-delays delays.csv --length "
	status, stdout, stderr := execute(t, line+"3000")
	require.Zero(t, status)
	empty := strings.Count(stdout, ",\n")
	assert.InDelta(t, 1500, empty, 5)
	assert.Contains(t, stderr, "46.67% of all accesses are left out")
	assert.Contains(t, stderr, fmt.Sprintf("%d of the first 3000 slots are empty, because all pages that are due have to wait for their hosts", empty))

	_, stdout, stderr = execute(t, line+"200000 --out slots.csv")
	assert.Contains(t, stderr, "of the first 65536 slots are empty")
	assert.Contains(t, stdout, "of these slots are empty")
	writeFile(t, "delays.csv", "host,delay\na.example,3/15\nb.example,6/15\n")
	_, _, stderr = execute(t, line+"3000")
	assert.NotContains(t, stderr, "of the first", "every third slot and every sixth one")

	// Seven slots, by floats 7.000000000000001.
	writeFile(t, "rates.csv", "url,rate,unit\nhttps://a.example/,33600,day\nhttps://b.example/,33600,day\n")
	_, _, stderr = execute(t, "refresh schedule --input rates.csv --host-delay 9s --length 3")
	assert.Contains(t, stderr, `71.43% of all accesses are left out; to give them to other pages, use "refresh rates" with --host-cap 9600/day`)
	slot, last := 0, 0
	for row := range strings.Lines(slotsInOneGo(t, "refresh schedule --input rates.csv --host-delay 9s --length 303")) {
		if slot++; strings.Contains(row, "a.example") {
			if last > 0 {
				require.Equal(t, 7, slot-last, "slot %d", slot)
			}
			last = slot
		}
	}
}

func TestPlanBadUsage(t *testing.T) {
	refreshFolder(t)
	site{pageID(0): 1, pageID(1): 2}.write(t, "rates.csv")
	writeFile(t, "unitless.csv", "id,rate\n"+pageID(0)+",1\n")
	writeFile(t, "log.csv", "id,time\n"+pageID(0)+",2026-01-05T00:00:00Z\n")
	writeFile(t, "mixed.csv", "id,time\n"+pageID(0)+",2026-01-05T00:00:00Z\n"+pageID(1)+",7\n")
	writeFile(t, "numbers.csv", "id,time\n"+pageID(0)+",7\n")
	writeFile(t, "delays.csv", "host,delay\nh0.example,7\n")
	writeFile(t, "groups.csv", "host,delay,group,unit\nh0.example,7,192.0.2.7,second\n")
	writeFile(t, "nodelays.csv", "host,delay,unit\n")
	mustRun(t, "refresh schedule --length 5 --input rates.csv --host-delays nodelays.csv")
	const line = "refresh schedule --length 5 --input rates.csv "
	for _, test := range []struct{ line, want string }{
		{line + "--last-fetch log.csv --method random", "--last-fetch: log.csv is not valid here: use it with --method edf"},
		{line + "--host-delay 3s --method random", "--host-delay: 3s is not valid here: use it with --method edf"},
		{line + "--now 7", "--now: 7 is not valid here: use it with --wall-clock or --last-fetch"},
		{line + "--last-fetch log.csv --now 2026-01-04", "--now: 2026-01-04 is before the latest time in log.csv: use that time or a later one"},
		{line + "--last-fetch log.csv --now 7", `--now: "7" is not valid: use a time`},
		{line + "--last-fetch numbers.csv --now 2026-01-04", `--now: "2026-01-04" is not valid: use a number, like the times in --last-fetch`},
		{line + "--last-fetch mixed.csv", "mixed.csv:3:"},
		{line + "--last-fetch nowhere.csv", "nowhere.csv: no such file"},
		{"refresh schedule --length 5 --input unitless.csv --last-fetch log.csv", "--unit: missing: the rates in unitless.csv have no unit, and --last-fetch needs one"},
		{"refresh schedule --length 5 --input unitless.csv --host-delay 3s", "--host-delay: 3s has a unit, and the rates in unitless.csv have none"},
		{line + "--host-delay 3", "--host-delay: 3 has no unit"},
		{line + "--host-delay -3s", "--host-delay: -3s is not valid: use a duration above 0"},
		{line + "--host-delays delays.csv", "--host-delays: only one of delays.csv and rates.csv has a unit"},
		{line + "--host-delays groups.csv", "--group-delay: missing, but groups.csv has groups of hosts: give their delay, such as 1s"},
		{line + "--group-delay 0s", "--group-delay: 0s is not valid: use a duration above 0"},
		{line + "--group-delay 3s --method random", "--group-delay: 3s is not valid here: use it with --method edf"},
	} {
		status, stdout, stderr := execute(t, test.line)
		assert.Equal(t, 2, status, test.line)
		assert.Empty(t, stdout, test.line)
		assert.Contains(t, stderr, test.want, test.line)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}
