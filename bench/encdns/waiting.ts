/**
 * How long a program waits: the same service, server and names, each query after the response to the one before, once in cleartext
 * (a bypass rule) and once in boxes.
 */
import { readFile } from 'node:fs/promises';
import type { Lab } from '../../e2e/rig/lab.ts';
import { type EncdnsServer, encdnsZone } from '../../e2e/rig/peers/encdns-server.ts';
import { succeed } from '../../e2e/rig/process.ts';
import { text } from '../../e2e/rig/raw-client.ts';
import { type SettingsFile, SottoService } from '../../e2e/rig/sotto-service.ts';
import { askInSequence, provideSequential } from '../sequential.ts';
import { startServer } from './server.ts';

const rounds = 15;

/** Medians of a round, in microseconds. */
export interface Wait {
  plain: number;
  session: number;
  perQuery: number;
}

/** From here on all runs on one core, because waking another one takes more time than a box, or none, as it happens. */
export async function waiting(lab: Lab): Promise<Wait[]> {
  await keepToOneCore();
  const reason = await provideSequential();
  if (reason !== null) throw new Error(reason);
  const server = await startServer(lab, 0);
  const bypass = [{ suffix: 'example', to: [text(server)] }];
  const plainly = await service(lab, { bypass, upstreams: [boxed(server, 'session')] });
  const session = await service(lab, { upstreams: [boxed(server, 'session')] });
  const perQuery = await service(lab, { upstreams: [boxed(server, 'per-query')] });
  const done: Wait[] = [];
  while (done.length < rounds) {
    done.push({
      plain: await middle(plainly),
      session: await middle(session),
      perQuery: await middle(perQuery),
    });
    console.log(`round ${done.length} of ${rounds}`, done.at(-1));
  }
  return done;
}

/** What is started later inherits it. */
async function keepToOneCore(): Promise<void> {
  const status = await readFile('/proc/self/status', 'utf8');
  const [, first = '0'] = /^Cpus_allowed_list:\s+(\d+)/m.exec(status) ?? [];
  await succeed('taskset', ['-acp', first, String(process.pid)]);
}

function boxed(server: EncdnsServer, keys: 'session' | 'per-query') {
  return {
    id: keys,
    transport: 'encdns',
    zone: encdnsZone,
    key: server.key,
    keys,
    address: text(server),
  };
}

async function service(lab: Lab, settings: SettingsFile): Promise<SottoService> {
  const quiet = { downgrade: 'refuse', queryLog: { mode: 'off' }, systemResolvers: [] };
  return await SottoService.start(lab, { ...settings, ...quiet });
}

async function middle({ port }: SottoService): Promise<number> {
  const { median, lost, failed } = await askInSequence(port);
  if (lost + failed > 0) throw new Error(`${lost} queries were lost, and ${failed} failed`);
  return median;
}
