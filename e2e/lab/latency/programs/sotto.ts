/** Sotto as a person runs it: the whole service. */
import { sotto as benched } from '../../../../bench/peers/sotto.ts';
import { type SettingsFile, SottoService } from '../../../rig/sotto-service.ts';
import type { Program, Running, Seat } from '../program.ts';
import { ours } from '../rows.ts';

export type SottoTransport = 'dot' | 'tdns' | 'tcp';

/** Settings of an upstream only. */
export interface OfUpstream {
  earlyData?: true;
}

export interface RunningSotto extends Running {
  service: SottoService;
}

const { provide, version } = benched('full');

export const sotto: Program = {
  id: 'sotto',
  title: ours,
  setup: 'the whole service, default settings',
  provide,
  version,
  start: (seat) => startSotto(seat),
};

/** Where the transport is in cleartext, policy has to allow that. */
export async function startSotto(
  { lab, machine, port, upstream }: Omit<Seat, 'directory'>,
  transport: SottoTransport = 'dot',
  settings: SettingsFile = {},
  ofUpstream: OfUpstream = {},
): Promise<RunningSotto> {
  const { address, name, ca } = upstream;
  const trust = transport === 'tcp' ? {} : { name, ca };
  const complete = {
    listen: [`127.0.0.1:${port}`],
    upstreams: [{ id: 'far', transport, address, ...trust, ...ofUpstream }],
    ...(transport === 'tcp' ? { downgrade: 'fallback' } : {}),
    ...settings,
  };
  const service = await SottoService.start(lab, complete, port, { on: machine });
  return { title: ours, door: service.v4, pid: service.pid, service };
}
