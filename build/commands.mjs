/**
 * @typedef {object} Command
 * @property {string[]} script run on Node 24, relative to the repository
 * @property {string[]} tools Rust components beyond cargo itself
 * @property {boolean | 'used'} native whether the Rust part is built first; 'used': only what a person runs, in half the time
 * @property {string} about
 * @property {string[]} [flags] of Node; absent: those that the service runs with
 */

/** @type {Record<string, Command | undefined>} */
export const commands = {
  start: {
    script: ['build/start.ts'],
    tools: [],
    native: 'used',
    about: 'the service with your settings',
  },
  demo: {
    script: ['build/demo.ts'],
    tools: [],
    native: 'used',
    about: 'the whole path on loopback, no network and no root',
  },
  test: {
    script: ['build/test.ts'],
    tools: [],
    native: true,
    about: 'every test that can run on this machine, but for those of the next two',
  },
  'test:machine': {
    script: ['e2e/machine/run.ts'],
    tools: [],
    native: true,
    about:
      'packages, and what README says where nothing was built before, word for word (half an hour)',
  },
  'test:campaign': {
    script: ['build/campaign/run.ts'],
    tools: [],
    native: true,
    about: 'what is too long or too heavy for every change: -- --help (root, hours)',
  },
  check: {
    script: ['build/check.ts'],
    tools: ['rustfmt', 'clippy'],
    native: false,
    about: 'formatting, lint, types, unused code',
  },
  supply: {
    script: ['build/supply.ts'],
    tools: [],
    native: false,
    about: 'advisories, licences, sources and digests of others’ work, before a release',
  },
  screens: {
    script: ['node_modules/vitest/vitest.mjs', 'run', '--config', 'build/screens.config.ts'],
    tools: [],
    native: true,
    about:
      'pictures of every page on a made-up day, into target/screens; those of the README into docs/screens',
  },
  bench: {
    script: ['bench/run.ts'],
    tools: [],
    native: true,
    about: 'measures beside unbound, dnsdist, smartdns, dnsproxy and stubby',
  },
  'bench:query-log': {
    script: ['bench/query-log/run.ts'],
    // without these flags, because what it measures in its own process runs in the service with compilers, too
    flags: [],
    tools: [],
    native: true,
    about: 'searches and exports ten million queries of the query log, beside the stub',
  },
  'bench:simulation': {
    script: ['bench/simulation/run.ts'],
    tools: [],
    native: true,
    about: 'how fast logged queries are decided about under a version of a profile',
  },
  'bench:replay': {
    script: ['bench/replay/run.ts'],
    tools: [],
    native: true,
    about: 'a day of made-up clients under many idle timeouts, beside the T-DNS report',
  },
  'bench:server': {
    script: ['bench/server/run.ts'],
    tools: [],
    native: true,
    about: 'what connections, handshakes and queries cost the server, beside four others',
  },
  'bench:attacks': {
    script: ['bench/server-attacks/run.ts'],
    tools: [],
    native: true,
    about: 'how others fare while some clients attack the server, beside four others',
  },
  'bench:network-attacks': {
    script: ['bench/network-attacks/run.ts'],
    tools: [],
    native: true,
    about: 'the same in namespaces: forged addresses, connections that stay, key updates (root)',
  },
  'bench:encdns': {
    script: ['bench/encdns/run.ts'],
    tools: [],
    native: true,
    about: 'what EncDNS costs its server and a query, and how much memory clients take there',
  },
  'bench:attribution': {
    script: ['bench/attribution/run.ts'],
    tools: [],
    native: true,
    about:
      'what looking up the asking program costs, and whether anybody is named for another (root)',
  },
  'bench:profile': {
    script: ['bench/profile/run.ts'],
    tools: [],
    native: true,
    about: 'how soon a profile with 100,000 bypass names is in force, and what queries wait',
  },
  'bench:hot-set': {
    script: ['bench/hot-set/run.ts'],
    tools: [],
    native: false,
    about: 'what asking ahead for often-asked names saves and costs on a made-up day',
  },
  'bench:window': {
    script: ['bench/window/run.ts'],
    tools: [],
    native: true,
    about: 'how soon the window opens, and how it copes with 2,000 queries a second',
  },
  'bench:start': {
    script: ['bench/start/run.ts'],
    tools: [],
    native: true,
    about: 'how soon sotto status answers, beside Node alone',
  },
  'bench:encdns-matrix': {
    script: ['bench/encdns-matrix/run.ts'],
    tools: [],
    native: true,
    about: 'which resolvers carry EncDNS, with 0x20 and QNAME minimisation on and off (root)',
  },
  soak: {
    script: ['e2e/load/soak.ts'],
    tools: [],
    native: true,
    about: '500 queries a second for an hour: -- --minutes 60',
  },
  'lab:simulation': {
    script: ['e2e/lab/simulation-run.ts'],
    tools: [],
    native: false,
    about: 'the engine on a simulated network, one made-up run a seed: -- --seeds 10000',
  },
  'lab:replay': {
    script: ['e2e/lab/replay-run.ts'],
    tools: [],
    native: true,
    about: 'whether a trace costs on a wire what sotto-lab replay says (root)',
  },
  'lab:dead': {
    script: ['e2e/lab/dead-upstream-run.ts'],
    tools: [],
    native: true,
    about: 'what a dead upstream, a slow one and a returning link cost (root)',
  },
  'lab:restarts': {
    script: ['e2e/load/restarts-run.ts'],
    tools: [],
    native: true,
    about: 'what queries lose while their only upstream restarts: -- --help',
  },
  'lab:policy': {
    script: ['e2e/lab/policy-matrix/run.ts'],
    tools: [],
    native: true,
    about: 'every policy against every fault, counted on the wire by tshark (root)',
  },
  'lab:strategies': {
    script: ['e2e/lab/strategies/run.ts'],
    tools: [],
    native: true,
    about: 'which upstream receives which name, also when they die and come back (root)',
  },
  'lab:latency': {
    script: ['e2e/lab/latency/run.ts'],
    tools: [],
    native: true,
    about: 'what a query costs on a distant wire, beside peers: -- --help',
  },
  'lab:portal': {
    script: ['e2e/networks/portal-run.ts'],
    tools: [],
    native: true,
    about: 'how long a login takes, and what leaves in cleartext for it (root)',
  },
  'lab:portal-fuzz': {
    script: ['e2e/networks/portal-fuzz/run.ts'],
    tools: [],
    native: false,
    about: 'hostile portals against probes and proxy: -- --exchanges 100000',
  },
  'lab:hostile-networks': {
    script: ['e2e/lab/hostile-networks/run.ts'],
    tools: [],
    native: true,
    about: 'networks and programs that overwrite the system DNS, and what goes past Sotto (root)',
  },
  'lab:rest': {
    script: ['e2e/networks/rest-run.ts'],
    tools: [],
    native: true,
    about: 'what a computer at rest pays for the service, its gate and its helper',
  },
  'lab:networks': {
    script: ['e2e/networks/interruption-run.ts'],
    tools: [],
    native: true,
    about: 'a computer in networks that lie, log in, vanish and come back (root)',
  },
  'lab:hostile-clients': {
    script: ['e2e/lab/hostile-clients/run.ts'],
    tools: [],
    native: true,
    about: 'what 64 hostile connections to the control socket cost (root)',
  },
  'lab:slow-machine': {
    script: ['e2e/lab/slow-machine/run.ts'],
    tools: [],
    native: true,
    about: 'which tests fail where the machine is slow and nothing else is wrong: -- --help (root)',
  },
  package: {
    script: ['build/package.ts'],
    tools: [],
    native: true,
    about: 'a .deb and an AppImage, into dist/',
  },
  'lab:give-back': {
    script: ['e2e/lab/give-back/run.ts'],
    tools: [],
    native: true,
    about: 'kill -9 while DNS is taken and given back: -- --trials 200 (root)',
  },
  'lab:deaths': {
    script: ['e2e/lab/deaths/run.ts'],
    tools: [],
    native: true,
    about: 'deaths of every kind, counted on the wire: -- --trials 432 --write (root)',
  },
  'tray-marks': {
    script: ['build/tray-marks.ts'],
    tools: [],
    native: false,
    about: 'draws the pictures of the tray from assets/tray/*.svg',
  },
  boundary: {
    script: ['build/boundary.ts', '--write'],
    tools: [],
    native: true,
    about: 'writes the TypeScript of Rust types anew: shapes, words, the event record, the addon',
  },
};

export const usage = [
  'node build/bootstrap.mjs COMMAND [ARGUMENTS]',
  ...Object.entries(commands).map(([name, command]) => `  ${name.padEnd(15)} ${command?.about}`),
].join('\n');
