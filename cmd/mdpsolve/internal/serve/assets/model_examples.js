// Models to start with, and what to ask of them first.
"use strict";

{
  const machine = `// A machine wears out: the older its state, the dearer a period is, and the likelier
// is the next state. "replace" costs 6 and begins anew.
@type: MDP
@value_type: rational
@reward_models
cost
@nr_states
6
@model
${[0, 1, 2, 3, 4, 5].map((wear) => `state ${wear} [0]${wear === 0 ? " init" : ""}${wear === 5 ? " worn" : ""}
	action keep [${wear * wear}/2]
${wear < 5 ? `		${wear} : 3/10\n		${wear + 1} : 7/10` : "		5 : 1"}
	action replace [6]
		0 : 1`).join("\n")}
`;

  const taxicab = `{"format": "mdpsolve-model/1",
"kind": "mdp",
"numbers": "rational",
"initial": [0],
"labels": {"town B": [1]},
"reward_models": ["profit"],
"state_variables": "(town)",
"states": [
{"name": "(A)", "actions": [
	{"name": "cruise", "to": [[0, "1/2", [10]], [1, "1/4", [4]], [2, "1/4", [8]]]},
	{"name": "stand", "to": [[0, "1/16", [8]], [1, "3/4", [2]], [2, "3/16", [4]]]},
	{"name": "radio", "to": [[0, "1/4", [4]], [1, "1/8", [6]], [2, "5/8", [4]]]}]},
{"name": "(B)", "actions": [
	{"name": "cruise", "to": [[0, "1/2", [14]], [2, "1/2", [18]]]},
	{"name": "stand", "to": [[0, "1/16", [8]], [1, "7/8", [16]], [2, "1/16", [8]]]}]},
{"name": "(C)", "actions": [
	{"name": "cruise", "to": [[0, "1/4", [10]], [1, "1/4", [2]], [2, "1/2", [8]]]},
	{"name": "stand", "to": [[0, "1/8", [6]], [1, "3/4", [4]], [2, "1/8", [2]]]},
	{"name": "radio", "to": [[0, "3/4", [4]], [1, "1/16", [0]], [2, "3/16", [8]]]}]}
]}
`;

  const islands = `// From state 0 one can go "across", to state 1 or 2 for ever, or "along", to
// states 3 and 4, which take turns. State 5 leads anywhere.
@type: MDP
@value_type: rational
@reward_models
fish coconuts
@nr_states
6
@model
state 0 [0, 0] init
	action across [7, 0]
		1 : 1/3
		2 : 2/3
	action along [1/7, 1]
		3 : 1
state 1 [3, 0] island
	action stay
		1 : 1
state 2 [1/2, 1] island
	action stay
		2 : 1
state 3 [2, 0]
	action on
		4 : 1
state 4 [1, 0]
	action on
		3 : 1
state 5 [0, 0]
	action drift
		0 : 1/4
		1 : 1/4
		3 : 1/2
`;

  // A robot on a slippery floor, 4 by 4 squares with a pillar: a step goes where it is
  // meant with probability 4/5, and to either side with 1/10; at a wall it stays.
  const floor = () => {
    const wide = 4;
    const pillar = 5;
    const goal = 15;
    const squares = [...Array(wide * wide).keys()].filter((square) => square !== pillar);
    const steps = { north: [0, -1], east: [1, 0], south: [0, 1], west: [-1, 0] };
    const names = Object.keys(steps);
    const after = (square, direction) => {
      const [x, y] = [square % wide + steps[direction][0], Math.floor(square / wide) + steps[direction][1]];
      const next = y * wide + x;
      return x < 0 || y < 0 || x >= wide || y >= wide || next === pillar ? square : next;
    };
    const action = (square, i) => {
      const chances = new Map();
      for (const [turn, tenths] of [[0, 8], [1, 1], [3, 1]]) {
        const next = squares.indexOf(after(square, names[(i + turn) % 4]));
        chances.set(next, (chances.get(next) ?? 0) + tenths);
      }
      const to = [...chances].sort(([a], [b]) => a - b).map(([next, tenths]) => [next, `${tenths}/10`]);
      return { name: names[i], rewards: [1], to };
    };
    return JSON.stringify({
      format: "mdpsolve-model/1", kind: "mdp", numbers: "rational", initial: [0],
      labels: { goal: [squares.indexOf(goal)] }, reward_models: ["steps"], state_variables: "(column,row)",
      states: squares.map((square) => ({
        name: `(${square % wide},${Math.floor(square / wide)})`,
        actions: square === goal ? [{ name: "stay", to: [[squares.indexOf(goal), 1]] }] : names.map((_, i) => action(square, i)),
      })),
    });
  };

  const queue = [
    { name: "twoservers.tra", text: "# Transitions (CTMC)\n# M/M/2/4: arrivals at rate 1, two servers of rate 1 each, room for 4\n5 8\n0 1 1 arrival\n1 0 1 service\n1 2 1 arrival\n2 1 2 service\n2 3 1 arrival\n3 2 2 service\n3 4 1 arrival\n4 3 2 service\n" },
    { name: "twoservers.sta", text: "(customers)\n0:(0)\n1:(1)\n2:(2)\n3:(3)\n4:(4)\n" },
    { name: "twoservers.lab", text: "0=\"init\" 1=\"deadlock\" 2=\"full\"\n0: 0\n4: 2\n" },
    { name: "twoservers.srew", text: "# Reward structure \"customers\"\n5 4\n1 1\n2 2\n3 3\n4 4\n" },
  ];

  mdpsolve.modelExamples = new Map([
    ["taxicab", {
      title: "Howard's taxicab (average profit)", files: [{ name: "taxicab.json", text: taxicab }],
      question: { criterion: "average", sense: "maximize", reward: "profit" },
    }],
    ["machine", {
      title: "A machine to be replaced (discounted cost)", files: [{ name: "machine.drn", text: machine }],
      question: { criterion: "discounted", discount: "9/10", sense: "minimize", reward: "cost" },
    }],
    ["floor", {
      title: "A robot on a slippery floor (steps to a goal)", files: [{ name: "floor.json", text: floor() }],
      question: { criterion: "total", target: "goal", sense: "minimize", reward: "steps" },
    }],
    ["islands", {
      title: "Islands (an average that depends on the start)", files: [{ name: "islands.drn", text: islands }],
      question: { criterion: "average", sense: "maximize", reward: "fish" },
    }],
    ["queue", {
      title: "A queue with two servers (Markov chain, PRISM files)", files: queue,
      question: { criterion: "average", reward: "customers" },
    }],
  ]);
}
