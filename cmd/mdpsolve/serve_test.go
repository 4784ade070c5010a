package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/mdpsolve/mdpsolve/cmd/mdpsolve/app"
)

// served is a server under test. Its temporary files are in folder.
type served struct {
	url, folder string
	client      *http.Client
}

// startServer runs the verb serve until the end of the test. Then it has to end within
// a second, and to leave no goroutine, connection or file behind.
func startServer(t *testing.T) *served {
	t.Helper()
	before := goleak.IgnoreCurrent()
	s := &served{folder: t.TempDir(), client: &http.Client{Transport: &http.Transport{MaxConnsPerHost: 0}}}
	t.Setenv("TMPDIR", s.folder)
	ctx, cancel := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	ended := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		ended <- app.Run(ctx, []string{"mdpsolve", "serve", "--address", "127.0.0.1:0"}, writer, &stderr)
	}()
	line := make([]byte, 100)
	n, err := reader.Read(line)
	require.NoError(t, err)
	require.Regexp(t, `^listening on http://127\.0\.0\.1:[0-9]+\n$`, string(line[:n]))
	s.url = strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "listening on "))
	t.Cleanup(func() {
		begin := time.Now()
		cancel()
		assert.Zero(t, <-ended)
		assert.Less(t, time.Since(begin), 5*time.Second, "it takes its time to end")
		assert.Empty(t, stderr.String())
		s.client.CloseIdleConnections()
		goleak.VerifyNone(t, before)
		left, err := os.ReadDir(s.folder)
		require.NoError(t, err)
		assert.Empty(t, left)
	})
	return s
}

// ask sends a request with files, which are posted, and returns its answer.
func (s *served) ask(t *testing.T, path string, files ...string) (reply, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if len(files) > 0 {
		body, kind := form(t, files...)
		request, err = http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, body)
		request.Header.Set("Content-Type", kind)
	}
	require.NoError(t, err)
	return s.send(t, request)
}

// reply is an answer but its body.
type reply struct {
	StatusCode int
	Header     http.Header
}

func (s *served) send(t *testing.T, request *http.Request) (reply, string) {
	t.Helper()
	response, err := s.client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close() //nolint:errcheck // it was only read
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return reply{response.StatusCode, response.Header}, string(body)
}

// form returns a body with files. The part of a policy has that name, and that of part=name the
// name before =.
func form(t *testing.T, files ...string) (body *bytes.Buffer, kind string) {
	t.Helper()
	body = &bytes.Buffer{}
	writer := multipart.NewWriter(body)
	for _, name := range files {
		field := "file"
		if strings.HasPrefix(filepath.Base(name), "policy") {
			field = "policy"
		}
		if part, rest, is := strings.Cut(name, "="); is {
			field, name = part, rest
		}
		part, err := writer.CreateFormFile(field, filepath.Base(name))
		require.NoError(t, err)
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		_, err = part.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return body, writer.FormDataContentType()
}

// shell runs a command line as bash does.
func shell(t *testing.T, line string) string {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "bash", "-c", `mdpsolve() { "$TESTED" "$@"; }; `+line)
	command.Env = append(os.Environ(), asProgram+"=1", "TESTED="+executable)
	stdout, err := command.Output()
	if err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return string(stdout)
}

const queueQuery = "buffer=5&lambda=1/10&mu=1&gamma=1.4"

