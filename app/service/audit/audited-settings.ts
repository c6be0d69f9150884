/**
 * Changes of settings that the audit log records when they are in force, by whatever way they came: a method, an edited file, a
 * profile or a policy.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type FlatSettings,
  type SettingKey,
  settingKeys,
} from '../../contract/settings/settings.ts';
import { disruptsOthers } from '../settings/disruptive-change.ts';
import { loosensProtection } from '../settings/loosening-change.ts';
import type { AuditLog } from './audit-log.ts';
import type { Calls } from './calls.ts';

export interface AuditedSettings {
  /** `before`: null where nobody knows what was in force. */
  changed(before: FlatSettings | null, after: FlatSettings): void;
}

/** They say who may let names out in cleartext: also what makes them stricter is recorded. Rungs are tried in an order of their own. */
const always: ReadonlySet<SettingKey> = new Set(['downgrade', 'rungs', 'consent', 'pause']);

/** Of which no value holds a name or an address; besides, no number and no switch does. */
const told: ReadonlySet<SettingKey> = new Set([
  ...always,
  'learnRules',
  'queryLog.mode',
  'systemDns.close',
  'systemDns.mechanism',
]);

export function auditedSettings(
  audit: Pick<AuditLog, 'note'>,
  calls: Pick<Calls, 'underWay'>,
): AuditedSettings {
  return {
    changed(before, after) {
      if (before === null) return;
      const call = calls.underWay();
      const cause = { account: call?.account ?? null, isTrusted: call === null };
      for (const key of settingKeys.filter((one) => isRecorded(one, before, after)))
        audit.note(['setting-changed', { setting: key, value: toldValue(key, after[key]) }], cause);
    },
  };
}

function isRecorded(key: SettingKey, before: FlatSettings, after: FlatSettings): boolean {
  const [was, is] = [before[key], after[key]];
  if (always.has(key)) return !isDeepStrictEqual(withoutOrder(was), withoutOrder(is));
  return loosensProtection(key, was, is) || disruptsOthers(key, was, is);
}

function withoutOrder(value: unknown): unknown {
  return Array.isArray(value) ? new Set(value) : value;
}

/** Null: it may hold names. */
function toldValue(key: SettingKey, value: unknown): string | null {
  const isPlain = typeof value === 'boolean' || typeof value === 'number';
  return isPlain || told.has(key) ? String(value) : null;
}
