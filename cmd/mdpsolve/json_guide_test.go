package main

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mdpsolve/mdpsolve/mdp/modelfile"
)

// bareLines are commands about a model or a list that has as little as can be, for sections of
// docs/reference.md. They print no other keys than those of jsonLines.
var bareLines = map[string][]string{
	"static sweep":     {"static sweep --mu 1 --gamma 1.4 --buffer 5 --over ratio --from 5 --to 5 --steps 2"},
	"robots solve":     {"robots solve --robots 1 --lambda 1 --mu 1 --gamma 1 --buffer 2 --distribution"},
	"robots frontier":  {"robots frontier --from 1 --to 1.1 --robots 1 --lambda 1 --mu 1 --buffer 2"},
	"robots reproduce": {"robots reproduce --figure 6"},
	"solve, evaluate": {
		"solve bare.json --property Pmax=?[F\"init\"]",
		"solve one.json --reward r --criterion average",
		"solve one.json --reward r --criterion total --target end",
		"evaluate one.json --policy one.csv --reward r --criterion discounted --discount 1/2",
		"solve one.json --reward r --criterion average --constraint c>=0",
		"solve one.json --reward r --criterion average --pareto c:max",
	},
	"evaluate --distribution": {"evaluate one.json --policy one.csv --reward r --criterion total --target end --distribution 0"},
	"check":                   {"check one.json one.csv --reward r --criterion average"},
	"convert":                 forFormats("convert bare.json bare"),
	"info":                    forFormats("info bare"),
	"refresh rates":           {"refresh rates --input single.csv --bandwidth 1"},
	"refresh schedule":        {"refresh schedule --input still.csv --length 1"},
	"refresh estimate":        {"refresh estimate --input seen.csv --unit day"},
	"refresh compare":         {"refresh compare --input single.csv --from 1 --to 1 --steps 2"},
}

// forFormats returns a command with the suffix of each format of models.
func forFormats(command string) (lines []string) {
	for _, f := range modelfile.Formats() {
		lines = append(lines, command+f.Suffix)
	}
	return lines
}

// jsonLines are commands for each section of docs/reference.md, which print all its keys
// together.
var jsonLines = map[string][]string{
	"static":       {"static" + jsonRates},
	"static sweep": {"static sweep --mu 1 --gamma 1.4 --buffer 5 --over ratio --from 5 --to 6 --steps 2"},
	"robots solve": {
		"robots solve --robots 6" + jsonRates,
		"robots solve --class 2@1/10 --class 1@1/5 --mu 1 --gamma 1.4 --buffer 5",
		"robots solve --robots 3 --service erlang:2 --distribution --starvation-free 10" + jsonRates,
		"robots solve --max-loss 1%" + jsonQueue,
		"robots solve --max-starvation 45%" + jsonQueue,
		"robots solve --robots 6 --lambda 1/12:1/10 --mu 1:1.2 --gamma 1.4 --buffer 5",
		"robots solve --robots 3 --buffer 2 --lambda 44.7 --mu 4.54e-46 --max-loss 25.21", // two policies
	},
	"robots sweep": {
		"robots sweep --over gamma --from 1 --to 2 --steps 2" + jsonQueue,
		"robots sweep --over lambda --from 1 --to 2 --steps 2 --robots 6 --mu 1 --gamma 1 --buffer 5",
		"robots sweep --over mu --from 1 --to 2 --steps 2 --robots 6 --lambda 1 --gamma 1 --buffer 5",
		"robots sweep --over buffer --from 2 --to 3 --robots 6 --lambda 1 --gamma 1 --mu 1",
		"robots sweep --over robots --from 2 --to 3" + jsonRates,
		"robots sweep --over max-loss --from 0.01 --to 0.02 --steps 2" + jsonQueue,
		"robots sweep --over max-starvation --from 0.5 --to 0.6 --steps 2" + jsonQueue,
	},
	"robots frontier": {"robots frontier --from 1 --to 2" + jsonQueue},
	"robots table":    {"robots table --lambda 1/10 --buffer 5 --gamma 1.4"},
	"robots simulate": {
		"robots simulate --robots 6 --horizon 1000" + jsonRates,
		"robots simulate --robots 6 --horizon 1000 --policy adaptive" + jsonRates,
	},
	"robots reproduce": {"robots reproduce --table 1", "robots reproduce --figure 2"},
	"solve, evaluate": {
		"solve machine.json --criterion average --minimize",
		"solve machine.json --criterion average --minimize --method exact",
		"solve machine.json --criterion discounted --discount 9/10 --minimize",
		"solve pump.json --criterion discounted --rate 1/100 --maximize",
		"solve machine.json --criterion finite --horizon 3 --discount 9/10 --minimize",
		"solve machine.json --criterion finite --horizon 3 --minimize --action-values --step-values",
		"solve ends.json --criterion finite --horizon 3 --terminal r",
		"solve machine.json --criterion total --target worn_out --minimize",
		"solve machine.json --property Pmax>=1/2[F\"worn_out\"]",
		"solve machine.json --property 1-Pmax=?[F\"worn_out\"]",
		"solve care.json --criterion average --minimize --uncertainty worst",
		"solve starts.json --criterion total --target end",
		"evaluate machine.json --policy late.csv --criterion average",
		"solve repairs.json --criterion average --minimize --reward cost --constraint output>=1/2",
		"solve repairs.json --criterion average --minimize --reward cost --pareto output:max",
	},
	"evaluate --distribution": {
		"evaluate machine.json --policy late.csv --criterion finite --horizon 30 --distribution 40",
		"evaluate machine.json --policy late.csv --criterion total --target worn_out --distribution 40",
	},
	"simulate": {
		"simulate machine.json --policy late.csv --criterion average --horizon 100",
		"simulate machine.json --policy late.csv --property 'R=? [S]' --horizon 100",
	},
	"check": {
		"check machine.json late.csv --criterion average --minimize",
		"check machine.json result.json",
		"check machine.json --criterion average --minimize values.csv",
	},
	"robots from-log": {"robots from-log accesses.csv --index-times times.txt --active 2 --buffer 3 --gamma 1"},
	"convert":         {"convert machine.json machine.drn"},
	"info":            {"info machine.json", "info care.json"},
	"refresh rates": {
		"refresh rates --input pages.csv --bandwidth 5",
		"refresh rates --input pages.csv --bandwidth 5 --objective coffman",
		"refresh rates --input crawled.csv --bandwidth 5 --host-cap 2",
		"refresh rates --input crawled.csv --bandwidth 5 --unit day --greatest-interval 7d",
	},
	"refresh schedule": {
		"refresh schedule --input rates.csv --length 2",
		"refresh schedule --input rates.csv --length 2 --wall-clock --unit day --now 2026-01-01T00:00:00Z",
	},
	"refresh evaluate": {
		"refresh evaluate --input pages.csv --schedule slots.csv --bandwidth 5",
		"refresh evaluate --input days.csv --schedule slots_of_a.csv --bandwidth 5/day --last-fetch seen.csv",
	},
	"refresh review": {
		"refresh review --plan rates.csv --pages days.csv --input seen.csv --from 2026-01-01T12:00:00Z",
	},
	"refresh estimate": {
		"refresh estimate --input crawl.csv --unit day --prior none",
		"refresh estimate --input crawl.csv --unit day --prior all",
		"refresh estimate --input crawl.csv --unit day --out days.csv",
	},
	"refresh compare":       {"refresh compare --input pages.csv --from 1 --to 2 --steps 2"},
	"store set, store info": {"store set --store pages.db --bandwidth 10/day", "store info --store pages.db"},
	"store check":           {"store check --store other.db"},
	"store add, store remove, store record": {
		"store add --store other.db --input crawled.csv",
		"store add --store other.db --sitemap sitemap.xml", "store add --store other.db --sitemap sitemaps.xml",
		"store remove --store other.db --input crawled.csv",
		"store record --store other.db --input visits.csv",
	},
}

