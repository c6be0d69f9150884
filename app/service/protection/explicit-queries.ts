/**
 * Queries that a person's command sends past us in cleartext (`sotto query --at udp://…`): each stands in the ledger before it
 * leaves. The service does not carry them, so the command reports the count; where it ends without a report, the count stays
 * unknown.
 */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { Ledger } from './ledger.ts';

interface Parts {
  ledger: Pick<Ledger, 'explicit'>;
  network: Pick<CurrentNetwork, 'stay' | 'label'>;
  whoIs(session: ServiceSession): string;
  now(): number;
}

/** Each entry is written to the disk before anything else happens, and stays. */
const mostAnHour = 300;

/** Each connection has one at a time, which ends with the connection. */
export function createExplicitHandlers({
  ledger,
  network,
  whoIs,
  now,
}: Parts): Pick<ServiceHandlers, 'ledger.begin' | 'ledger.end'> {
  /** null: it has ended */
  const open = new Map<ServiceSession, number | null>();
  const mayBegin = hourlyShares(now);

  function close(session: ServiceSession, count: number | null): Result<Record<string, never>> {
    const id = open.get(session);
    if (id === undefined || id === null) return succeed({});
    return recorded(() => {
      ledger.explicit.close(id, count, now());
      open.set(session, null);
      return {};
    });
  }

  function follow(session: ServiceSession): void {
    if (open.has(session)) return;
    open.set(session, null);
    session.onClose(() => {
      close(session, null);
      open.delete(session);
    });
  }

  return {
    'ledger.begin': ({ transport, address, timeoutMs }, session) => {
      const closed = close(session, null);
      if (!closed.ok) return closed;
      if (!mayBegin(whoIs(session))) return tooMany;
      follow(session);
      return recorded(() => {
        const { id } = ledger.explicit.open({
          network: network.stay().partition,
          networkLabel: network.label(),
          reason: `a command asked ${transport}://${address} directly`,
          who: whoIs(session),
          since: now(),
          until: now() + timeoutMs,
        });
        open.set(session, id);
        return { entry: id };
      });
    },
    'ledger.end': ({ packets }, session) => close(session, packets),
  };
}

const tooMany = fail(
  'too-many',
  `so many queries past Sotto stand in the ledger already: there may be ${mostAnHour} of one account in an hour`,
  'wait, or ask through Sotto: sotto query NAME',
);

/** Counts by account, in hours of their own. */
function hourlyShares(now: () => number): (who: string) => boolean {
  const hours = new Map<string, { since: number; count: number }>();
  return (who) => {
    const known = hours.get(who);
    const isPast = known === undefined || Math.abs(now() - known.since) >= 3_600_000;
    const hour = isPast ? { since: now(), count: 0 } : known;
    hours.set(who, hour);
    if (hour.count >= mostAnHour) return false;
    hour.count += 1;
    return true;
  };
}

function recorded<Value>(write: () => Value): Result<Value> {
  try {
    return succeed(write());
  } catch (error) {
    return fail(
      'state-unwritable',
      `the ledger can't be written: ${sayErrno(error)}`,
      'free space on the disk and check who owns the state folder',
    );
  }
}