// The answer is what the command line that comes with it prints, apart from times.
func TestServedAnswersAreThoseOfTheCommandLine(t *testing.T) {
	modelFolder(t)
	for name, text := range refreshFiles {
		writeFile(t, name, text)
	}
	writeFile(t, "policy.csv", "state,action\n0,1\n1,1\n2,1\n")
	mustPrint(t, "solve taxicab.json --criterion average --maximize --out result.json")
	mustPrint(t, "evaluate taxicab.json --criterion average --policy policy.csv --out value.json")
	mustPrint(t, "solve paths.drn --criterion total --target goal --minimize --policy-out shortest.csv")
	taxicab, err := os.ReadFile("taxicab.json")
	require.NoError(t, err)
	const odd = "it's a λ & $HOME.json"
	writeFile(t, odd, string(taxicab))
	s := startServer(t)
	for _, test := range []struct {
		path, line string // the beginning of the command line
		files      []string
	}{
		{"/api/robots?robots=16&" + queueQuery, "mdpsolve robots solve --robots 16 --buffer 5 --lambda 1/10 --mu 1 --gamma 1.4", nil},
		{"/api/robots?distribution=true&robots=6&" + queueQuery, "mdpsolve robots solve --robots 6 --buffer 5", nil},
		{"/api/robots?class=3@1/20&class=2@0.2&buffer=5&mu=1&gamma=1.4&robot-cost=0.01", "mdpsolve robots solve --buffer 5", nil},
		{"/api/robots?robots=16&service=hyperexponential:0.5@1,0.5@3&" + queueQuery, "mdpsolve robots solve --robots 16", nil},
		{"/api/robots?output=csv&robots=16&" + queueQuery, "mdpsolve robots solve --robots 16", nil},
		{"/api/robots?robots=40&method=rvi&max-iterations=3&" + queueQuery, "mdpsolve robots solve --robots 40", nil},
		{"/api/robots/frontier?from=1&to=2&robots=8&buffer=5&lambda=1/10&mu=1", "mdpsolve robots frontier --from 1", nil},
		{"/api/static?" + queueQuery, "mdpsolve static --buffer 5", nil},
		{"/api/static/sweep?over=gamma&from=1&to=2&steps=3&buffer=5&lambda=1/10&mu=1", "mdpsolve static sweep --over gamma", nil},
		{"/api/solve?criterion=average&maximize", "mdpsolve solve --criterion average --maximize --output json taxicab.json", []string{"taxicab.json"}},
		{"/api/solve?criterion=discounted&discount=9/10&maximize=true&minimize=false", "mdpsolve solve --criterion discounted", []string{odd}},
		{"/api/solve?criterion=total&target=goal&minimize", "mdpsolve solve --criterion total", []string{"paths.drn"}},
		{"/api/solve?criterion=average", "mdpsolve solve --criterion average --output json twoservers.tra", []string{"twoservers.sta", "twoservers.tra", "twoservers.srew", "twoservers.lab"}},
		{"/api/evaluate?criterion=average&minimize", "mdpsolve evaluate --criterion average", []string{"taxicab.json", "policy.csv"}},
		{"/api/evaluate?criterion=total&target=goal&distribution=0:4:1", "mdpsolve evaluate --criterion total", []string{"paths.drn", "policy=shortest.csv"}},
		{"/api/solve?criterion=average&minimize&reward=cost&constraint=output>%3D1/2&constraint=cost<%3D15", "mdpsolve solve --criterion average", []string{"repairs.json"}},
		{"/api/solve?criterion=average&minimize&reward=cost&pareto=output:max", "mdpsolve solve --criterion average", []string{"repairs.json"}},
		{"/api/solve?property=Pmax%3D?[F<%3D3+\"goal\"]", "mdpsolve solve --property", []string{"paths.drn"}},
		{"/api/solve?criterion=average&maximize&method=policy-iteration&max-iterations=1", "mdpsolve solve --criterion average", []string{"taxicab.json", "start-from=result.json"}},
		{"/api/solve?criterion=finite&horizon=3&discount=1/2&terminal=cost&minimize", "mdpsolve solve --criterion finite", []string{"paths.drn"}},
		{"/api/simulate?criterion=average&horizon=100&seed=7&replications=3", "mdpsolve simulate --criterion average --horizon 100", []string{"taxicab.json", "policy.csv"}},
		{"/api/check?", "mdpsolve check --output json taxicab.json result.json", []string{"taxicab.json", "result=result.json"}},
		{"/api/check?", "mdpsolve check --policy policy.csv --output json taxicab.json value.json", []string{"taxicab.json", "result=value.json", "policy.csv"}},
		{"/api/check?criterion=average&maximize&tolerance=1e-3", "mdpsolve check --criterion average", []string{"taxicab.json", "result=policy.csv"}},
		{"/api/info?", "mdpsolve info --output json", []string{odd}},
		{"/api/refresh/rates?bandwidth=5", "mdpsolve refresh rates --bandwidth 5 --input pages.csv", []string{"pages.csv"}},
		{"/api/refresh/rates?bandwidth=5&output=csv&objective=age", "mdpsolve refresh rates --bandwidth 5", []string{"pages.csv"}},
		{"/api/refresh/rates?bandwidth=5&host-cap=1", "mdpsolve refresh rates --bandwidth 5", []string{"urls.csv"}},
	} {
		response, body := s.ask(t, test.path, test.files...)
		require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", test.path, body)
		line := response.Header.Get("X-Command-Line")
		assert.True(t, strings.HasPrefix(line, test.line), line)
		assert.NotEmpty(t, body, line)
		assert.Equal(t, withoutTimes(shell(t, line)), withoutTimes(body), line)
	}
}

