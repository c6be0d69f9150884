/**
 * A real service as the page sees it: every answer is the real service's, but whether the system's DNS is led to it, which a test
 * can't do to the machine that it runs on. The verdict is that of the real function.
 */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { someSystemDns } from '../../app/cli/fixtures/made-up.ts';
import {
  type MethodName,
  type ServiceHandlers,
  serviceApi,
} from '../../app/contract/service-api.ts';
import { connectToService } from '../../app/service-client/service-client.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { ToldService } from '../rig/told-service.ts';

export async function seenWithSystemDns(
  lab: Lab,
  service: SottoService,
  { taken, ...others }: { taken: boolean } & Partial<ServiceHandlers>,
): Promise<ToldService> {
  const real = await connectToService(join(service.home, 'control.sock'), 'screens');
  if (!real.ok) throw new Error(real.failure.message);
  const { call, close } = real.value;
  lab.adopt({ stop: async () => close() });
  const known = await eventually('it knows how it stands', async () => {
    const found = await call('status.get', {});
    if (!found.ok) throw new Error(found.failure.message);
    return found.value.protection.state !== 'starting' && found.value;
  });
  const { verdict: _of, sentence: _before, ...status } = known;
  const home = await mkdtemp(join(lab.directory, 'seen-'));
  const seen: ToldService = await ToldService.start(
    lab,
    home,
    {
      ...passedOn(call),
      // All pages share one connection to the real service, which has room for a few subscriptions.
      'log.follow': async (params, session) => {
        const begun = await call('log.follow', params);
        if (begun.ok) session.onClose(() => void call('log.unfollow', begun.value));
        return begun;
      },
      'system.take': () => {
        seen.tell({ systemDns: someSystemDns() });
        return { ok: true, value: details };
      },
      'system.status': () => ({ ok: true, value: details }),
      ...others,
    },
    { ...status, health: [], systemDns: taken ? someSystemDns() : notLed },
  );
  return seen;
}

export const notLed = someSystemDns({ taken: false, wanted: false, since: null, links: [] });

const details = {
  status: someSystemDns(),
  found: [],
  own: [],
  helper: null,
  startHelper: '',
  gate: { closed: null, unavailable: null },
};
const told = new Set<string>(['hello', 'status.get', 'status.follow']);

function passedOn(call: (name: never, params: never) => unknown): Partial<ServiceHandlers> {
  const names = (Object.keys(serviceApi.methods) as MethodName[]).filter((name) => !told.has(name));
  return Object.fromEntries(
    names.map((name) => [name, (params: never) => call(name as never, params)]),
  ) as Partial<ServiceHandlers>;
}
