package browser

// What a reader does with the page: fields, files, buttons.

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// settle waits until the page has no pending work.
func (tb *tab) settle() {
	tb.t.Helper()
	tb.wait(settled)
}

// enter types a value into the text field whose label begins with a text.
func (tb *tab) enter(label, value string) {
	tb.t.Helper()
	tb.do(chromedp.Evaluate[chromedp.Void](field(label) + `.select()`))
	tb.do(chromedp.KeyEvent(value), chromedp.KeyEvent(kb.Tab))
}

// choose selects a value in the list whose label begins with a text.
func (tb *tab) choose(label, value string) {
	tb.t.Helper()
	require.True(tb.t, eval[bool](tb, `(() => {
		const list = `+field(label)+`;
		list.value = `+quote(value)+`;
		list.dispatchEvent(new Event("change", {bubbles: true}));
		return list.value === `+quote(value)+`;
	})()`), "%s has no choice %s", label, value)
}

// field is the JavaScript for the control whose label begins with a text, in the visible
// tab of the page.
func field(label string) string {
	return `(() => {
		const labels = [...document.querySelectorAll("[role=tabpanel]:not([hidden]) label")];
		const found = labels.find((l) => l.textContent.startsWith(` + quote(label) + `) && l.offsetParent);
		if (!found) throw new Error("no field " + ` + quote(label) + `);
		return document.getElementById(found.htmlFor);
	})()`
}

// press clicks the button with a text.
func (tb *tab) press(text string) {
	tb.t.Helper()
	eval[bool](tb, `(() => {
		const buttons = [...document.querySelectorAll("[role=tabpanel]:not([hidden]) button")];
		buttons.find((b) => b.textContent === `+quote(text)+` && b.offsetParent).click();
		return true;
	})()`)
}

// saved clicks the button with a text, and returns the first bytes of the file that the page then saves.
func (tb *tab) saved(text string) string {
	tb.t.Helper()
	return eval[string](tb, `(() => {
		const make = URL.createObjectURL;
		const bytes = new Promise((found) => {
			URL.createObjectURL = (file) => {
				URL.createObjectURL = make;
				found(file.slice(0, 8).arrayBuffer());
				return make.call(URL, file);
			};
		});
		[...document.querySelectorAll("[role=tabpanel]:not([hidden]) button")].find((b) => b.textContent === `+quote(text)+`).click();
		return bytes.then((list) => String.fromCharCode(...new Uint8Array(list)));
	})()`)
}

// drop drops files on the page's place for files, as from a file manager.
func (tb *tab) drop(paths ...string) {
	tb.t.Helper()
	type file struct{ Name, Content string }
	var files []file
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(tb.t, err)
		files = append(files, file{filepath.Base(path), base64.StdEncoding.EncodeToString(content)})
	}
	eval[bool](tb, `(() => {
		const data = new DataTransfer();
		for (const {Name, Content} of `+quote(files)+`) {
			const bytes = Uint8Array.from(atob(Content), (c) => c.charCodeAt(0));
			data.items.add(new File([bytes], Name));
		}
		const place = document.querySelector("[role=tabpanel]:not([hidden]) .drop");
		for (const kind of ["dragenter", "dragover", "drop"]) {
			place.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
		}
		return true;
	})()`)
}

// tabTo presses Tab until the focus is on the control that an expression finds, and
// requires that it can be seen there.
func (tb *tab) tabTo(control string) {
	tb.t.Helper()
	const most = 60 // controls on a tab of the page
	for range most {
		tb.do(chromedp.KeyEvent(kb.Tab))
		if eval[bool](tb, `document.activeElement === `+control) {
			require.NotEqual(tb.t, "none", eval[string](tb, `getComputedStyle(document.activeElement).outlineStyle`), "the focus is not to be seen")
			return
		}
	}
	require.Fail(tb.t, "Tab does not lead there", control)
}

// table returns the cells of the table that a selector finds, by rows, with its head.
func (tb *tab) table(selector string) [][]string {
	tb.t.Helper()
	return eval[[][]string](tb, `[...document.querySelectorAll(`+quote(selector+" tr")+`)].map((row) => [...row.cells].map((c) => c.textContent))`)
}

// column returns the numbers of a column of a table.
func column(t require.TestingT, table [][]string, name string) []float64 {
	require.NotEmpty(t, table)
	for at, head := range table[0] {
		if head == name {
			var numbers []float64
			for _, row := range table[1:] {
				numbers = append(numbers, shown(t, row[at]))
			}
			return numbers
		}
	}
	require.Fail(t, "no column", "%s in %q", name, table[0])
	return nil
}

// shown reads a number as the page writes it.
func shown(t require.TestingT, text string) float64 {
	plain := strings.NewReplacer("−", "-", "\u00a0×\u00a010", "e", "∞", "Inf").Replace(text)
	for i, digit := range []rune("⁰¹²³⁴⁵⁶⁷⁸⁹") {
		plain = strings.ReplaceAll(plain, string(digit), strconv.Itoa(i))
	}
	plain = strings.ReplaceAll(plain, "⁻", "-")
	number, err := strconv.ParseFloat(plain, 64)
	require.NoError(t, err)
	return number
}