// A download is the file that the command line writes.
func TestServedDownloads(t *testing.T) {
	modelFolder(t)
	writeFile(t, "rates.csv", "id,change_rate\na,1\nb,2\n")
	s := startServer(t)
	for _, test := range []struct {
		path, file, kind string
		files            []string
	}{
		{"/api/robots?download=svg&robots=16&" + queueQuery, "robots.svg", "image/svg+xml", nil},
		{"/api/robots?download=png&robots=16&" + queueQuery, "robots.png", "image/png", nil},
		{"/api/robots?download=pdf&robots=16&" + queueQuery, "robots.pdf", "application/pdf", nil},
		{"/api/robots?download=policy.json&robots=16&" + queueQuery, "policy.json", "application/json", nil},
		{"/api/robots?download=model.json&robots=16&" + queueQuery, "model.json", "application/json", nil},
		{"/api/static/sweep?download=svg&over=gamma&from=1&to=2&buffer=5&lambda=1/10&mu=1", "static-sweep.svg", "image/svg+xml", nil},
		{"/api/solve?download=result.json&criterion=average&maximize", "result.json", "application/json", []string{"taxicab.json"}},
		{"/api/solve?download=policy.csv&criterion=average&maximize", "policy.csv", "text/csv; charset=utf-8", []string{"taxicab.json"}},
		{"/api/solve?download=svg&size=12x8&criterion=average&maximize&method=rvi", "solve.svg", "image/svg+xml", []string{"taxicab.json"}},
		{"/api/convert?download=model.json", "model.json", "application/json", []string{"twoservers.tra", "twoservers.srew", "twoservers.sta", "twoservers.lab"}},
		{"/api/convert?download=model.umb", "model.umb", "application/octet-stream", []string{"taxicab.json"}},
		{"/api/refresh/rates?download=rates.csv&bandwidth=3", "new-rates.csv", "text/csv; charset=utf-8", []string{"rates.csv"}},
	} {
		response, body := s.ask(t, test.path, test.files...)
		require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", test.path, body)
		assert.Equal(t, test.kind, response.Header.Get("Content-Type"))
		assert.Equal(t, `attachment; filename="`+test.file+`"`, response.Header.Get("Content-Disposition"))
		shell(t, response.Header.Get("X-Command-Line"))
		want, err := os.ReadFile(test.file)
		require.NoError(t, err, test.path)
		if test.kind != "application/pdf" { // which has the time at which it was made
			assert.Equal(t, withoutTimes(string(want)), withoutTimes(body), test.path)
		}
	}
}

// No key of a verb for models reads or writes a file of the server, whatever its value.
func TestServedKeysReachNoFile(t *testing.T) {
	modelFolder(t)
	writeFile(t, "policy.csv", "state,action\n0,0\n1,0\n2,0\n")
	writeFile(t, "P=x", "P=? [F \"secret-word\"]")
	before, err := os.ReadDir(".")
	require.NoError(t, err)
	s := startServer(t)
	for _, e := range modelEndpoints() {
		files := []string{"taxicab.json"}
		for _, upload := range e.Uploads {
			if upload == "policy" || upload == "RESULT" {
				files = append(files, strings.ToLower(upload)+"=policy.csv")
			}
		}
		for _, key := range e.Keys {
			for _, value := range []string{"P=x", "./P=x", "P=x:secret", "nosuch.json", "new.csv", "./new.svg"} {
				query := url.Values{"criterion": {"average"}, "maximize": {""}, key: {value}}
				if e.Verb == "convert" {
					query.Set("download", "model.json")
				}
				_, body := s.ask(t, "/api/"+e.Name+"?"+query.Encode(), files...)
				for _, sign := range []string{"secret-word", "no such file", "is a directory"} {
					assert.NotContains(t, body, sign, "%s %s=%s", e.Name, key, value)
				}
			}
		}
	}
	after, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Len(t, after, len(before))
}

