/**
 * Changes of settings that the audit log records when they are in force, by whatever way they came: a method, an edited file, a
 * profile or a policy.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import {
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import type { AuditLog } from './audit-log.ts';

export interface AuditedSettings {
  /** Whose call it is: what it changes was changed by that account. */
  during<Outcome>(account: number | null, call: () => Outcome): Outcome;
  /** `before`: null where nobody knows what was in force. */
  changed(before: FlatSettings | null, after: FlatSettings): void;
}

/** Settings that say who may let names out in cleartext: also what makes them stricter is recorded. */
const always: ReadonlySet<SettingKey> = new Set(['downgrade', 'rungs', 'consent', 'pause']);

/** Of which no value holds a name or an address; besides, no number and no switch does. */
const told: ReadonlySet<SettingKey> = new Set([
  ...always,
  'learnRules',
  'queryLog.mode',
  'systemDns.close',
  'systemDns.mechanism',
]);

export function auditedSettings(audit: Pick<AuditLog, 'note'>): AuditedSettings {
  const callers = new AsyncLocalStorage<number | null>();
  return {
    during: (account, call) => callers.run(account, call),
    changed(before, after) {
      if (before === null) return;
      for (const key of settingKeys.filter((one) => isRecorded(one, before, after)))
        audit.note(['setting-changed', { setting: key, value: toldValue(key, after[key]) }], {
          account: callers.getStore() ?? null,
          isTrusted: true,
        });
    },
  };
}

function isRecorded(key: SettingKey, before: FlatSettings, after: FlatSettings): boolean {
  return always.has(key)
    ? !isDeepStrictEqual(before[key], after[key])
    : loosensProtection(key, before[key], after[key]);
}

/** Null: it may hold names. */
function toldValue(key: SettingKey, value: unknown): string | null {
  const isPlain = typeof value === 'boolean' || typeof value === 'number';
  return isPlain || told.has(key) ? String(value) : null;
}
