package serve

// Checks of every request: who may ask, and what browsers may do with an answer.

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// policy lets the page load files of this server only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// guard wraps all answers.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if err := s.checkOrigin(r); err != nil {
			refuse(w, &refusal{http.StatusForbidden, err.Error()})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkOrigin refuses requests that come neither from the page nor from a program. A page of
// another site may give this computer a name of its own (DNS rebinding): then the host is
// foreign. Links from elsewhere may lead to the page only.
func (s *server) checkOrigin(r *http.Request) error {
	host := (&url.URL{Host: r.Host}).Hostname()
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	isLocal := local != nil && (strings.EqualFold(host, "localhost") && local.IP.IsLoopback() || local.IP.Equal(net.ParseIP(host)))
	if !isLocal && (host == "" || !strings.EqualFold(host, s.host)) {
		return fmt.Errorf("host %.100q is not the host of this server", r.Host)
	}
	if r.URL.Path == "/" {
		return nil
	}
	asked := *r
	asked.Method = http.MethodPost // the check lets other sites GET, but here answers cost time
	return http.NewCrossOriginProtection().Check(&asked)
}