func TestServedRefusals(t *testing.T) {
	modelFolder(t)
	writeFile(t, "odd.txt", "no model")
	writeFile(t, "policy.csv", "state,action\n0,0\n1,0\n2,0\n")
	writeFile(t, "pages.parquet", "PAR1…PAR1")
	s := startServer(t)
	for _, test := range []struct {
		path   string
		status int
		text   string
		files  []string
	}{
		{"/api/robots?robots=0&" + queueQuery, 400, "--robots: 0 is not valid: use", nil},
		{"/api/robots?robots=1&robots=2&" + queueQuery, 400, "--robots: given twice", nil},
		{"/api/robots?plot=/tmp/x.svg&robots=1&" + queueQuery, 400, `"plot": unknown key: use robots,`, nil},
		{"/api/robots?policy-out=x.json", 400, `"policy-out": unknown key`, nil},
		{"/api/robots?workers=4000", 400, `"workers": unknown key`, nil},
		{"/api/robots?robots=16&service=ph:/etc/passwd&" + queueQuery, 400, "--service: \"ph:/etc/passwd\" names a file of the server", nil},
		{"/api/static?service=sample:/etc/passwd&" + queueQuery, 400, "--service: ", nil},
		{"/api/static?buffer=1000000&lambda=1/10&mu=1&gamma=1", 400, "--buffer: 1000000 is too large here: use up to 100000", nil},
		{"/api/static/sweep?over=buffer&from=2&to=2000&steps=2&lambda=1/10&mu=1&gamma=1&service=gamma:0.3", 400, "--to: 2000 is too large here: use up to 1000", nil},
		{"/api/robots?robots=100000&buffer=20000&lambda=1/10&mu=1&gamma=1.4", 413, " of memory, and ", nil},
		{"/api/robots?robots=100000000&buffer=5&lambda=1/10&mu=1&gamma=1.4&distribution=true", 413, " of memory, and ", nil},
		{"/api/robots?robots=auto&buffer=5&lambda=1/1000000&mu=1&gamma=1.4", 413, " of memory, and ", nil},
		{"/api/robots/sweep?over=buffer&from=5&to=50000&steps=3&robots=10000&lambda=1/10&mu=1&gamma=1.4", 413, " of memory, and ", nil},
		{"/api/static?%zz", 400, "the query is not valid", nil},
		{"/api/robots?download=/etc/passwd&robots=1&" + queueQuery, 400, "download: ", nil},
		{"/api/robots?output=text&robots=1&" + queueQuery, 400, "--output: ", nil},
		{"/api/robots?distribution=perhaps&robots=1&" + queueQuery, 400, "--distribution: ", nil},
		{"/api/nothing", 404, `"/api/nothing" not found`, nil},
		{"/api/solve", 405, "/api/solve: use POST", nil},
		{"/assets/..%2fserve.go", 404, "not found", nil},
		{"/assets/../assets.go", 404, "not found", nil},
		{"/api/solve?criterion=average", 400, "none of the files is a model", []string{"odd.txt", "twoservers.sta"}},
		{"/api/solve?criterion=average", 400, `file "odd.txt" is no part of the model "taxicab.json": leave it out`, []string{"taxicab.json", "odd.txt"}},
		{"/api/solve?criterion=average", 400, `file "taxicab.json" is no part of the model "twoservers.tra": leave it out`, []string{"taxicab.json", "twoservers.tra", "twoservers.lab"}},
		{"/api/solve?criterion=average", 400, "give --minimize or --maximize", []string{"taxicab.json"}},
		{"/api/solve?policy-out=x.json", 400, `"policy-out": unknown key`, []string{"taxicab.json"}},
		{"/api/solve?start-from=/etc/passwd", 400, `"start-from": unknown key`, []string{"taxicab.json"}},
		{"/api/solve?property=odd.txt", 400, `--property: "odd.txt" names a file of the server`, []string{"taxicab.json"}},
		{"/api/solve?property=/etc/passwd:x", 400, `--property: "/etc/passwd:x" names a file of the server`, []string{"taxicab.json"}},
		{"/api/solve?criterion=average&constraint=output", 400, `--constraint: "output" is not valid`, []string{"taxicab.json"}},
		{"/api/solve?criterion=average", 400, `the part "policy" of the body is not valid`, []string{"taxicab.json", "policy=odd.txt"}},
		{"/api/check?", 400, "no result: send it as a part named result", []string{"taxicab.json"}},
		{"/api/simulate?criterion=average&replications=2000000&horizon=10", 400, "--replications: ", []string{"taxicab.json", "policy.csv"}},
		{"/api/refresh/rates?bandwidth=5", 415, `"pages.parquet" is Parquet`, []string{"pages.parquet"}},
	} {
		response, body := s.ask(t, test.path, test.files...)
		assert.Equal(t, test.status, response.StatusCode, "%s: %s", test.path, body)
		assert.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
		if test.text != "" {
			assert.Contains(t, object(t, body)["error"], test.text, test.path)
			assert.True(t, strings.HasSuffix(body, "}\n"), body)
		}
		assert.NotContains(t, body, s.folder)
	}
}

