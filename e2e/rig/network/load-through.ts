/** Queries at a fixed rate from the client's machine, and their results. */

import { sottoLab } from '../available.ts';
import type { LoadSummary } from '../sotto-lab.ts';
import type { Namespace } from './namespace.ts';

export interface Asking {
  to: string;
  /** names are n0.SUFFIX and on */
  suffix: string;
  rate: number;
  seconds: number;
  timeoutSeconds?: number;
}

export async function loadThrough(client: Namespace, asking: Asking): Promise<LoadSummary> {
  const { stdout, stderr } = await client.run(sottoLab, [
    ...['load', '--json', '--to', asking.to, '--suffix', asking.suffix, '--zipf', '1000'],
    ...['--rate', String(asking.rate), '--seconds', String(asking.seconds)],
    ...['--timeout', String(asking.timeoutSeconds ?? 1)],
  ]);
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const summary = last === '' ? null : (JSON.parse(last) as LoadSummary & { event: string });
  if (summary?.event !== 'load') throw new Error(`no summary\n${stdout}${stderr}`);
  return summary;
}
