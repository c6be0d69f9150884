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

/** Each connection has one at a time, which ends with the connection. */
export function createExplicitHandlers({
  ledger,
  network,
  whoIs,
  now,
}: Parts): Pick<ServiceHandlers, 'ledger.begin' | 'ledger.end'> {
  const open = new Map<ServiceSession, number>();

  function close(session: ServiceSession, count: number | null): Result<Record<string, never>> {
    const id = open.get(session);
    if (id === undefined) return succeed({});
    return recorded(() => {
      ledger.explicit.close(id, count, now());
      open.delete(session);
      return {};
    });
  }

  return {
    'ledger.begin': ({ transport, address, timeoutMs }, session) => {
      const closed = close(session, null);
      if (!closed.ok) return closed;
      return recorded(() => {
        const { id } = ledger.explicit.open({
          network: network.stay().partition,
          networkLabel: network.label(),
          reason: `a command asked ${transport}://${address} directly`,
          who: whoIs(session),
          since: now(),
          until: now() + timeoutMs,
        });
        session.onClose(() => close(session, null));
        open.set(session, id);
        return { entry: id };
      });
    },
    'ledger.end': ({ packets }, session) => close(session, packets),
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