// A foreign name (DNS rebinding), a foreign page, and a program on this computer.
func TestServedOrigins(t *testing.T) {
	s := startServer(t)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	for _, test := range []struct {
		path, host, header, value string
		status                    int
	}{
		{"/", "", "", "", 200},
		{"/", "localhost:" + port, "", "", 200},
		{"/", "127.0.0.1", "", "", 200},
		{"/", "evil.example:" + port, "", "", 403},
		{"/", "127.0.0.1.evil.example", "", "", 403},
		{"/", "192.0.2.1:" + port, "", "", 403},
		{"/", "[::1]:" + port, "", "", 403}, // it does not listen there
		{"/api/static?" + queueQuery, "", "Origin", s.url, 200},
		{"/api/static?" + queueQuery, "", "Origin", "http://evil.example", 403},
		{"/api/static?" + queueQuery, "", "Origin", "http://127.0.0.1:1", 403},
		{"/api/static?" + queueQuery, "", "Origin", "null", 403},
		{"/api/static?" + queueQuery, "", "Sec-Fetch-Site", "same-origin", 200},
		{"/api/static?" + queueQuery, "", "Sec-Fetch-Site", "cross-site", 403},
		{"/api/static?" + queueQuery, "", "Sec-Fetch-Site", "same-site", 403},
		{"/", "", "Sec-Fetch-Site", "cross-site", 200}, // a link
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+test.path, nil)
		require.NoError(t, err)
		request.Host = test.host
		if test.header != "" {
			request.Header.Set(test.header, test.value)
		}
		response, body := s.send(t, request)
		assert.Equal(t, test.status, response.StatusCode, "%v: %s", test, body)
		assert.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
		assert.Contains(t, response.Header.Get("Content-Security-Policy"), "default-src 'none'")
	}
}

func TestServedPage(t *testing.T) {
	s := startServer(t)
	response, body := s.ask(t, "/")
	assert.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
	assert.Contains(t, body, "<title>")
}

// slowQuery takes minutes to its tolerance.
const slowQuery = "/api/robots?robots=400&buffer=200&lambda=1/200&mu=1&gamma=1.4&method=rvi&tolerance=1e-15"

// slowSweep asks for many of them.
const slowSweep = "/api/robots/sweep?over=robots&from=300&to=400&steps=50&buffer=200&lambda=1/200&mu=1&gamma=1.4&method=rvi&tolerance=1e-15"

