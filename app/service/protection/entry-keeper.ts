/**
 * Keeps the ledger's open entries equal to what is permitted now, and their counts equal to the engine's. An entry that is over
 * is never used again. If a full disk keeps it from being closed, it is closed as soon as there is room.
 */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import type { EngineStatus } from '../engine/boundary.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { Ledger } from './ledger.ts';
import { isSame, type Permission } from './permissions.ts';

export interface EntryKeeper {
  /** The open entries, when they are exactly what is permitted; else null. */
  matching(granted: readonly Permission[]): LedgerEntry[] | null;
  /**
   * Puts an entry on disk for each permission; it ends when the permission ends. What can't be written down is not permitted.
   */
  open(granted: readonly Permission[]): LedgerEntry[];
  closeOthers(stay: readonly LedgerEntry[], why: (entry: LedgerEntry) => string): void;
  /** Open entries that permit something, oldest first. */
  standing(): LedgerEntry[];
  /** An entry that the engine's own clock has ended is over, whatever the time of day is. */
  closeEnded(engine: EngineStatus): LedgerEntry[];
  syncCounts(): void;
}

interface KeeperParts {
  engine: EngineDriver;
  ledger: Ledger;
  health: HealthRegistry;
  now(): number;
}

/** There may be as many rules as names that a company has. */
function byRule(entries: readonly LedgerEntry[]): Map<string, LedgerEntry[]> {
  return Map.groupBy(entries, ({ rule }) => rule);
}

export function createEntryKeeper({ engine, ledger, health, now }: KeeperParts): EntryKeeper {
  const written = new Map<number, number>();
  /** over, and not closed yet */
  const over = new Map<number, { why: string; at: number }>();

  function standingNow(): LedgerEntry[] {
    return ledger.leased().filter(({ id }) => !over.has(id));
  }

  function close(id: number, why: string): void {
    over.set(id, { why, at: now() });
    closeWhatIsOver();
  }

  /** The last count comes first, because a closed entry takes none. */
  function closeWhatIsOver(): void {
    const counts = over.size === 0 ? [] : engine.status().clear;
    for (const [id, { why, at }] of over) {
      if (counts.some(({ entry, count }) => entry === id && written.get(id) !== count)) continue;
      record(() => {
        ledger.close(id, why, at);
        over.delete(id);
      });
    }
  }

  function record<Value>(write: () => Value): Value | null {
    try {
      const value = write();
      health.clear('ledger-unwritable');
      return value;
    } catch (error) {
      health.raise('ledger-unwritable', error instanceof Error ? `${error.message}.` : '');
      return null;
    }
  }

  function extend(entry: LedgerEntry, until: Permission['until']): LedgerEntry | null {
    if (entry.until === until) return entry;
    return record(() => {
      ledger.extend(entry.id, until);
      return { ...entry, until };
    });
  }

  function syncCounts(): void {
    const { clear } = engine.status();
    for (const { entry, count } of clear)
      if (written.get(entry) !== count)
        record(() => {
          ledger.setCount(entry, count);
          written.set(entry, count);
        });
    engine.counted(clear.filter(({ entry, count }) => written.get(entry) === count));
    closeWhatIsOver();
  }

  return {
    matching(granted) {
      const standing = standingNow();
      if (standing.length !== granted.length) return null;
      const ofRule = byRule(standing);
      const entries = granted.flatMap(
        (permission) =>
          ofRule
            .get(permission.rule)
            ?.find(
              (entry) => isSame(entry, permission, now()) && entry.until === permission.until,
            ) ?? [],
      );
      return entries.length === granted.length ? entries : null;
    },

    open(granted) {
      const ofRule = byRule(standingNow());
      const known = granted.map((permission) =>
        ofRule.get(permission.rule)?.find((entry) => isSame(entry, permission, now())),
      );
      const wanted = granted.filter((_permission, position) => known[position] === undefined);
      const opened = (wanted.length === 0 ? null : record(() => ledger.openAll(wanted))) ?? [];
      const rest = opened.values();
      return granted.flatMap((permission, position) => {
        const same = known[position];
        if (same !== undefined) return extend(same, permission.until) ?? [];
        const next = rest.next();
        return next.done === true ? [] : next.value;
      });
    },

    closeOthers(stay, why) {
      // The count of a lease that is now revoked can be read for the last time.
      syncCounts();
      const stays = new Set(stay.map(({ id }) => id));
      for (const entry of standingNow()) if (!stays.has(entry.id)) close(entry.id, why(entry));
    },

    standing: standingNow,

    closeEnded(engineNow) {
      const ended = new Set(
        engineNow.clear.flatMap((lease) =>
          lease.class === 'policy' && lease.ended ? [lease.entry] : [],
        ),
      );
      const entries = standingNow().filter(({ id }) => ended.has(id));
      if (entries.length > 0) syncCounts();
      for (const { id } of entries) close(id, ledgerEndings['time-over']);
      return entries;
    },

    syncCounts,
  };
}
