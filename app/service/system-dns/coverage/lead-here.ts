/**
 * Which paths of the system lead here: each path gets a query for a name of its own, which arrives here or does not. These
 * queries are sent only while the system's DNS is held, so that no such name leaves this machine unless there is a coverage
 * gap.
 */
import { lookup } from 'node:dns/promises';
import { say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import { fail, ok, warn } from '../../doctor/finding.ts';
import type { EngineDriver, ProbedServer } from '../../engine/engine-driver.ts';
import type { LinkRef } from '../mechanism.ts';
import type { AskBus } from '../system-bus.ts';

export interface WayParts {
  engine: Pick<EngineDriver, 'expectProbe' | 'probeArrived' | 'probe'>;
  lookUp(name: string): Promise<unknown>;
  bus: AskBus;
  /** systemd-resolved leads programs here; each of these links is tried through it */
  resolvedLinks: readonly LinkRef[];
  /** as /etc/resolv.conf names them */
  nameservers: readonly string[];
}

export const lookUpAsPrograms = (name: string) => lookup(name, { all: true });

/** A query that has not arrived by then went elsewhere, or was lost. */
const patienceMs = 4000;
const check = 'coverage';

export async function findWaysHere(parts: WayParts): Promise<Finding[]> {
  const ways = [
    programs(parts),
    ...parts.nameservers.map((server) => nameserver(parts, server)),
    ...parts.resolvedLinks.map((link) => linkOfResolved(parts, link)),
  ];
  return await Promise.all(ways);
}

async function programs(parts: WayParts): Promise<Finding> {
  return (await arrives(parts, parts.lookUp))
    ? ok(check, say('programs-arrive'), 'programs')
    : fail(check, say('programs-coverage-gap'), say('see-nsswitch'), 'programs');
}

async function nameserver(parts: WayParts, server: string): Promise<Finding> {
  const loopback = server.startsWith('127.') || server === '::1';
  const addresses = [server.includes(':') ? `[${server}]:53` : `${server}:53`];
  const at: ProbedServer = { transport: 'udp', addresses, names: [], timeoutMs: patienceMs };
  const asked = (name: string) => parts.engine.probe({ name, type: 'A' }, at);
  // Another machine is not us, whatever it answers.
  return loopback && (await arrives(parts, asked))
    ? ok(check, say('nameserver-leads-here', { server }), server)
    : warn(check, say('nameserver-leads-past', { server }), say('take-nameserver-out'), server);
}

async function linkOfResolved(parts: WayParts, { index, name }: LinkRef): Promise<Finding> {
  const ipv4 = 2;
  const asked = (query: string) =>
    parts.bus(
      {
        destination: 'org.freedesktop.resolve1',
        path: '/org/freedesktop/resolve1',
        interface: 'org.freedesktop.resolve1.Manager',
        member: 'ResolveHostname',
        signature: 'isit',
        body: [index, query, ipv4, 0],
      },
      patienceMs,
    );
  return (await arrives(parts, asked))
    ? ok(check, say('link-arrives', { link: name }), name)
    : warn(
        check,
        say('link-coverage-gap', { link: name }),
        say('see-resolvectl', { link: name }),
        name,
      );
}

async function arrives(
  { engine }: WayParts,
  ask: (name: string) => Promise<unknown>,
): Promise<boolean> {
  const name = engine.expectProbe();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([ask(name).catch(() => {}), late]);
  clearTimeout(timer);
  return engine.probeArrived(name);
}
