package serve

// What every request passes: who may ask, what browsers may do with an answer, and
// that a fault in one answer does not end the others.

import (
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
)

// policy lets the page load what this server has, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard wraps all answers.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		defer func() {
			switch fault := recover(); fault {
			case nil:
			case http.ErrAbortHandler:
				panic(fault)
			default:
				s.report.Printf("internal failure: %v\n%s", fault, debug.Stack())
				refuse(w, &refusal{http.StatusInternalServerError, "internal failure"})
			}
		}()
		if why := s.foreign(r); why != "" {
			h.Set("Connection", "close") // without a look at its body
			refuse(w, &refusal{http.StatusForbidden, why})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// foreign says why a request comes from elsewhere than the page itself or a program
// that means this server; "" if it does not. A page of another site may give this
// computer a name of its own (DNS rebinding): then the name is a foreign one.
func (s *server) foreign(r *http.Request) string {
	if !s.isOwn(r) {
		return fmt.Sprintf("host %.100q is not that of this server", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, "http://"+r.Host) {
		return fmt.Sprintf("origin %.100q is not this server", origin)
	}
	site := r.Header.Get("Sec-Fetch-Site") // links from elsewhere may lead to the page, and to nothing else
	if r.URL.Path != "/" && site != "" && site != "same-origin" && site != "none" {
		return "the request comes from another site"
	}
	return ""
}

// isOwn reports whether the Host of a request is a name of this server: the one that it
// was given, the address at which the request came in, or, on this computer, localhost.
func (s *server) isOwn(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if host != "" && strings.EqualFold(host, s.host) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return local.IP.IsLoopback()
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.Equal(local.IP)
}
