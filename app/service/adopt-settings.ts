/** Brings new settings into force everywhere, or reports what is wrong with them. */
import { setTimeout } from 'node:timers/promises';
import { type Failure, type Result, succeed } from '../contract/errors.ts';
import type { AuditedSettings } from './audit/audited-settings.ts';
import type { FleetView } from './fleet-view.ts';
import type { HealthRegistry } from './health/health-registry.ts';
import type { Journal } from './logging/journal.ts';
import type { SettingsJournal } from './logging/settings-journal.ts';
import type { Protection } from './protection/protection.ts';
import type { QueryLog } from './query-log/query-log.ts';
import type { EffectiveSettings } from './settings/load-settings.ts';
import { sayRefusal } from './settings/say-refusal.ts';
import type { SystemDns } from './system-dns/system-dns.ts';
import type { CrossCheck } from './upstreams/cross-check.ts';

interface Parts {
  protection: Pick<Protection, 'adopt' | 'inForce'>;
  queryLog: Pick<QueryLog, 'configure'>;
  systemDns: Pick<SystemDns, 'settle'>;
  fleetView: Pick<FleetView, 'configure'>;
  crossCheck: Pick<CrossCheck, 'configure'>;
  health: HealthRegistry;
  journal: Journal;
  settingsJournal: Pick<SettingsJournal, 'inForce'>;
  auditedSettings: Pick<AuditedSettings, 'changed'>;
  onBug(error: unknown): void;
}

/**
 * Adopts them as a whole or not at all: on failure the old ones stay in force, and the failure becomes a health issue. Settings
 * that are in force already are not adopted again, because the watcher also reports files that the service wrote itself.
 */
export async function adoptSettings(
  effective: EffectiveSettings,
  parts: Parts,
): Promise<Result<null>> {
  const { protection, systemDns, onBug } = parts;
  const before = protection.inForce();
  const isReleased = await giveBackFirst(effective, parts);
  const adopted = await protection.adopt(effective);
  if (adopted.ok) {
    parts.health.clear('listen-failed');
    if (adopted.value || isReleased) {
      tellInForce(effective, parts);
      parts.auditedSettings.changed(before.values, effective.values);
    }
    return succeed(null);
  }
  if (isReleased) {
    await protection.adopt(before);
    systemDns.settle().catch(onBug);
  }
  return refuse(adopted.failure, parts);
}

/**
 * As long as programs ask Sotto, their names go where the old settings say: the new ones, without a profile for example, may know no
 * bypass rules any more, and would send internal names to an upstream.
 */
async function giveBackFirst(
  { settings }: EffectiveSettings,
  { protection, systemDns, onBug }: Parts,
): Promise<boolean> {
  const before = protection.inForce();
  if (!before.settings.systemDns.take || settings.systemDns.take) return false;
  const released = {
    ...before,
    values: { ...before.values, 'systemDns.take': false },
    settings: { ...before.settings, systemDns: { ...before.settings.systemDns, take: false } },
  };
  const adopted = await protection.adopt(released);
  if (!adopted.ok) return false;
  const waiting = new AbortController();
  const late = setTimeout(givenBackWithinMs, undefined, { ref: false, signal: waiting.signal });
  await Promise.race([systemDns.settle().catch(onBug), late.catch(() => {})]);
  waiting.abort();
  return true;
}

/** A helper that hangs holds up no settings. */
const givenBackWithinMs = 5000;

function tellInForce(effective: EffectiveSettings, parts: Parts): void {
  const { queryLog, systemDns, journal, settingsJournal, onBug } = parts;
  queryLog.configure(effective.settings.queryLog);
  parts.fleetView.configure(effective.settings);
  parts.crossCheck.configure(effective.settings);
  systemDns.settle().catch(onBug);
  journal.note('settings-in-force', {});
  settingsJournal.inForce(effective.sources);
}

function refuse(failure: Failure, { health, journal }: Parts): Result<never> {
  const code = failure.code === 'listen-failed' ? 'listen-failed' : 'settings-invalid';
  health.raise(code, sayRefusal(failure));
  journal.note('settings-refused', { code: failure.code });
  return { ok: false, failure };
}
