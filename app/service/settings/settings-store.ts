/** The settings in force. A reload that finds an error changes nothing but the health issues. */

import type { ServicePaths } from '../../contract/service-paths.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import { type EffectiveSettings, type LoadedSettings, loadSettings } from './load-settings.ts';
import type { Resolver } from './resolver-catalogue.ts';
import type { Problem } from './settings-text.ts';

export interface SettingsStore {
  /** The last good ones. */
  current(): EffectiveSettings;
  /** What would be in force if settings.json held this text. */
  consider(settingsText: string): LoadedSettings;
  /** Reads the files again; null when they have an error, which then stands as a health issue. */
  reload(): EffectiveSettings | null;
}

type Opened = { store: SettingsStore; problems: [] } | { store: null; problems: Problem[] };

/** There is nothing to fall back to at the start: with errors there is no store. */
export function openSettings(
  paths: Pick<ServicePaths, 'settingsFile' | 'policyFolder'>,
  catalogue: readonly Resolver[],
  health: HealthRegistry,
  handedOver?: readonly string[],
): Opened {
  const given = { ...paths, catalogue, handedOver };
  const first = loadSettings(given);
  if (first.effective === null) return { store: null, problems: first.problems };
  let current = first.effective;
  let lastPolicies = first.policies;
  report(first, health);

  return {
    problems: [],
    store: {
      current: () => current,
      consider: (settingsText) => loadSettings({ ...given, lastPolicies, settingsText }),
      reload() {
        const loaded = loadSettings({ ...given, lastPolicies });
        lastPolicies = loaded.policies;
        report(loaded, health);
        current = loaded.effective ?? current;
        return loaded.effective;
      },
    },
  };
}

export function sayProblem({ file, path, line, reason }: Problem): string {
  const place = [file, line === null ? '' : `line ${line}`].filter(Boolean).join(', ');
  return path === '' ? `${place}: ${reason}` : `${place}: ${path}: ${reason}`;
}

function report(loaded: LoadedSettings, health: HealthRegistry): void {
  if (loaded.problems.length === 0) health.clear('settings-invalid');
  else health.raise('settings-invalid', loaded.problems.map(sayProblem).join('\n'));

  const byFile = new Map<string, string>();
  for (const problem of loaded.policyProblems) {
    const before = byFile.get(problem.file);
    byFile.set(problem.file, [before, sayProblem(problem)].filter(Boolean).join('\n'));
  }
  health.replace('policy-file-invalid', byFile);

  if (loaded.problems.length > 0) return;
  if (loaded.overridden.length === 0) health.clear('policy-overrides-user');
  else health.raise('policy-overrides-user', loaded.overridden.join('\n'));
}
