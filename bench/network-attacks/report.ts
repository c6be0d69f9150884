/** Who fared how in the network, as Markdown. */
import { markdownTable } from '../../e2e/lab/markdown-table.ts';
import { percent, shown } from '../numbers.ts';
import type { Circumstances } from '../server/measure.ts';
import { lost, waits } from '../server-attacks/report.ts';
import { type Crowded, places, rate } from './crowds.ts';
import { type Stormed, storming } from './key-updates.ts';
import type { Reflected } from './reflection.ts';
import { attacked } from './stage.ts';
import type { Flooded } from './syn-flood.ts';

type Each<Seen> = Record<string, Seen[]>;

interface Results extends Circumstances {
  synFloods: Each<Flooded>;
  crowds: Each<Crowded>;
  keyUpdates: Each<Stormed>;
  reflection: Each<Reflected>;
}

const titles = attacked.map(({ title }) => title);

export function report(results: Results): string {
  const { date, machine, versions } = results;
  return `# Attacks in a network

Measured ${date.slice(0, 10)} by \`npm run bench:network-attacks\`; this file is written by it. The server, everybody else and the owner of forged addresses are in network
namespaces of their own, joined by a bridge. The server has one processor; attackers and everybody else share the other, on which everybody else comes
first (SCHED_FIFO) and attackers run only while nobody has anything to do (SCHED_IDLE). Newcomers are 100 clients a second for five seconds, each with a full TLS handshake and one query; whoever has no response after five seconds has lost.
${machine.processor}, ${machine.cores} cores, Linux ${machine.kernel}, load before ${shown(machine.loadBefore, 1)}.
${titles.map((title, at) => `${title} ${versions[at]}`).join(', ')}; setup as in server.md where nothing else is said. What is measured on loopback is in server-attacks.md.

## SYN flood

SYN packets from random addresses, which nobody answers for. The kernel forgets everybody it has seen (\`net.ipv4.tcp_no_metrics_save\` 1), because it reserves a quarter
of its queue for clients that it remembers, and no newcomer is one. Published (T-DNS report, figure 5): at 60,000 packets a second 70 % of queries are lost without SYN cookies, none with them.

${floodTable(results.synFloods)}

## Connections that stay

Each attacker opens ${rate} connections a second, with a full handshake and one query on each, and keeps them. There are ${places} places, a twentieth of the report's 4,096, so that they fill in a twentieth of the time; the
idle time is a minute. The attack goes on for 8 s before newcomers come. On connections kept, clients that were there before send 500 queries a second. Published (figure 5): 5 attackers take all places, and 100 % of the queries of others are lost.

${crowdTable(results.crowds)}

Connections that the attackers had at the end:

${heldTable(results.crowds)}

## Storms of key updates

${storming} clients (openssl) ask for new keys of both sides without end, and come back when they are cut off.

${stormTable(results.keyUpdates)}

## Reflection

Queries over UDP in the name of a victim, which offer 4,096 octets: octets of IP packets that reach the victim for each that was sent. All servers are as they are by default: dnsdist has that
unbound behind it, and unbound and dnsdist accept queries from everywhere. Published (table IV): 3–40 over UDP.

${reflectionTable(results.reflection)}`;
}

function floodTable(seen: Each<Flooded>): string {
  const rows = titles.flatMap((title) =>
    (seen[title] ?? []).map(({ flood, rate, newcomers }) => [
      title,
      flood,
      shown(rate, 0),
      lost(newcomers),
      waits(newcomers),
    ]),
  );
  const head = ['server', 'attack', 'SYN a second', 'newcomers without a response'];
  return markdownTable([...head, 'p50, p99 in ms'], rows);
}

function crowdTable(seen: Each<Crowded>): string {
  const head = titles.flatMap((title) => [
    `${title}: newcomers without a response`,
    'p50, p99 in ms',
    'queries lost on connections kept',
    'p50, p99 in ms',
  ]);
  return crowdRows(seen, head, ({ newcomers, kept }) => [
    lost(newcomers),
    waits(newcomers),
    lost(kept),
    waits(kept),
  ]);
}

function heldTable(seen: Each<Crowded>): string {
  return crowdRows(seen, titles, ({ held }) => [shown(held, 0)]);
}

/** A row for each crowd; every server has some cells in it. */
function crowdRows(seen: Each<Crowded>, head: string[], cells: (crowd: Crowded) => string[]) {
  const [first = []] = titles.map((title) => seen[title] ?? []);
  const rows = first.map(({ attackers, neighbourhood }, at) => [
    attackers === 0 ? 'nobody' : `${attackers}, ${neighbourhood}`,
    ...titles.flatMap((title) => {
      const crowd = seen[title]?.[at];
      return crowd === undefined ? [] : cells(crowd);
    }),
  ]);
  return markdownTable(['attackers', ...head], rows);
}

function stormTable(seen: Each<Stormed>): string {
  const rows = titles.flatMap((title) =>
    (seen[title] ?? []).map(({ clients, newcomers, busy, memory }) => [
      title,
      clients === 0 ? 'nobody' : shown(clients, 0),
      lost(newcomers),
      waits(newcomers),
      percent(busy),
      `${shown(memory, 0)} MB`,
    ]),
  );
  const head = ['server', 'attackers', 'newcomers without a response', 'p50, p99 in ms'];
  return markdownTable([...head, "share of the server's processor", 'memory'], rows);
}

function reflectionTable(seen: Each<Reflected>): string {
  const [first = []] = titles.map((title) => seen[title] ?? []);
  const rows = first.map(({ title: query, rate }, at) => [
    query,
    shown(rate, 0),
    ...titles.map((title) => cell(seen[title]?.[at])),
  ]);
  return markdownTable(['the name has', 'queries a second', ...titles], rows);

  function cell(reflected: Reflected | undefined): string {
    return reflected === undefined ? '–' : shown(reflected.factor, 2);
  }
}
