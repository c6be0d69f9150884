/** A settings or policy file, read by the service's own reader: what this accepts, the service accepts. */

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { ServicePaths } from '../../contract/service-paths.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
// biome-ignore-start lint/style/noRestrictedImports: `config check` and `doctor` work where no service runs, as it would.
import { sayErrno } from '../../service/base/errno-words.ts';
import type { EngineUpstream } from '../../service/engine/boundary.ts';
import { compileUpstream, upstreamsOf } from '../../service/engine/compile-config.ts';
import { doubtsAboutPolicy } from '../../service/profiles/before-signing/lint-doubts.ts';
import { loadSettings } from '../../service/settings/load-settings.ts';
import { readPolicyFile } from '../../service/settings/policy-file.ts';
import { readCatalogue } from '../../service/settings/resolver-catalogue.ts';
import {
  nothingRemembered,
  type Remembered,
  readMemory,
} from '../../service/settings/settings-memory.ts';
import { sayProblem } from '../../service/settings/settings-store.ts';
import { parseSettingsText } from '../../service/settings/settings-text.ts';
// biome-ignore-end lint/style/noRestrictedImports: `config check` and `doctor` work where no service runs, as it would.

export interface SettingsProblem {
  /** the file to correct; a policy file where its value does not fit the user's */
  file: string;
  /** "upstreams[0].address"; empty for the file as a whole */
  path: string;
  line: number | null;
  reason: string;
}

export interface CheckedFile {
  problems: SettingsProblem[];
  /** of a policy, what is not wrong, and makes it useless or dangerous */
  doubts: SettingsProblem[];
  /** about policies, whose errors are not in this file */
  notes: string[];
}

/** `kind`: how the file was read. */
export function checkFile(
  file: string,
  policyFolder: string,
  now: number,
): CheckedFile & { kind: 'settings' | 'policy' } {
  const kind = isPolicy(file, policyFolder) ? 'policy' : 'settings';
  if (kind === 'policy') return { kind, ...checkPolicy(file, policyFolder, now) };
  try {
    readFileSync(file);
  } catch (error) {
    const problem = { file, path: '', line: null, reason: sayErrno(error) };
    return { kind, problems: [problem], doubts: [], notes: [] };
  }
  const { problems, notes } = readLayers(file, policyFolder, nothingRemembered);
  return { kind, problems, doubts: [], notes };
}

/** Decided by the file's folder, or by its keys: no setting is called "name" or "settings". */
function isPolicy(file: string, policyFolder: string): boolean {
  const folder = dirname(resolve(file));
  if (folder === resolve(policyFolder) || basename(folder) === 'policy.d') return true;
  try {
    const { value } = parseSettingsText(file, readFileSync(file, 'utf8'));
    return Object.keys(value ?? {}).some((key) => key === 'name' || key === 'settings');
  } catch {
    return false;
  }
}

/**
 * Checked together with the other policies where the service would read it there, else alone; the user's settings are left out,
 * because their errors are not the policy's.
 */
function checkPolicy(file: string, policyFolder: string, now: number): CheckedFile {
  const isRead = file.endsWith('.json');
  const isThere = isRead && dirname(resolve(file)) === resolve(policyFolder) && existsSync(file);
  const { policyProblems, said } = loadSettings({
    settingsFile: '',
    settingsText: '{}',
    policyFolder,
    ...(isThere ? {} : { policyFiles: [file] }),
    catalogue: readCatalogue(),
  });
  const problems = policyProblems.filter((problem) => resolve(problem.file) === resolve(file));
  const others = said.policies.filter((policy) => resolve(policy.file) !== resolve(file));
  const beside = others.flatMap(({ entries }) => entries);
  const { policy } = readPolicyFile(file);
  return {
    problems: problems.map((problem) => ({ ...problem, file })),
    doubts: doubtsAboutPolicy(policy?.entries ?? [], beside, now),
    notes: isRead
      ? []
      : [`${file} is not read as a policy as long as its name does not end in ".json"`],
  };
}

export interface SettingsInForce extends Omit<CheckedFile, 'doubts'> {
  /** a missing file means the defaults */
  exists: boolean;
  /** null where the file has an error */
  settings: Settings | null;
  /** the upstreams of these settings, in the form for the engine */
  upstreams: EngineUpstream[];
}

/** The settings that a service would have if it started now. */
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
        compileUpstream(upstream, {
          certificates: effective.certificates,
          identities: new Map(),
          ...upstreamsOf(effective.settings),
          networkResolvers: [],
        }),
      ) ?? [],
    problems: read.problems,
    notes: [...read.overridden, ...read.policyProblems.map(sayProblem)],
  };
}
