/** Keeps the ledger's open entries what is permitted now, and their counts what the engine says. */

import type { LedgerEntry } from '../../contract/ledger-entry.ts';
import { ledgerEndings } from '../../contract/ledger-words.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { EngineStatus } from '../engine/engine-status.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { Ledger } from './ledger.ts';
import { isSame, type Permission } from './permissions.ts';

export interface EntryKeeper {
  /** The open entries, when they are exactly what is permitted; else null. */
  matching(granted: readonly Permission[]): LedgerEntry[] | null;
  /** An entry on disk for each permission, ending when it ends. What can't be written down is not permitted. */
  open(granted: readonly Permission[]): LedgerEntry[];
  closeOthers(stay: readonly LedgerEntry[], why: (entry: LedgerEntry) => string): void;
  /** Open entries of class policy, of no rule. */
  exposures(): LedgerEntry[];
  /** Those of bypass rules that are downgrades. */
  wideRules(): LedgerEntry[];
  /** What the engine's own clock has ended is over, whatever the time of day says. */
  closeEnded(engine: EngineStatus): LedgerEntry[];
  syncCounts(): void;
}

interface KeeperParts {
  engine: EngineDriver;
  ledger: Ledger;
  health: HealthRegistry;
  now(): number;
}

export function createEntryKeeper({ engine, ledger, health, now }: KeeperParts): EntryKeeper {
  const written = new Map<number, number>();

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

  function openOne(permission: Permission, standing: readonly LedgerEntry[]): LedgerEntry | null {
    const same = standing.find((entry) => isSame(entry, permission, now()));
    if (same === undefined) return record(() => ledger.open(permission));
    const { until } = permission;
    if (same.until === until) return same;
    return record(() => {
      ledger.extend(same.id, until);
      return { ...same, until };
    });
  }

  function syncCounts(): void {
    for (const { entry, count } of engine.status().clear)
      if (written.get(entry) !== count)
        record(() => {
          ledger.setCount(entry, count);
          written.set(entry, count);
        });
  }

  return {
    matching(granted) {
      const standing = ledger.leased();
      if (standing.length !== granted.length) return null;
      const entries = granted.flatMap(
        (permission) =>
          standing.find(
            (entry) => isSame(entry, permission, now()) && entry.until === permission.until,
          ) ?? [],
      );
      return entries.length === granted.length ? entries : null;
    },

    open(granted) {
      const standing = ledger.leased();
      return granted.flatMap((permission) => openOne(permission, standing) ?? []);
    },

    closeOthers(stay, why) {
      // What was sent under a lease that is now revoked is known for the last time.
      syncCounts();
      const stays = new Set(stay.map(({ id }) => id));
      for (const entry of ledger.leased())
        if (!stays.has(entry.id)) record(() => ledger.close(entry.id, why(entry)));
    },

    exposures: () =>
      ledger.leased().filter((entry) => entry.class === 'policy' && entry.rule === ''),

    wideRules: () =>
      ledger.leased().filter((entry) => entry.class === 'policy' && entry.rule !== ''),

    closeEnded(engineNow) {
      const over = new Set(
        engineNow.clear.flatMap((lease) =>
          lease.class === 'policy' && lease.ended ? [lease.entry] : [],
        ),
      );
      const entries = ledger.leased().filter(({ id }) => over.has(id));
      if (entries.length > 0) syncCounts();
      for (const { id } of entries) record(() => ledger.close(id, timeOver));
      return entries;
    },

    syncCounts,
  };
}

export const timeOver = ledgerEndings['time-over'];
