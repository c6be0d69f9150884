/** The ledger, page by page. */
import { type Result, succeed } from '../errors.ts';
import type { ClearClass } from '../query-log/query-event.ts';
import type { ServiceClient } from '../service-api.ts';
import { type LedgerEntry, mostEntries } from './ledger-entry.ts';

interface Wanted {
  class?: ClearClass | undefined;
  /** only the newest so many */
  most?: number;
  /** whatever changes after the first page is told by `ledger.changed` */
  follow?: boolean;
}

/** Newest first. */
export async function readLedger(
  service: Pick<ServiceClient, 'call'>,
  { class: only, most = Number.POSITIVE_INFINITY, follow = false }: Wanted,
): Promise<Result<LedgerEntry[]>> {
  const entries: LedgerEntry[] = [];
  for (;;) {
    const last = entries.at(-1);
    const filter = {
      limit: Math.min(mostEntries, most - entries.length),
      ...(only !== undefined && { class: only }),
    };
    const page =
      last === undefined
        ? await service.call(follow ? 'ledger.follow' : 'ledger.list', filter)
        : await service.call('ledger.list', { ...filter, beforeId: last.id });
    if (!page.ok) return page;
    entries.push(...page.value.entries);
    if (page.value.entries.length < filter.limit || entries.length >= most) return succeed(entries);
  }
}
