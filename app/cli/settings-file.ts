/** A settings file, read by the service's own reader: what passes here is taken there. */
import { existsSync, readFileSync } from 'node:fs';
import type { ServicePaths } from '../contract/service-paths.ts';
import type { Settings } from '../contract/settings-shape.ts';
// biome-ignore lint/style/noRestrictedImports: `doctor` tests an upstream the way the service would use it.
import { compileUpstream, type EngineUpstream } from '../service/engine/compile-config.ts';
// biome-ignore lint/style/noRestrictedImports: `config check` works where no service runs, with the same reader.
import { loadSettings } from '../service/settings/load-settings.ts';
// biome-ignore lint/style/noRestrictedImports: the reader needs the catalogue the service has.
import { readCatalogue } from '../service/settings/resolver-catalogue.ts';
// biome-ignore-start lint/style/noRestrictedImports: what a service that starts would remember of files that vanished.
import {
  nothingRemembered,
  type Remembered,
  readMemory,
} from '../service/settings/settings-memory.ts';
// biome-ignore-end lint/style/noRestrictedImports: what a service that starts would remember of files that vanished.

export interface SettingsProblem {
  /** the one to correct; a policy file where its value does not fit the user's */
  file: string;
  /** "upstreams[0].address"; empty for the file as a whole */
  path: string;
  line: number | null;
  reason: string;
}

export interface CheckedFile {
  problems: SettingsProblem[];
  /** about policies, which are another file's fault */
  notes: string[];
}

export function readSettingsFile(file: string, policyFolder: string): CheckedFile {
  try {
    readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problems: [{ file, path: '', line: null, reason }], notes: [] };
  }
  const { problems, notes } = readLayers(file, policyFolder, nothingRemembered);
  return { problems, notes };
}

export interface SettingsInForce extends CheckedFile {
  /** a missing file means the defaults */
  exists: boolean;
  /** null where the file has an error */
  settings: Settings | null;
  /** of these settings, as the engine would be given them */
  upstreams: EngineUpstream[];
}

/** As the service would have them if it started now. */
export function settingsInForce({
  settingsFile,
  policyFolder,
  settingsMemoryFile,
}: Pick<ServicePaths, 'settingsFile' | 'policyFolder' | 'settingsMemoryFile'>): SettingsInForce {
  const last = readMemory(settingsMemoryFile);
  return { ...readLayers(settingsFile, policyFolder, last), exists: existsSync(settingsFile) };
}

function readLayers(
  file: string,
  policyFolder: string,
  last: Remembered,
): Omit<SettingsInForce, 'exists'> {
  const catalogue = readCatalogue();
  const read = loadSettings({ settingsFile: file, policyFolder, catalogue, last });
  const { effective } = read;
  return {
    settings: effective?.settings ?? null,
    upstreams:
      effective?.settings.upstreams.map((upstream) =>
        compileUpstream(upstream, effective.certificates),
      ) ?? [],
    problems: read.problems,
    notes: [
      ...read.overridden,
      ...read.policyProblems.map(
        ({ file: policy, path, reason }) => `${policy} ${path}: ${reason}`,
      ),
    ],
  };
}
