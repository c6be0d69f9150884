/** The matrix as Markdown, and which of its cells may fail. */
import { type Carried, hopeless } from '../../e2e/rig/carriers/carry.ts';
import type { MachineFacts } from '../machine-facts.ts';
import { shown } from '../numbers.ts';
import { columns } from './columns.ts';

export interface Cell {
  column: string;
  /** null where there is no such option, or where it broke */
  carried: Carried | null;
  /** why nothing could be asked */
  broken: string | null;
}

export interface Row {
  title: string;
  /** of its Debian packages */
  version: string;
  /** why it was not measured */
  missing: string | null;
  cells: Cell[];
}

interface Matrix {
  date: string;
  machine: MachineFacts;
  /** asked for in each cell */
  names: number;
  rows: Row[];
}

const knownFailures = [
  {
    title: 'smartdns',
    column: 'everything on, cookie or TCP',
    reason: 'it asks its upstreams by UDP only, and passes truncated responses on',
  },
];

export function isUnexpected(title: string, cell: Cell): boolean {
  return hasFailed(cell) && reasonOf(title, cell) === undefined;
}

export function shownCell(title: string, cell: Cell): string {
  const { carried, broken } = cell;
  if (broken !== null) return `**broken**: ${broken.split('\n')[0]}`;
  if (carried === null) return 'no such option';
  const { answered, asked, labels, queriesPerName, long, large } = carried;
  if (!hasFailed(cell)) return `${answered}/${asked} ${labels}, ${shown(queriesPerName, 1)}`;
  const known = reasonOf(title, cell);
  const failed = [
    `**${answered}/${asked}**`,
    ...(long ? [] : ['**no long name**']),
    ...(large ? [] : ['**no large response**']),
  ].join(', ');
  return `${failed}${known === undefined ? '' : `: ${known}`}; last error: ${carried.why}`;
}

export function markdown({ date, machine, names, rows }: Matrix): string {
  const titles = ['carrier', 'version', ...columns.map(({ title }) => title)];
  const body = rows
    .filter(({ missing }) => missing === null)
    .map(({ title, version, cells }) => [
      title,
      version,
      ...cells.map((cell) => shownCell(title, cell)),
    ]);
  const missing = rows.flatMap(({ title, missing }) =>
    missing === null ? [] : [`- ${title}: not measured, ${missing}`],
  );
  return `# Which resolvers carry EncDNS

Written by \`npm run bench:encdns-matrix\` on ${date}. The service asks for ${names} different names, one after the other, through an EncDNS upstream
whose boxes one carrier takes to \`sotto-server --encdns\`, all on one machine. A cell says how many names were answered, which labels came through in the end,
and how many queries the server saw for each name after the first two, in which the client finds out about labels and formats. A cell also
counts as failed where a name of 253 octets, which takes several boxes, or a response of 5,000 octets did not come.
After ${hopeless} names in a row without an answer it asks for no more.

- *0x20*: the carrier gives the letters of names a random case. *No such option*: the version of Debian 12 has none, and does not do it.
  Knot Resolver makes all letters small where it is off, so that base32 is needed there, too.
- *minimised*: it asks for short names first (RFC 9156). A forwarder does not.
- *cookie or TCP*: the server tells the senders of datagrams that the response is truncated, unless they have a cookie of its own (RFC 7873). That is its
  default. BIND has cookies, and dnsmasq and dnsdist hand on those of the client. In the other columns the server runs with \`--udp-unproven full\`.
- BIND, Knot Resolver, PowerDNS Recursor and unbound take the server for the authoritative one of its zone, the others for a resolver.

${table([titles, titles.map(() => '---'), ...body])}
${['', ...missing].join('\n')}
${machine.processor}, ${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}.
`;
}

function hasFailed({ carried, broken }: Cell): boolean {
  if (carried === null) return broken !== null;
  return carried.answered < carried.asked || !carried.long || !carried.large;
}

function reasonOf(title: string, cell: Cell): string | undefined {
  return knownFailures.find((known) => known.title === title && known.column === cell.column)
    ?.reason;
}

function table(rows: string[][]): string {
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
