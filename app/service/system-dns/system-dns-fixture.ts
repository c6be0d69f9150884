import { fail, succeed } from '../../contract/errors.ts';
import type { Closed } from '../../contract/system/gate-protocol.ts';
import { Listeners } from '../base/listeners.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import type { HeldLink } from '../network/behind-us.ts';
import type { NetworkChange } from '../network/current-network.ts';
import { someSnapshot } from '../network/fake-network-watch.ts';
import { createClosing } from './closing.ts';
import { type FakeMechanism, fakeMechanism } from './fake-mechanism.ts';
import { createSystemDns, type Wanted } from './system-dns.ts';

export function scene(...mechanisms: FakeMechanism[]) {
  const [fake = fakeMechanism()] = mechanisms;
  const changed = new Listeners<NetworkChange>();
  const wanted: Wanted = {
    strict: false,
    close: 'contested',
    take: true,
    mechanism: 'auto',
    position: 'on',
    listening: ['127.0.0.1:5300', '127.0.0.1:53'],
  };
  const clock = { now: 1_000_000 };
  const health = createHealthRegistry(
    () => clock.now,
    () => {},
  );
  /** the gate's state, and since when queries may go past us */
  const gate = {
    closed: null as Closed | null,
    missing: false,
    passingSince: null as number | null,
  };
  const place = { snapshot: someSnapshot(), held: [] as readonly HeldLink[], takings: 0 };
  /** what guardian and helper were told, beside the changes */
  const told: string[] = [];
  const systemDns = createSystemDns({
    mechanisms: mechanisms.length === 0 ? [fake] : mechanisms,
    listen: () => wanted.listening,
    wanted: () => wanted,
    closing: createClosing({
      async ask(request) {
        if (gate.missing) return fail('gate-missing', 'nftables is not installed', 'install it');
        if (request.verb === 'close') gate.closed = { since: clock.now, why: request.why };
        if (request.verb === 'open') gate.closed = null;
        return succeed(gate.closed);
      },
    }),
    noteContest: (since) => {
      gate.passingSince = since;
    },
    network: { snapshot: () => place.snapshot, onChange: (listener) => changed.add(listener) },
    tellTaken(taken) {
      const last = told.at(-1)?.split(' ')[0];
      if (last !== `${taken}`) told.push(`${taken} after ${fake.changes.length} changes`);
    },
    weHold: (links) => {
      place.held = links;
    },
    own: () => ['192.0.2.1:53'],
    health,
    now: () => clock.now,
    onTaken: () => {
      place.takings += 1;
    },
    onChange: () => {},
  });
  const codes = () => health.list().map(({ code }) => code);
  return { fake, wanted, clock, gate, place, systemDns, codes, changed, told };
}
