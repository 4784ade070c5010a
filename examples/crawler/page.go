// This file reads a page: its text, and the links in it.

package main

import (
	"bytes"
	"mime"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readPage returns the text of a page and the links in it, as absolute URLs without fragments. A page
// that is neither HTML nor plain text has no text.
func readPage(body []byte, contentType string, base *url.URL) (text string, links []string) {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case err == nil && kind == "text/plain":
		return string(body), nil
	case err != nil || kind != "text/html":
		return "", nil
	}
	var words strings.Builder
	hidden := false // inside of a script or a style
	for tokens := html.NewTokenizer(bytes.NewReader(body)); ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return words.String(), links
		}
		token := tokens.Token()
		switch kind {
		case html.TextToken:
			if !hidden {
				words.WriteString(token.Data)
				words.WriteByte(' ')
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			switch token.DataAtom {
			case atom.Script, atom.Style:
				hidden = kind == html.StartTagToken
			case atom.A:
				if link, ok := linkOf(token, base); ok {
					links = append(links, link)
				}
			}
		}
	}
}

// linkOf returns where a link leads to.
func linkOf(token html.Token, base *url.URL) (link string, ok bool) {
	for _, attribute := range token.Attr {
		if attribute.Key != "href" {
			continue
		}
		u, err := base.Parse(strings.TrimSpace(attribute.Val))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return "", false
		}
		u.Fragment, u.RawFragment = "", ""
		return u.String(), true
	}
	return "", false
}
