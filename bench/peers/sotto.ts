/** Sotto as a person runs it: the whole service, and not only the engine. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceStatus } from '../../app/contract/status/service-status.ts';
import { nodeFlags } from '../../build/places.mjs';
import { Program, run, succeed } from '../../e2e/rig/process.ts';
import type { LogCount, Peer, Place } from '../peer.ts';
import { addon, program, repository } from '../places.ts';

export type LogMode = 'off' | 'full';

export function sotto(mode: LogMode): Peer {
  return {
    id: `sotto-${mode}`,
    title: `Sotto, log ${mode}`,
    kind: 'ours',
    caches: true,
    forwards: true,
    setup: `the whole service, default settings but for the query log: ${mode}${mode === 'full' ? ' (default)' : ''}`,
    provide: async () =>
      existsSync(addon) ? null : `${addon} is not built: node build/bootstrap.mjs bench builds it`,
    version: () => version(program, repository),
    start: (place) => start(program, place, mode),
    ...(mode === 'full' ? { logged } : {}),
  };
}

/** Of another checkout of this repository. */
export function earlierSotto(checkout: string): (mode: LogMode) => Peer {
  const bundled = join(checkout, 'target/program/cli.mjs');
  const command = [...nodeFlags, bundled];
  return (mode) => {
    const { caches, forwards, setup } = sotto(mode);
    return {
      id: `earlier-${mode}`,
      title: `Sotto before, log ${mode}`,
      kind: 'earlier',
      ...{ caches, forwards, setup },
      provide: async () => (existsSync(bundled) ? null : `${bundled} is not built`),
      version: () => version(command, checkout),
      start: (place) => start(command, place, mode),
    };
  };
}

async function start(
  command: string[],
  { directory, port, upstream }: Place,
  mode: LogMode,
): Promise<Program> {
  const home = homeIn(directory);
  await mkdir(home, { mode: 0o700 });
  const address = `${upstream.address}:${upstream.port}`;
  const settings = {
    listen: [`127.0.0.1:${port}`],
    upstreams: [{ id: 'bench', transport: 'dot', address, name: upstream.name, ca: upstream.ca }],
    systemResolvers: [],
    queryLog: { mode },
  };
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
  return await Program.start(process.execPath, [...command, 'run'], { env: { SOTTO_HOME: home } });
}

function homeIn(directory: string): string {
  return join(directory, 'home');
}

/** It drops events rather than delay a query; dropped ones count among those that there should be. */
async function logged({ directory }: Place): Promise<LogCount> {
  const env = { SOTTO_HOME: homeIn(directory) };
  // The command does not end with 0, because the benchmarks do not take the system's DNS, so this computer is not protected.
  const { stdout } = await run(process.execPath, [...program, 'status', '--json'], { env });
  const { events, log } = serviceStatus.parse(JSON.parse(stdout));
  return { written: events.delivered - log.lost, due: events.delivered + events.dropped };
}

async function version(command: string[], checkout: string): Promise<string> {
  const said = (await succeed(process.execPath, [...command, '--version'])).trim();
  const commit = await git(checkout, 'rev-parse', '--short', 'HEAD');
  if (commit === '') return said;
  const changes = await git(checkout, 'status', '--porcelain', 'app', 'native');
  return `${said} (${commit}${changes === '' ? '' : ' with changes not committed'})`;
}

/** Empty where this is not a clone. */
async function git(checkout: string, ...args: string[]): Promise<string> {
  const { code, stdout } = await run('git', ['-C', checkout, ...args]);
  return code === 0 ? stdout.trim() : '';
}
