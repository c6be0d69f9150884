/**
 * The settings in force. A file in which a reload finds an error goes on holding with its last readable content, and so does
 * one that vanished, until a person accepts that it is gone.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { ServicePaths } from '../../contract/service-paths.ts';
import { type FlatSettings, settingKeys } from '../../contract/settings/settings.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import { type EffectiveSettings, type LoadedSettings, loadSettings } from './load-settings.ts';
import type { PolicyFile } from './policy-file.ts';
import type { Resolver } from './resolver-catalogue.ts';
import type { Text } from './settings-file.ts';
import { nothingRemembered, type Remembered, readMemory, writeMemory } from './settings-memory.ts';
import type { Problem } from './settings-text.ts';
import { readUserSettings, saysNothing } from './user-settings.ts';

/** `unopened`: no file that it names is opened. */
export interface Considering {
  unopened?: boolean;
}

export interface SettingsStore {
  /** The last good settings. */
  current(): EffectiveSettings;
  /** What was in force when an earlier run ended; null: nobody knows. */
  inForceBefore: FlatSettings | null;
  /** What would be in force if settings.json held this text. */
  consider(settingsText: string, how?: Considering): LoadedSettings;
  /** What would be in force with this profile; null: with none. */
  considerProfile(profile: PolicyFile | null, how?: Considering): LoadedSettings;
  /** Policies, then the profile, as they were last read. */
  layers(): readonly PolicyFile[];
  /** What would be in force without a profile: on this machine, and with no person's settings. Null: they can't be read. */
  withoutProfile(): FlatSettings[] | null;
  /** Unix milliseconds at which the next entry ends, so that a reload must follow; null: none does. */
  nextEnd(): number | null;
  /** What the person's own file says. */
  own(): Partial<FlatSettings>;
  /** What would be in force if no vanished file were remembered. */
  considerAccepting(): LoadedSettings;
  /** Files whose last content is in force in their place. */
  vanished(): readonly string[];
  /** The meaning of settings.json with this text: where it says nothing any more, its last content. */
  meaning(text: Text): Text;
  /**
   * Reads the files again. An error in settings.json becomes a health issue; null when what is in force did not change. `told`:
   * the text that the service wrote.
   */
  reload(told?: string): EffectiveSettings | null;
  /** What was read last is in force, so the next start must know it, too. Returns why it could not be kept. */
  keep(): string | null;
  /** Forgets files that vanished; a reload must follow. */
  accept(): void;
}

type Opened = { store: SettingsStore; problems: [] } | { store: null; problems: Problem[] };

type Paths = Pick<ServicePaths, 'settingsFile' | 'policyFolder' | 'settingsMemoryFile'>;

