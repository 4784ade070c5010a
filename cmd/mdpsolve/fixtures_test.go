package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The models of testdata, and what is asked about them elsewhere too.
//
//	taxicab.json    Howard, Dynamic Programming and Markov Processes (1960), the
//	                taxicab problem: gain 1588/119 by waiting at stands
//	islands.drn     multichain, with period 2
//	paths.drn       a shortest path problem with a trap
//	twoservers.tra  M/M/2/4: P(n customers) = 8/23·(1, 1, 1/2, 1/4, 1/8)
const (
	taxicabAverage    = "solve taxicab.json --criterion average --maximize"
	taxicabDiscounted = "solve taxicab.json --criterion discounted --discount 9/10 --maximize"
	taxicabFinite     = "solve taxicab.json --criterion finite --horizon 3 --maximize"
	islandsGreatest   = "solve islands.drn --criterion average --maximize --reward fish"
	islandsLeast      = "solve islands.drn --criterion average --minimize --reward fish"
	pathsLeast        = "solve paths.drn --criterion total --target goal --minimize"
	pathsGreatest     = "solve paths.drn --criterion total --target goal --maximize"
	serversAverage    = "solve twoservers.tra --criterion average"
	serversTotal      = "solve twoservers.tra --criterion total --target full"
)

// intervalModel is a machine whose wear is only known to lie in intervals.
const intervalModel = `{"kind": "mdp", "labels": {"worn": [2]}, "reward_models": ["cost"], "states": [
	{"actions": [{"name": "run", "to": [[0, [0.5, 0.7]], [1, [0.2, 0.4]], [2, [0.1, 0.2], [1]]]}]},
	{"rewards": [1], "actions": [{"name": "run", "to": [[1, [0.4, 0.8]], [2, [0.2, 0.6], [1]]]}, {"name": "repair", "rewards": [3], "to": [[0, 1]]}]},
	{"rewards": [4], "actions": [{"name": "repair", "rewards": [3], "to": [[0, [0.9, 1]], [2, [0.05, 0.1]]]}]}]}`

// distanceModel is the same machine with probabilities that are known within distances.
const distanceModel = `{"kind": "mdp", "labels": {"worn": [2]}, "reward_models": ["cost"], "states": [
	{"actions": [{"name": "run", "distance": 0.15, "to": [[0, 0.6], [1, 0.3], [2, 0.1, [1]]]}]},
	{"rewards": [1], "actions": [{"name": "run", "distance": "1/3", "to": [[1, 0.6], [2, 0.4, [1]]]}, {"name": "repair", "rewards": [3], "to": [[0, 1]]}]},
	{"rewards": [4], "actions": [{"name": "repair", "rewards": [3], "distance": 0.05, "to": [[0, 0.95], [2, 0.05]]}]}]}`

// modelFolder goes to a folder with copies of the models.
func modelFolder(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for _, pattern := range []string{"*.drn", "*.json", "twoservers.*"} {
		names, err := filepath.Glob(filepath.Join("testdata", "models", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(name)), text, 0o600))
		}
	}
	t.Chdir(folder)
}

// refreshFiles are the inputs of tests and of the examples in the help.
var refreshFiles = map[string]string{
	// The five pages of Cho and Garcia-Molina, and of many papers since.
	"pages.csv":    "id,change_rate\na,1\nb,2\nc,3\nd,4\ne,5\n",
	"weighted.csv": "url,weight,change_rate\nhttps://a.example/,3,1/0\nhttps://b.example/,2,2\n\"https://c.example/?x=1,2\",1.5,3\nhttps://d.example/,1,-4\nhttps://b.example/,1,4\nhttps://e.example/,0,5\n",
	// Counts 2, 3, 3, 5 are the example of Coffman, Liu and Weber, section 5.
	"thirteenths.csv": "id,rate\n1,2\n2,3\n3,3\n4,5\n",
	"rates.csv":       "id,rate,interval,freshness\na,1,1,0.63\nb,1.5,,\nc,1.5,0.5,0.4\nd,1,1,0.2\ne,0,,0\n",
	// Three hosts, one of them by name; the cap of the first is less than its pages
	// would get.
	"urls.csv": "url,change_rate,host\nhttps://a.example/1,1,\nhttps://A.example:443/2,4,\nhttps://a.example/3,2,\n" +
		"https://b.example/1,3,\nhttps://b.example/2,1,\nhttps://c.example:8080/,2,b.example\nhttps://c.example:8080/4,2,\n",
	"caps.csv": "host,cap\na.example,0.75\nb.example,\n",
	// What a crawler tells a store of its pages.
	"visits.csv":  "url,time,changed\na,2026-01-31T15:00:00Z,\nb,2026-01-31T15:00:01Z,\na,2026-02-02T15:00:00Z,1\n",
	"found.csv":   "url\na\nf\n",
	"left.csv":    "url\nf\n",
	"slots.csv":   "slot,id\n1,c\n2,b\n3,d\n4,a\n5,b\n6,c\n",
	"history.csv": "id,time,changed\na,0,0\na,1,1\na,2,0\nb,0,0\na,4,1\na,7,0\nb,1,1\nb,3,1\nc,5,0\nd,1,true\nd,3,false\n",
}

// refreshFolder makes a folder with the files the working directory.
func refreshFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range refreshFiles {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}
