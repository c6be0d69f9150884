/** Brings new settings into force everywhere, or reports what is wrong with them. */
import { type Result, succeed } from '../contract/errors.ts';
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
  protection: Pick<Protection, 'adopt'>;
  queryLog: Pick<QueryLog, 'configure'>;
  systemDns: Pick<SystemDns, 'settle'>;
  fleetView: Pick<FleetView, 'configure'>;
  crossCheck: Pick<CrossCheck, 'configure'>;
  health: HealthRegistry;
  journal: Journal;
  settingsJournal: Pick<SettingsJournal, 'inForce'>;
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
  const { protection, queryLog, systemDns, health, journal, settingsJournal, onBug } = parts;
  const adopted = await protection.adopt(effective);
  if (adopted.ok) {
    health.clear('listen-failed');
    if (!adopted.value) return succeed(null);
    queryLog.configure(effective.settings.queryLog);
    parts.fleetView.configure(effective.settings);
    parts.crossCheck.configure(effective.settings);
    systemDns.settle().catch(onBug);
    journal.note('settings-in-force', {});
    settingsJournal.inForce(effective.sources);
    return succeed(null);
  }
  const { failure } = adopted;
  const code = failure.code === 'listen-failed' ? 'listen-failed' : 'settings-invalid';
  health.raise(code, sayRefusal(failure));
  journal.note('settings-refused', { code: failure.code });
  return adopted;
}