/** At the start there are no earlier settings, so with errors there is no store. */
export function openSettings(
  paths: Paths,
  catalogue: readonly Resolver[],
  health: HealthRegistry,
  handedOver?: readonly string[],
  /** called with the result of each reading of the files */
  onRead: (found: LoadedSettings) => void = () => {},
  profile: () => PolicyFile | null | undefined = () => undefined,
): Opened {
  const given = {
    ...paths,
    catalogue,
    handedOver,
    get profile() {
      return profile();
    },
  };
  const last = readMemory(paths.settingsMemoryFile);
  const first = loadSettings({ ...given, last });
  onRead(first);
  if (first.effective === null) return { store: null, problems: first.problems };
  let current = first.effective;
  let { said, vanished } = first;
  report(first, health);

  /** A health issue has named these. Certificates that an upstream still names are kept. */
  const withoutVanished = () => ({
    settings: vanished.includes(paths.settingsFile) ? null : said.settings,
    policies: said.policies.filter(({ file }) => !vanished.includes(file)),
    certificates: said.certificates,
  });

  function valuesOf(remembered: Remembered): FlatSettings | null {
    const settingsText = remembered.settings ?? '{}';
    const alone = { ...paths, catalogue, handedOver, policyFiles: [] };
    return loadSettings({ ...alone, last: remembered, settingsText }).effective?.values ?? null;
  }

  /** While settings.json has an error, its last content is in force, under the present policies. */
  const underPresentPolicies = (last: LoadedSettings['said']) =>
    loadSettings({ ...given, last, settingsText: last.settings ?? '{}' });

  return {
    problems: [],
    store: {
      current: () => current,
      inForceBefore: last === nothingRemembered ? null : valuesOf(last),
      consider: (settingsText, how) => loadSettings({ ...given, ...how, last: said, settingsText }),
      considerProfile: (profile, how) =>
        loadSettings({
          ...given,
          ...how,
          last: said,
          settingsText: said.settings ?? '{}',
          profile,
        }),
      layers: () => said.policies,
      withoutProfile() {
        const found = [said.settings ?? '{}', '{}'].flatMap((settingsText) => {
          const loaded = loadSettings({ ...given, last: said, settingsText, profile: null });
          return loaded.effective?.values ?? [];
        });
        return found.length === 2 ? found : null;
      },
      nextEnd() {
        const ends = said.policies.flatMap(({ entries }) => entries.map(({ until }) => until));
        const known = ends.filter((end) => end !== null);
        return known.length === 0 ? null : Math.min(...known);
      },
      own: () => readUserSettings(paths.settingsFile, said.settings ?? '{}').settings?.values ?? {},
      considerAccepting: () => loadSettings({ ...given, last: withoutVanished() }),
      vanished: () => vanished,
      meaning: (text) => (saysNothing(text) ? said.settings : text),
      reload(told) {
        const last = told === undefined ? said : { ...said, settings: told };
        const loaded = loadSettings({ ...given, last });
        vanished = loaded.vanished;
        report(loaded, health);
        onRead(loaded);
        const next = loaded.effective !== null ? loaded : underPresentPolicies(last);
        said = {
          settings: loaded.effective === null ? last.settings : loaded.said.settings,
          policies: loaded.said.policies,
          certificates: next.said.certificates,
        };
        const { effective } = next;
        if (effective === null || (next !== loaded && isSame(effective, current))) return null;
        current = effective;
        return effective;
      },
      keep() {
        try {
          writeMemory(paths.settingsMemoryFile, said);
          return null;
        } catch (error) {
          return sayErrno(error);
        }
      },
      accept() {
        said = withoutVanished();
      },
    },
  };
}

export function sayProblem({ file, path, line, reason }: Problem): string {
  const place = [file, line === null ? '' : `line ${line}`].filter(Boolean).join(', ');
  return path === '' ? `${place}: ${reason}` : `${place}: ${path}: ${reason}`;
}

/** The same values from the same sources. */
function isSame(one: EffectiveSettings, other: EffectiveSettings): boolean {
  return (
    isDeepStrictEqual(one.values, other.values) &&
    settingKeys.every((key) => {
      const [now, before] = [one.sources[key], other.sources[key]];
      return now.file === before.file && now.lockedBy === before.lockedBy;
    })
  );
}

function report(loaded: LoadedSettings, health: HealthRegistry): void {
  if (loaded.problems.length === 0) health.clear('settings-invalid');
  else health.raise('settings-invalid', loaded.problems.map(sayError));
  health.replace(
    'policy-file-invalid',
    new Map(
      [...Map.groupBy(loaded.policyProblems, ({ file }) => file)].map(([file, problems]) => [
        file,
        problems.map(sayError),
      ]),
    ),
  );
  health.replace(
    'settings-vanished',
    new Map(loaded.vanished.map((file) => [file, [say('file-vanished', { file })]])),
  );
  health.replace(
    'certificates-vanished',
    new Map(
      loaded.vanishedCertificates.map((file) => [file, [say('certificates-vanished', { file })]]),
    ),
  );

  if (loaded.problems.length > 0) return;
  if (loaded.overridden.length === 0) health.clear('policy-overrides-user');
  else health.raise('policy-overrides-user', loaded.overridden.join(' '));
}

function sayError(problem: Problem): Said {
  return say('file-error', { error: sayProblem(problem) });
}
