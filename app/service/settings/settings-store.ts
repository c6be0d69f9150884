/**
 * The settings in force. A reload that finds an error changes nothing but the health issues, and a file that vanished goes on
 * saying what it said, until somebody accepts that it is gone.
 */
import { type Said, say } from '../../contract/sentence.ts';
import type { ServicePaths } from '../../contract/service-paths.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import { sayErrno } from './certificate-file.ts';
import { type EffectiveSettings, type LoadedSettings, loadSettings } from './load-settings.ts';
import type { Resolver } from './resolver-catalogue.ts';
import type { Text } from './settings-file.ts';
import { readMemory, writeMemory } from './settings-memory.ts';
import type { Problem } from './settings-text.ts';
import { saysNothing } from './user-settings.ts';

export interface SettingsStore {
  /** The last good ones. */
  current(): EffectiveSettings;
  /** What would be in force if settings.json held this text. */
  consider(settingsText: string): LoadedSettings;
  /** What would be in force if nothing were remembered of files that vanished. */
  considerAccepting(): LoadedSettings;
  /** Files whose last words are in force in their place. */
  vanished(): readonly string[];
  /** What settings.json means, where this is its text: where it says nothing any more, its last words. */
  meaning(text: Text): Text;
  /** Reads the files again; null when they have an error, which then stands as a health issue. `told`: what the service wrote. */
  reload(told?: string): EffectiveSettings | null;
  /** What was read last is in force: the next start knows it, too. Returns why it could not be kept. */
  keep(): string | null;
  /** Nothing is remembered of files that vanished; to be followed by a reload. */
  accept(): void;
}

type Opened = { store: SettingsStore; problems: [] } | { store: null; problems: Problem[] };

type Paths = Pick<ServicePaths, 'settingsFile' | 'policyFolder' | 'settingsMemoryFile'>;

/** There is nothing to fall back to at the start: with errors there is no store. */
export function openSettings(
  paths: Paths,
  catalogue: readonly Resolver[],
  health: HealthRegistry,
  handedOver?: readonly string[],
  /** hears what each reading of the files found */
  onRead: (found: LoadedSettings) => void = () => {},
): Opened {
  const given = { ...paths, catalogue, handedOver };
  const first = loadSettings({ ...given, last: readMemory(paths.settingsMemoryFile) });
  onRead(first);
  if (first.effective === null) return { store: null, problems: first.problems };
  let current = first.effective;
  let { said, vanished } = first;
  report(first, health);

  /** Somebody was told of these. Certificates that an upstream still names are held on. */
  const withoutVanished = () => ({
    settings: vanished.includes(paths.settingsFile) ? null : said.settings,
    policies: said.policies.filter(({ file }) => !vanished.includes(file)),
    certificates: said.certificates,
  });

  return {
    problems: [],
    store: {
      current: () => current,
      consider: (settingsText) => loadSettings({ ...given, last: said, settingsText }),
      considerAccepting: () => loadSettings({ ...given, last: withoutVanished() }),
      vanished: () => vanished,
      meaning: (text) => (saysNothing(text) ? said.settings : text),
      reload(told) {
        const last = told === undefined ? said : { ...said, settings: told };
        const loaded = loadSettings({ ...given, last });
        vanished = loaded.vanished;
        report(loaded, health);
        onRead(loaded);
        // Of settings.json the last good text counts, of each policy its last good words.
        const { settings, certificates } = loaded.effective === null ? last : loaded.said;
        said = { settings, policies: loaded.said.policies, certificates };
        current = loaded.effective ?? current;
        return loaded.effective;
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
