/**
 * macOS, transcribed from scutil(8), Apple's SCSchemaDefinitions.h and the Configuration Profile Reference. A key of the
 * dynamic store names the resolver; added as "temporary" it ends with the scutil process that holds it, and that process ends
 * with the service: there is nothing to undo. SupplementalMatchDomains with the empty string makes its servers come before the
 * primary service's. networksetup would write into the preferences, where it stays.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fail, type Result, succeed } from '../../../contract/errors.ts';
import { Listeners } from '../../base/listeners.ts';
import type { Mechanism, ServerAddress } from '../mechanism.ts';

const key = 'State:/Network/Service/sotto/DNS';

export function macosMechanism(isRoot = process.getuid?.() === 0): Mechanism {
  const ended = new Listeners<null>();
  let holder: { process: ChildProcess; servers: ServerAddress[]; since: number } | null = null;

  async function release(): Promise<void> {
    const held = holder;
    holder = null;
    if (held === null) return;
    const exited = once(held.process, 'exit');
    held.process.stdin?.end('quit\n');
    await exited;
  }

  return {
    name: 'macos',
    perLink: false,
    anyPort: true,
    look: async () =>
      isRoot
        ? { usable: true, why: 'The dynamic store can be written.' }
        : { usable: false, why: 'The dynamic store can only be written by root.' },
    holdings: async () =>
      succeed(
        holder === null
          ? []
          : [
              {
                link: null,
                servers: holder.servers,
                search: null,
                since: holder.since,
                inPlace: holder.process.exitCode === null,
                before: { servers: [], domains: [] },
              },
            ],
      ),
    async take(_target, servers): Promise<Result<null>> {
      await release();
      const process = spawn('/usr/sbin/scutil', { stdio: ['pipe', 'ignore', 'ignore'] });
      const started = await Promise.race([
        once(process, 'spawn').then(() => true),
        once(process, 'error').then(() => false),
      ]);
      if (!started)
        return fail('no-mechanism', "scutil can't be started", 'check /usr/sbin/scutil');
      process.on('exit', () => ended.tell(null));
      process.stdin.write(script(servers));
      holder = { process, servers: [...servers], since: Date.now() };
      return succeed(null);
    },
    async giveBack() {
      await release();
      return succeed(null);
    },
    flush: async () => await run('/usr/bin/dscacheutil', '-flushcache'),
    follow: (listener) => ended.add(listener),
  };
}

/** The store has one port for all servers. The first server's port decides, and only servers of that port are named. */
function script(servers: readonly ServerAddress[]): string {
  const port = servers[0]?.port ?? 53;
  const addresses = servers.filter((one) => one.port === port).map(({ address }) => address);
  return [
    'open',
    'd.init',
    `d.add ServerAddresses * ${addresses.join(' ')}`,
    ...(port === 53 ? [] : [`d.add ServerPort # ${port}`]),
    'd.add SupplementalMatchDomains * ""',
    `add ${key} temporary`,
    '',
  ].join('\n');
}

async function run(command: string, ...words: string[]): Promise<Result<null>> {
  const child = spawn(command, words, { stdio: 'ignore' });
  const code = await Promise.race([
    once(child, 'exit').then(([status]) => status as number | null),
    once(child, 'error').then(() => null),
  ]);
  return code === 0
    ? succeed(null)
    : fail('helper-refused', `${command} ended with ${code}`, 'see the system log', command);
}