// events reads a stream of events.
func events(t *testing.T, text string) (names []string, data []string) {
	t.Helper()
	for event := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(event, "\n")
		name, is := strings.CutPrefix(lines[0], "event: ")
		require.True(t, is, event)
		var content strings.Builder
		for _, line := range lines[1:] {
			part, is := strings.CutPrefix(line, "data: ")
			require.True(t, is, line)
			content.WriteString(part + "\n")
		}
		names, data = append(names, name), append(data, content.String())
	}
	return names, data
}

// No text of a file ends a line of an event, where a name could begin that of another.
func TestServedEventsOfOddNames(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "pages.csv", "id,change_rate\n\"a\revent: progress\",1\nb,2\n")
	s := startServer(t)
	body, kind := form(t, "pages.csv")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/refresh/rates?bandwidth=1&output=csv", body)
	require.NoError(t, err)
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", "text/event-stream")
	_, answer := s.send(t, request)
	assert.NotContains(t, answer, "\r")
	names, data := events(t, answer)
	assert.Equal(t, []string{"result"}, names)
	assert.Contains(t, data[0], "event: progress")
}

func TestServedEvents(t *testing.T) {
	s := startServer(t)
	for _, test := range []struct{ path, last string }{
		{slowQuery + "&time-limit=0.7", "result"},
		{"/api/robots?robots=16&" + queueQuery, "result"},
		{"/api/robots?robots=0&" + queueQuery, "error"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+test.path, nil)
		require.NoError(t, err)
		request.Header.Set("Accept", "text/event-stream")
		response, body := s.send(t, request)
		assert.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
		assert.NotContains(t, response.Header.Get("X-Command-Line"), "--log")
		names, data := events(t, body)
		last := len(names) - 1
		assert.Equal(t, test.last, names[last])
		answer := object(t, data[last])
		if test.last == "error" {
			assert.Contains(t, answer["error"], "--robots: 0 is not valid")
			continue
		}
		assert.Contains(t, answer, "gain")
		for i, name := range names[:last] {
			assert.Equal(t, "progress", name)
			for _, key := range []string{"phase", "iteration", "lower", "upper", "gap", "seconds", "left"} {
				assert.Contains(t, object(t, data[i]), key)
			}
		}
		if strings.HasPrefix(test.path, slowQuery) {
			assert.Equal(t, "time-limit", answer["status"])
			assert.GreaterOrEqual(t, last, 2)
		}
	}
}

// A stream brings the file to download before the answer: one solve gives both.
func TestServedEventsBringTheFile(t *testing.T) {
	s := startServer(t)
	path := s.url + "/api/robots?robots=16&download=svg&" + queueQuery
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	require.NoError(t, err)
	_, file := s.send(t, request)
	request.Header.Set("Accept", "text/event-stream")
	_, body := s.send(t, request)
	names, data := events(t, body)
	last := len(names) - 1
	require.Equal(t, []string{"file", "result"}, names[last-1:])
	assert.Equal(t, file, strings.TrimSuffix(data[last-1], "\n"))
	assert.Contains(t, object(t, data[last]), "gain")
}

// A solve ends when its reader leaves: more than there is room for have left soon.
func TestServedSolvesAreCancelled(t *testing.T) {
	s := startServer(t)
	for range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+slowQuery, nil)
		require.NoError(t, err)
		response, err := s.client.Do(request)
		if err == nil { // those before have not ended yet
			assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
			_ = response.Body.Close()
		} else {
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
	}
	assert.Eventually(t, func() bool { // they end soon
		response, _ := s.ask(t, "/api/robots?robots=16&"+queueQuery)
		return response.StatusCode == http.StatusOK
	}, 3*time.Second, 50*time.Millisecond)
}