const (
	jsonRates = " --lambda 1/10 --mu 1 --gamma 1.4 --buffer 5"
	jsonQueue = " --robots 6 --lambda 1/10 --mu 1 --buffer 5"
)

var (
	jsonSection = regexp.MustCompile(`(?m)^### (.+)$`)
	jsonRow     = regexp.MustCompile("(?m)^- (`[^:]+): ")
	jsonKey     = regexp.MustCompile("`([^`]+)`")

	// notListed matches keys that need no listing if another key is listed, its group: that of the value whose
	// bounds they are, or that of the same value of the whole.
	notListed = regexp.MustCompile(`^(?:corners\.|groups\.)?(.*?)(?:_lower|_upper)?$`)
)

// TestJSONGuide compares the keys that docs/reference.md lists for each verb with those that it
// prints.
func TestJSONGuide(t *testing.T) {
	repairs, err := os.ReadFile("testdata/models/repairs.json")
	require.NoError(t, err)
	_, content, _ := strings.Cut(guideText(t, "reference.md"), "\n## JSON keys\n")
	for name, text := range map[string]string{
		"repairs.json":   string(repairs),
		"bare.json":      `{"format": "mdpsolve-model/1", "kind": "mdp", "initial": [0], "states": [{"actions": [{"to": [[0, 1]]}]}]}`,
		"one.json":       `{"format": "mdpsolve-model/1", "kind": "dtmc", "initial": [0], "labels": {"end": [0]}, "reward_models": ["r", "c"], "states": [{"actions": [{"to": [[0, 1]]}]}]}`,
		"one.csv":        "state,action\n0,0\n",
		"single.csv":     "id,change_rate\na,1\n",
		"still.csv":      "id,rate\na,1\n",
		"seen.csv":       "id,time,changed\na,2026-01-01T00:00:00Z,false\na,2026-01-02T00:00:00Z,false\n",
		"pages.csv":      refreshFiles["pages.csv"],
		"rates.csv":      refreshFiles["rates.csv"],
		"days.csv":       "id,change_rate,unit\na,1,day\n",
		"slots_of_a.csv": "slot,id\n1,a\n",
		"slots.csv":      "slot,id\n1,a\n2,b\n",
		"crawled.csv":    "url,change_rate\nhttps://a.example/,1\nhttps://b.example/,2\n",
		"times.txt":      strings.Repeat("1 2 3\n", 5),
		"accesses.csv":   "url,time,changed\n" + strings.Repeat("a,2026-01-01T00:00:00Z,true\na,2026-01-01T00:00:07Z,true\n", 9),
		"visits.csv":     "url,time,changed\nhttps://a.example/,2026-01-01T00:00:00Z,true\n",
		"sitemaps.xml":   "<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>",
		"sitemap.xml":    "<urlset><url><loc>https://a.example/</loc></url></urlset>",
		"care.json":      intervalModel,
		"starts.json":    `{"kind": "dtmc", "initial": [0, 1], "labels": {"end": [1]}, "reward_models": ["r"], "states": [{"actions": [{"to": [[0, 1]]}]}, {"actions": [{"to": [[1, 1]]}]}]}`,
		"ends.json":      `{"kind": "dtmc", "reward_models": ["r"], "states": [{"rewards": [1], "actions": [{"to": [[0, 1]]}]}]}`,
		"values.csv":     "state,value\n0,1\n1,1\n2,1\n3,1\n4,1\n",
	} {
		writeFile(t, name, text)
	}
	for _, line := range append(forFormats("convert bare.json bare"),
		"solve machine.json --criterion average --minimize --out result.json",
		"store set --store other.db --bandwidth 10/day", "store add --store other.db --input crawled.csv") {
		status, _, stderr := execute(t, line)
		require.Zero(t, status, stderr)
	}
	places := jsonSection.FindAllStringSubmatchIndex(content, -1)
	require.Len(t, places, len(jsonLines))
	for i, place := range places {
		section, end := content[place[2]:place[3]], len(content)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		t.Run(section, func(t *testing.T) {
			listed := map[string]bool{}
			for _, row := range jsonRow.FindAllStringSubmatch(content[place[1]:end], -1) {
				for _, key := range jsonKey.FindAllStringSubmatch(row[1], -1) {
					listed[key[1]] = true
				}
			}
			delete(listed, "reason") // of claims undecided: none are here
			printed, lists, nulls := map[string]bool{}, map[string]bool{}, map[string]string{}
			require.NotEmpty(t, jsonLines[section])
			for _, line := range slices.Concat(jsonLines[section], bareLines[section]) {
				_, stdout, stderr := execute(t, line+" --output json")
				require.NotEmpty(t, stdout, stderr)
				decoder := json.NewDecoder(strings.NewReader(stdout))
				for decoder.More() {
					var value any
					require.NoError(t, decoder.Decode(&value), line)
					require.NotNil(t, value, line)
					addKeys(printed, "", value)
					addLists(lists, nulls, line, "", value)
				}
			}
			for key, line := range nulls {
				assert.False(t, lists[key] && !strings.HasPrefix(key, "curve_"), "%s prints null for the list %s", line, key)
			}
			for key := range printed {
				if slices.ContainsFunc(notListed.FindStringSubmatch(key), func(other string) bool { return listed[other] }) {
					listed[key] = true
				}
			}
			assert.Equal(t, slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(printed)))
		})
	}
}

