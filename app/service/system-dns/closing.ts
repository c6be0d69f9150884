/**
 * Keeps names of this machine from going past us while somebody else changes the system's DNS: decides when the gate is to be
 * closed, and closes and opens it. What has to be known of it is in docs/design/the-gate.md.
 */

import { type Result, succeed } from '../../contract/errors.ts';
import type { Closed, GateRequest } from '../../contract/system/gate-protocol.ts';
import { inOrder } from '../base/in-order.ts';
import type { Gate } from './gate.ts';

export interface ClosingFacts {
  /** the setting `systemDns.close` */
  setting: 'contested' | 'always' | 'never';
  /** policy is refuse, or an administrator locked it */
  strict: boolean;
  /** the system's DNS is to be with us, and was given to us at least once */
  ours: boolean;
  /** somebody changed it on this network */
  contested: boolean;
  /** all that we told is in place */
  stands: boolean;
}

/** Why it is to be closed; null: it is to be open. Between two networks nothing stands, and nothing is to go past us there. */
export function closingWanted(facts: ClosingFacts): Closed['why'] | null {
  const { setting, strict, ours, contested, stands } = facts;
  if (setting === 'never' || !ours) return null;
  if (setting === 'always') return 'always';
  return strict && (contested || !stands) ? 'contested' : null;
}

export interface Closing {
  /** As an earlier life left it. */
  learn(): Promise<void>;
  /** Fails where it can't be opened again. */
  settle(facts: ClosingFacts): Promise<Result<null>>;
  /** null: it is open */
  closed(): Closed | null;
  /** why it can't be closed here; null: it can */
  unavailable(): string | null;
}

export function createClosing(gate: Gate): Closing {
  let closed: Closed | null = null;
  let unavailable: string | null = null;
  const inTurn = inOrder();

  async function ask(request: GateRequest): Promise<Result<null>> {
    const said = await gate.ask(request);
    unavailable = said.ok ? null : said.failure.message;
    if (!said.ok) return said;
    closed = said.value;
    return succeed(null);
  }

  async function settle(why: Closed['why'] | null): Promise<Result<null>> {
    if (why === (closed?.why ?? null)) return succeed(null);
    if (why === null) return await ask({ verb: 'open' });
    await ask({ verb: 'close', why });
    return succeed(null);
  }

  return {
    learn: async () => void (await ask({ verb: 'status' })),
    settle: (facts) => inTurn(() => settle(closingWanted(facts))),
    closed: () => closed,
    unavailable: () => unavailable,
  };
}
