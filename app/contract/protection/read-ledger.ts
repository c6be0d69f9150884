/** The ledger, page by page. */

import { mostEntries } from '../bounds.ts';
import type { ClearClass } from '../engine-words.ts';
import { type Result, succeed } from '../errors.ts';
import type { ServiceClient } from '../service-api.ts';
import type { LedgerEntry } from './ledger-entry.ts';

interface Wanted {
  class?: ClearClass | undefined;
  /** only this many of the newest */
  most?: number;
  /** `ledger.changed` reports every change after the first page */
  follow?: boolean;
}

/** Newest first. */
export async function readLedger(
  service: Pick<ServiceClient, 'call'>,
  { class: only, most = Number.POSITIVE_INFINITY, follow = false }: Wanted,
): Promise<Result<LedgerEntry[]>> {
  const entries: LedgerEntry[] = [];
  const filter = only === undefined ? {} : { class: only };
  let method: 'ledger.follow' | 'ledger.list' = follow ? 'ledger.follow' : 'ledger.list';
  let from: { beforeId?: number } = {};
  for (;;) {
    const limit = Math.min(mostEntries, most - entries.length);
    const page = await service.call(method, { limit, ...filter, ...from });
    if (!page.ok) return page;
    entries.push(...page.value.entries);
    const last = page.value.entries[limit - 1];
    if (last === undefined || entries.length >= most) return succeed(entries);
    method = 'ledger.list';
    from = { beforeId: last.id };
  }
}
