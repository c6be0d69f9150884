/**
 * Keeps queries of this machine from going past us while another program changes the system's DNS: it decides when the gate is
 * to be closed, and closes and opens it. docs/design/the-gate.md explains it.
 */

import { type Result, succeed } from '../../contract/errors.ts';
import type { Closed } from '../../contract/system/gate-protocol.ts';
import { inOrder } from '../base/in-order.ts';
import type { ClosingRequest, Gate } from './gate.ts';

export interface ClosingFacts {
  /** the setting `systemDns.close` */
  setting: 'contested' | 'always' | 'never';
  /** policy is refuse, or an administrator locked it */
  strict: boolean;
  /** the system's DNS is wanted here, and was here at least once */
  ours: boolean;
  /** another program changed it on this network */
  contested: boolean;
  /** everything that we set is in place */
  stands: boolean;
}

/**
 * Why the gate is to be closed; null: it is to be open. Between two networks our settings are not in place, and no query is to
 * go past us there.
 */
export function closingWanted(facts: ClosingFacts): Closed['why'] | null {
  const { setting, strict, ours, contested, stands } = facts;
  if (setting === 'never' || !ours) return null;
  if (setting === 'always') return 'always';
  return strict && (contested || !stands) ? 'contested' : null;
}

export interface Closing {
  /** Reads what an earlier run of the service left. */
  learn(): Promise<void>;
  /** Fails where it can't be opened again. */
  settle(facts: ClosingFacts): Promise<Result<null>>;
  /** null: it is open */
  closed(): Closed | null;
  /** why it can't be closed here; null: it can */
  unavailable(): string | null;
}

export function createClosing(gate: Pick<Gate, 'ask'>): Closing {
  let closed: Closed | null = null;
  let unavailable: string | null = null;
  const inTurn = inOrder();

  async function ask(request: ClosingRequest): Promise<Result<null>> {
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
