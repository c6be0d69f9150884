/** The figures as Markdown, beside what was wanted and what was published. */
import type { MachineFacts } from '../machine-facts.ts';
import { shown } from '../numbers.ts';
import { median } from '../statistics.ts';
import { clients, type Resident } from './memory.ts';
import { queries, type Round, type Sent } from './server-time.ts';
import type { Wait } from './waiting.ts';

/** Microseconds of the server with the key cache: 60,000 queries in a second of a core. */
const mostKnown = 17;
/** beside the same query without a box, and the computing that a box takes */
const mostFresh = 1.25;
/** microseconds longer at the median */
const mostWait = { session: 20, perQuery: 100 };
/** of all resident memory */
const mostGrowth = 0.05;

/** Herrmann, Fuchs, Lindemann, Federrath 2014, tables 1 and 2 */
const published = {
  rate: '6,000 queries/s without loss on four cores, at 63.9 % of them: 426 µs',
  plain: 'the same without boxes at 30.9 %: 206 µs',
  session: '0.26 ms (1.65 beside 1.39)',
  perQuery: '0.41 ms (1.80 beside 1.39)',
};

interface Results {
  date: string;
  machine: MachineFacts;
  rounds: Round[];
  waits: Wait[];
  memory: Resident[];
}

export function report(results: Results): string {
  const { date, machine, rounds, waits, memory } = results;
  return `# EncDNS

Measured ${date.slice(0, 10)} by \`npm run bench:encdns\`; this file is written by it. \`sotto-server\` on loopback, one thread, without limits, every
name in a zone of its own. All medians are of ${rounds.length} and ${waits.length} rounds, in each of which everything is measured in turn.
${machine.processor}, ${machine.cores} cores, ${machine.memoryGigabytes} GB, Linux ${machine.kernel}, load before ${shown(machine.loadBefore, 1)}: other work on the machine is part of the
figures, and the published ones are of other machines.

## At the server

Processor time of the server's process for a query over UDP, while 64 are on their way. \`sotto-lab encdns\` seals the boxes before the
clock starts and opens every response; a round is ${shown(queries.plain, 0)} queries, or ${shown(queries['per-query'], 0)} with new keys.

${serverTable(rounds)}

${costs(rounds)}

## Until a program has its response

The same service forwards to that server in cleartext (a bypass rule) and in boxes, one query after the other, none of them cached, all
on one core. The boxes are those of the extended format. What they add to the median of the same round:

${waitTable(waits, rounds)}

## Memory of the server

Resident, of a server with limits, which remember clients and resolvers, too:

${memoryTable(memory)}

${memoryVerdict(memory)}
`;
}

function serverTable(rounds: Round[]): string {
  const [plain, known, extended, fresh] = [
    time(rounds, 'plain'),
    time(rounds, 'session'),
    time(rounds, 'extended'),
    time(rounds, 'perQuery'),
  ];
  const most = mostFresh * (plain + boxCosts(rounds));
  const all = rounds.flatMap((round) => Object.values(round) as Sent[]);
  const sent = all.reduce((sum, one) => sum + one.sent, 0);
  const lost = all.reduce((sum, one) => sum + one.lost, 0);
  return table(['query', 'µs', 'a second and core', 'wanted', '', 'published'], '-rr---', [
    ['without a box', shown(plain, 1), perSecond(plain), '–', '', published.plain],
    [
      'in a box, the client’s key is known',
      shown(known, 1),
      perSecond(known),
      `at most ${mostKnown} µs`,
      verdict(known <= mostKnown),
      published.rate,
    ],
    [
      'the same in the extended format, padded',
      shown(extended, 1),
      perSecond(extended),
      `at most ${mostKnown} µs`,
      verdict(extended <= mostKnown),
      '',
    ],
    [
      'in a box, with a new client key',
      shown(fresh, 1),
      perSecond(fresh),
      `at most ${shown(most, 1)} µs`,
      verdict(fresh <= most),
      '',
    ],
    [
      `lost of ${shown(sent, 0)}`,
      shown(lost, 0),
      '',
      '0',
      verdict(lost === 0),
      'none at 6,000 queries/s',
    ],
  ]);
}