// addLists adds the keys of a value that hold a list, and those that hold null, with the
// command that prints it.
func addLists(lists map[string]bool, nulls map[string]string, line, key string, value any) {
	switch value := value.(type) {
	case nil:
		nulls[key] = line
	case []any:
		lists[key] = true
		for _, x := range value {
			addLists(lists, nulls, line, key+"[]", x)
		}
	case map[string]any:
		for name, x := range value {
			addLists(lists, nulls, line, strings.TrimPrefix(key+"."+name, "."), x)
		}
	}
}

// TestOutputInReference compares what docs/reference.md says of the verbs without --output
// with their help; TestJSONGuide has the others.
func TestOutputInReference(t *testing.T) {
	content := guideText(t, "reference.md")
	_, section, _ := strings.Cut(content, "\n## Output formats")
	without := regexp.MustCompile(`(?s)\. (.*?) do not\. (.*?) always`).FindStringSubmatch(section)
	require.NotNil(t, without)
	verbs := jsonKey.FindAllStringSubmatch(without[1]+without[2], -1)
	require.NotEmpty(t, verbs)
	for _, verb := range verbs {
		assert.NotContains(t, mustPrint(t, verb[1]+" --help"), "--output FORMAT", verb[1])
	}
}

// addKeys adds the keys of a value, and those inside it behind a dot. A certificate has a
// page of its own.
func addKeys(keys map[string]bool, before string, value any) {
	switch value := value.(type) {
	case []any:
		for _, x := range value {
			addKeys(keys, before, x)
		}
	case map[string]any:
		for key, x := range value {
			keys[before+key] = true
			if key != "certificate" && key != "certificates" {
				addKeys(keys, before+key+".", x)
			}
		}
	}
}
