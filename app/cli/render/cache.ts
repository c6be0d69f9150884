/** The cache as a whole, and its entries for a name. */

import type { CacheEntry } from '../../contract/status/cache-entry.ts';
import type { CacheStatus } from '../../contract/status/service-status.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import { sayCount, sayOctets, sayShare, shareOf } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { renderTable } from '../terminal/table.ts';

export function renderCache(cache: CacheStatus): string[] {
  const { entries, capacity, octets, hits, misses, stale, prefetched, hotNames, sentAhead } = cache;
  return [
    `Kept        ${sayCount(entries, 'response')}, ${sayOctets(octets)} of at most ${sayOctets(capacity)}`,
    `Answered    ${sayShare(shareOf(hits, hits + misses))} of what it was asked: ${hits} of ${hits + misses}`,
    `Stale       ${sayCount(stale, 'response')} given after its time`,
    `Prefetched  ${sayCount(prefetched, 'response')} fetched anew before its end`,
    ...(hotNames + sentAhead > 0
      ? [
          `Hot set     ${sayCount(hotNames, 'name')} now; ${sayCount(sentAhead, 'query', 'queries')} sent ahead`,
        ]
      : []),
  ];
}

export function renderCacheEntries(entries: readonly CacheEntry[]): string[] {
  return renderTable(
    [
      { title: 'type' },
      { title: 'result' },
      { title: 'records', align: 'right' },
      { title: 'expires' },
      { title: 'from' },
      { title: 'size', align: 'right' },
      { title: 'marks' },
    ],
    entries.map((entry) => [
      safe(entry.class === 'IN' ? entry.type : `${entry.class} ${entry.type}`),
      safe(entry.rcode),
      String(entry.answers),
      sayExpiry(entry),
      safe(entry.upstream),
      sayOctets(entry.octets),
      marksOf(entry),
    ]),
  );
}

function sayExpiry({ ttlLeft }: CacheEntry): string {
  const time = sayDuration(Math.abs(ttlLeft) * 1000);
  return ttlLeft < 0 ? `${time} ago` : `in ${time}`;
}

function marksOf(entry: CacheEntry): string {
  return [
    entry.negative ? 'negative' : '',
    entry.stale ? 'stale' : '',
    entry.dnssecOk ? 'do' : '',
    entry.checkingDisabled ? 'cd' : '',
    entry.authenticated ? '' : 'not authenticated',
  ]
    .filter((mark) => mark !== '')
    .join(', ');
}
