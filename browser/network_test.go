package browser

// The tests of the tests: requests that leave the machine, and errors, are noticed.

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

func TestForeignRequestsAndFaultsAreNoticed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><img src="http://elsewhere.example/picture.png">
			<script>console.error("a fault"); setTimeout(() => { thrown = true; throw new Error("another") })</script>`))
	}))
	defer server.Close()
	tb := blank(t, desktop)
	tb.do(chromedp.Navigate(server.URL))
	tb.wait(`document.images[0].complete && window.thrown`)
	requests, faults := tb.seen()
	assert.Equal(t, []string{"http://elsewhere.example/picture.png"}, foreign(requests, server.URL), "%q", requests)
	assert.Len(t, faults, 3, "the call of console.error, the exception and the picture that did not come: %q", faults)
}