// Quick questions have answers while ten slow ones run, which end when their readers leave.
func TestServedQuickAnswersBesideSlowOnes(t *testing.T) {
	s := startServer(t)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var slow []io.Reader
	for range 10 {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+slowSweep, nil)
		require.NoError(t, err)
		request.Header.Set("Accept", "text/event-stream")
		response, err := s.client.Do(request)
		require.NoError(t, err)
		_, err = response.Body.Read(make([]byte, 1)) // it has begun
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		slow = append(slow, response.Body)
	}
	modelFolder(t)
	for range 3 {
		for path, files := range map[string][]string{
			"/api/static?" + queueQuery: nil, "/api/robots?robots=16&" + queueQuery: nil, "/api/info": {"taxicab.json"},
		} {
			begin := time.Now()
			response, body := s.ask(t, path, files...)
			assert.Equal(t, http.StatusOK, response.StatusCode, body)
			t.Logf("%v for %s", time.Since(begin), path)
		}
	}
	leave()
	for _, answer := range slow {
		text, err := io.ReadAll(answer)
		require.ErrorIs(t, err, context.Canceled, string(text)) // it ran until now
	}
}

// The end of the server ends a solve under way, which startServer checks.
func TestServerEndsWhileSolving(t *testing.T) {
	s := startServer(t)
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+slowQuery, nil)
	require.NoError(t, err)
	request.Header.Set("Accept", "text/event-stream")
	response, err := s.client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	first := make([]byte, 1)
	_, err = response.Body.Read(first) // it has begun
	require.NoError(t, err)
}

func TestServeUsage(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	require.NoError(t, err)
	defer listener.Close() //nolint:errcheck // it was only there
	for _, address := range []string{"7377", "127.0.0.1:x", "127.0.0.1:99999", "192.0.2.1:0", listener.Addr().String()} {
		status, stdout, stderr := execute(t, "serve --address "+address)
		assert.Equal(t, 2, status, address)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "--address: ")
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	status, _, stderr := executeContext(ctx, "serve --address 0.0.0.0:0")
	assert.Zero(t, status)
	assert.Contains(t, stderr, "other computers can connect")
}

// A warning with quotes and λ survives in a header.
func TestServedWarnings(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "pages.csv", "id,change_rate\na,1\nb,\"λ\"\n")
	s := startServer(t)
	response, _ := s.ask(t, "/api/refresh/rates?bandwidth=5&allow-left-out=50%25", "pages.csv")
	warnings := response.Header.Values("X-Warning")
	require.NotEmpty(t, warnings)
	var text string
	require.NoError(t, json.Unmarshal([]byte(warnings[0]), &text))
	assert.Contains(t, text, `found "λ"`)
	assert.Contains(t, text, "pages.csv:3:")
}

// A server of a store makes copies, which other verbs read while it runs.
func TestStoreServeCopies(t *testing.T) {
	folder := t.TempDir()
	name, copied := filepath.Join(folder, "pages.db"), filepath.Join(folder, "copy.db")
	run := func(ctx context.Context, stdout io.Writer, arguments ...string) (int, string) {
		var stderr bytes.Buffer
		status := app.Run(ctx, append([]string{"mdpsolve", "store"}, arguments...), stdout, &stderr)
		return status, stderr.String()
	}
	status, fault := run(t.Context(), io.Discard, "set", "--store", name, "--bandwidth", "5/day")
	require.Zero(t, status, fault)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan string, 1)
	go func() {
		_, fault := run(ctx, io.Discard, "serve", "--store", name, "--address", "127.0.0.1:0", "--backup", copied, "--backup-every", "1s")
		ended <- fault
	}()
	var first os.FileInfo
	require.Eventually(t, func() (made bool) {
		found, err := os.Stat(copied)
		first = found
		return err == nil
	}, 20*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		second, err := os.Stat(copied)
		return err == nil && !os.SameFile(first, second)
	}, 20*time.Second, 10*time.Millisecond, "there is another copy")
	var stdout bytes.Buffer
	status, fault = run(t.Context(), io.Discard, "info", "--store", name)
	assert.Equal(t, 2, status, "the server has the store open")
	assert.Contains(t, fault, "another process has the store open")
	status, fault = run(t.Context(), &stdout, "check", "--store", copied)
	assert.Zero(t, status, fault)
	assert.Contains(t, stdout.String(), "nothing is damaged")
	cancel()
	assert.Empty(t, <-ended)
}