function costs(rounds: Round[]): string {
  const each = (of: (sent: Sent) => number, digits: number) => shown(cost(rounds, of), digits);
  return `In the same rounds, inside \`sotto-lab\`, a shared key (one X25519 and a hash) took ${each((sent) => sent.costs.sharedKeyUs, 1)} µs, a new key pair ${each((sent) => sent.costs.keyPairUs, 1)}, sealing a box
${each((sent) => sent.costs.sealUs, 2)} and opening one ${each((sent) => sent.costs.openUs, 2)}. With a new key the server is to take at most ${mostFresh} times the query without a box, a shared key,
an opened and a sealed box. Beside the sender it gave ${rate(rounds, 'session')} responses a second with known keys and ${rate(rounds, 'perQuery')} with new ones.`;
}

function waitTable(waits: Wait[], rounds: Round[]): string {
  const added = (key: 'session' | 'perQuery') =>
    median(waits.map((wait) => wait[key] - wait.plain)) ?? 0;
  const line = (title: string, key: 'session' | 'perQuery') => [
    title,
    milliseconds(median(waits.map((wait) => wait[key])) ?? 0),
    milliseconds(added(key)),
    `at most ${milliseconds(mostWait[key])}`,
    verdict(added(key) <= mostWait[key]),
    published[key],
  ];
  const plain = median(waits.map((wait) => wait.plain)) ?? 0;
  const rows = table(
    ['query', 'median, ms', 'added, ms', 'wanted', '', 'published: added'],
    '-rr---',
    [
      ['without a box', milliseconds(plain), '–', '–', '', '–'],
      line('in a box, one key pair for all', 'session'),
      line('in a box, a new key pair for each', 'perQuery'),
    ],
  );
  const curve = cost(rounds, ({ costs }) => 2 * costs.sharedKeyUs + costs.keyPairUs);
  return `${rows}

With a new key pair for each query, the pair and a shared key at each end are ${milliseconds(curve)} ms of the ${milliseconds(added('perQuery'))}.`;
}

function memoryTable(memory: Resident[]): string {
  const rows = memory.map(({ after, kilobytes }, index) => {
    const before = memory[index - 1]?.kilobytes ?? kilobytes;
    return [after, shown(kilobytes, 0), shown(kilobytes - before, 0)];
  });
  return table(['after', 'kB', 'more'], '-rr', rows);
}

function memoryVerdict(memory: Resident[]): string {
  const [, replies = 0, keys = 0, others = 0] = memory.map(({ kilobytes }) => kilobytes);
  const last = memory.at(-1)?.kilobytes ?? 0;
  const growth = last / others - 1;
  return `A client key takes ${shown(((keys - replies) * 1024) / clients, 0)} octets with its shared key and its allowance. About ${shown(clients, 0)} are remembered, and once further ones
have come, all take ${shown(((others - replies) * 1024) / 1e6, 0)} MB together. Garbage and replays change the memory by ${shown(growth * 100, 1)} %, wanted at most ${shown(mostGrowth * 100, 0)} %: ${verdict(growth <= mostGrowth)}.`;
}

/** One to share, one to open, one to seal. */
function boxCosts(rounds: Round[]): number {
  return cost(rounds, ({ costs }) => costs.sharedKeyUs + costs.openUs + costs.sealUs);
}

function cost(rounds: Round[], of: (sent: Sent) => number): number {
  return median(rounds.flatMap((round) => (Object.values(round) as Sent[]).map(of))) ?? 0;
}

function time(rounds: Round[], key: keyof Round): number {
  return median(rounds.map((round) => round[key].server)) ?? 0;
}

function rate(rounds: Round[], key: keyof Round): string {
  return shown(median(rounds.map((round) => round[key].sent / round[key].seconds)) ?? 0, 0);
}

function perSecond(microseconds: number): string {
  return shown(1e6 / microseconds, 0);
}

function milliseconds(microseconds: number): string {
  return shown(microseconds / 1000, 3);
}

function verdict(isReached: boolean): string {
  return isReached ? 'reached' : '**missed**';
}

/** `alignment`: one character for each column; r for right. */
function table(titles: string[], alignment: string, rows: string[][]): string {
  const sides = [...alignment].map((side) => (side === 'r' ? '--:' : '---'));
  return [titles, sides, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
