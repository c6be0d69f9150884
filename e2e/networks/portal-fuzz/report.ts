/** A campaign as Markdown. */
import { cpus } from 'node:os';
import type { Afterwards } from './afterwards.ts';
import { type Campaign, whatIsWrong } from './campaign.ts';
import { parties } from './exchange.ts';

interface Result extends Campaign {
  command: string;
  commit: string;
  node: string;
  seconds: number;
  afterwards: Afterwards;
}

const who: Record<(typeof parties)[number], string> = {
  page: 'a probe, its server hostile',
  'page-tls': 'a probe over TLS, its server hostile',
  look: 'a whole look, resolver and servers hostile',
  http: 'the login’s HTTP proxy, the server behind it hostile',
  tunnel: 'its tunnel (CONNECT), the server hostile',
  socks: 'its SOCKS, the server hostile',
  stranger: 'its port, a hostile client without the password',
  guest: 'its port, a hostile client with it, and a hostile server',
};

export function report(result: Result): string {
  const { before, after, heap, outcomes, afterwards } = result;
  const [cpu] = cpus();
  const rows = parties.map((party) => {
    const came = Object.entries(outcomes[party] ?? {}).toSorted(
      ([, one], [, other]) => other - one,
    );
    const sum = came.reduce((total, [, count]) => total + count, 0);
    return `| ${who[party]} | ${sum} | ${came.map(([outcome, count]) => `${outcome} ${count}`).join(', ')} |`;
  });
  return `# Hostile networks against the portal’s parts

\`${result.command}\`, commit ${result.commit}, Node ${result.node}, ${cpus().length} × ${cpu?.model.trim()}, ${result.seconds} s,
${new Date().toISOString().slice(0, 10)}. The parts that the service has for login pages, in one process with real sockets on loopback, met
${result.reached} peers of ${result.exchanges} ordered (from seed ${result.seed} on): each exchange is derived from its own seed only, and can be repeated with
\`--seed ITS_SEED --exchanges 1\`. The texts are wrong combinations of well-formed parts (status lines, headers, bodies, chunks,
trailers, TLS records, other protocols), half of it mutated, cut into pieces, early or late; then the peer ends, resets, stays, floods or
trickles.

| peer | exchanges | results |
|---|---|---|
${rows.join('\n')}

${whatIsWrong(result) ?? 'No exception escaped, nothing hung, nothing was left over.'}

| | before | after |
|---|---|---|
| heap, after a collection | ${mega(before.heap)} | ${mega(after.heap)} |
| open files | ${before.files} | ${after.files} |
| handles | ${handles(before.handles)} | ${handles(after.handles)} |

The heap during the run, with all lanes at work: ${mega(Math.min(...heap))} to ${mega(Math.max(...heap))}. Afterwards a real portal was noticed by
\`${afterwards.noticedBy}\`, and a login through the port reached its page: “${afterwards.page}”.
`;
}

const mega = (octets: number) => `${(octets / 1e6).toFixed(1)} MB`;

function handles(kinds: Record<string, number>): string {
  const told = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
  return told.length === 0 ? 'none' : told.join(', ');
}
