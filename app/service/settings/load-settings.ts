/** Reads every layer and decides what is in force: everything, or nothing with every error listed. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
} from '../../contract/settings/settings.ts';
import { nest, type Settings } from '../../contract/settings/settings-shape.ts';
import { sayErrno } from '../base/errno-words.ts';
import { type CertificatesRead, readCertificates } from './certificate-file.ts';
import { crossFieldProblems } from './cross-field-checks.ts';
import type { CrossFieldProblem } from './cross-field-problem.ts';
import { holdingAt, type PolicyFile } from './policy-file.ts';
import { readPolicies, type WordsBefore, withStandIn } from './policy-folder.ts';
import { defaultUpstreams, notInCleartext, type Resolver } from './resolver-catalogue.ts';
import type { Text } from './settings-file.ts';
import { type LayeredSettings, layerSettings, type SettingSources } from './settings-layers.ts';
import { nothingRemembered, type Remembered } from './settings-memory.ts';
import type { Problem } from './settings-text.ts';
import { soundPolicies, type Unsound } from './sound-policies.ts';
import { readUserSettings, saysNothing, type UserSettings } from './user-settings.ts';

export interface EffectiveSettings {
  settings: Settings;
  values: FlatSettings;
  sources: SettingSources;
  /** PEM text by the absolute path in an upstream's `ca` */
  certificates: ReadonlyMap<string, string>;
  /** ids of upstreams that answer no ordinary query in cleartext, by the catalogue */
  notInCleartext: ReadonlySet<string>;
}

export interface LoadedSettings {
  /** null when settings.json is not usable */
  effective: EffectiveSettings | null;
  /** of settings.json */
  problems: Problem[];
  policyProblems: Problem[];
  overridden: string[];
  /** files that are gone, or say nothing any more, whose last content is in force instead */
  vanished: string[];
  /** the same for certificates of upstreams */
  vanishedCertificates: string[];
  /** certificates whose content is not known, because no file was to be opened */
  unopened: string[];
  /** policy files with an error, and the keys of them whose last readable value holds */
  held: HeldPolicy[];
  /** policy files with a lock that could never be read */
  unread: string[];
  /** what was read, or remembered; to be passed back as `last` */
  said: Remembered;
}

export interface HeldPolicy {
  file: string;
  settings: SettingKey[];
}

interface Sources {
  settingsFile: string;
  policyFolder: string;
  /** instead of everything in the folder */
  policyFiles?: readonly string[];
  /** what a signed profile says; null: none is enrolled; absent: nothing is known of one, so what was last in force holds */
  profile?: PolicyFile | null | undefined;
  catalogue: readonly Resolver[];
  /** what was last in force: what vanished since or can't be read any more goes on holding */
  last?: Remembered;
  /** instead of the file's content */
  settingsText?: string;
  /** "ip:port" of sockets that were handed to this process, which listens there where no setting says where */
  handedOver?: readonly string[] | undefined;
  /** unix milliseconds */
  now?: number;
  /** No file that settings name is opened: it is not judged yet whether whoever names it may. What was last read of it counts. */
  unopened?: boolean | undefined;
}

export function loadSettings(from: Sources): LoadedSettings {
  const { catalogue, settingsFile, profile, now = Date.now() } = from;
  const last = withoutEnded(from.last ?? nothingRemembered, now);
  const readBefore =
    profile === undefined ? last.policies : last.policies.filter(({ layer }) => layer === 'policy');
  const read = readPolicies(from.policyFiles ?? from.policyFolder, readBefore);
  const defaults =
    from.handedOver === undefined || from.handedOver.length === 0
      ? defaultSettings
      : { ...defaultSettings, listen: [...from.handedOver] };
  const named = namedReader(last.certificates, from.unopened ?? false);
  const lookAt = (policies: readonly PolicyFile[]) => {
    const layered = layer(null, policies, catalogue, defaults);
    return { layered, named: named(layered) };
  };
  const given = profile == null ? read.policies : [...read.policies, profile];
  const holding = given.map((policy) => holdingOf(policy, now));
  const wordsBefore: WordsBefore = (policy) =>
    last.policies.find(({ layer }) => layer === 'profile' && policy.file === profile?.file) ??
    read.wordsBefore(policy);
  const sound = soundPolicies(holding, wordsBefore, (policies) => {
    const { layered, named: read } = lookAt(policies);
    return findProblems(layered, read).flatMap((problem): Unsound[] => {
      const { entry } = layered.sources[problem.key];
      return entry === null ? [] : [{ ...problem, entry }];
    });
  });
  const unread = [...new Set([...read.unread, ...sound.unread])];
  const policies = withStandIn(sound.policies, unread);
  const alone = lookAt(policies);
  const user = readUser(settingsFile, from.settingsText, last.settings);
  const common = {
    said: { settings: user.text, policies: sound.policies, certificates: last.certificates },
    vanishedCertificates: [],
    unopened: [],
    vanished: [...(user.vanished ? [settingsFile] : []), ...read.vanished],
    held: heldOf(sound.policies, read.vanished),
    unread,
    policyProblems: [...read.problems, ...sound.problems, ...alone.layered.conflicts],
  };
  if (user.problems.length > 0)
    return { ...common, effective: null, problems: user.problems, overridden: [] };

  const layered = layer(user.settings, policies, catalogue, defaults);
  const own = named(layered);
  // The policies are sound by themselves, so every problem now comes from the user's settings.
  const problems = findProblems(layered, own).map((problem) =>
    blame(problem, layered, user.settings, settingsFile),
  );
  const { values, sources, overridden } = layered;
  if (problems.length > 0) return { ...common, effective: null, problems, overridden };
  // Certificates of a policy whose upstreams the user's own replace may come into force later.
  const certificates = new Map([...alone.named.certificates, ...own.certificates]);
  return {
    ...common,
    said: { ...common.said, certificates },
    vanishedCertificates: own.vanished,
    unopened: own.unopened,
    effective: {
      settings: nest(values),
      values,
      sources,
      certificates: own.certificates,
      notInCleartext: notInCleartext(values.upstreams, catalogue),
    },
    problems,
    overridden,
  };
}

function holdingOf(policy: PolicyFile, now: number): PolicyFile {
  return { ...policy, entries: policy.entries.filter(holdingAt(now)) };
}

function withoutEnded(last: Remembered, now: number): Remembered {
  return { ...last, policies: last.policies.map((policy) => holdingOf(policy, now)) };
}

function heldOf(policies: readonly PolicyFile[], vanished: readonly string[]): HeldPolicy[] {
  return policies.flatMap(({ file, entries }) => {
    const settings = entries.filter(({ held }) => held).map(({ key }) => key);
    return settings.length === 0 || vanished.includes(file) ? [] : [{ file, settings }];
  });
}

interface UserRead {
  settings: UserSettings | null;
  problems: Problem[];
  text: Text;
  vanished: boolean;
}

function readUser(file: string, given: string | undefined, last: Text): UserRead {
  let text: Text;
  try {
    text = given ?? readFileSync(file, 'utf8');
  } catch (error) {
    text = null;
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      const problems = [{ file, path: '', line: null, reason: sayErrno(error) }];
      return { settings: null, problems, text: last, vanished: false };
    }
  }
  const vanished = given === undefined && saysNothing(text) && !saysNothing(last);
  const meant = vanished ? last : text;
  if (meant === null) return { settings: null, problems: [], text: null, vanished };
  return { ...readUserSettings(file, meant), text: meant, vanished };
}

function layer(
  user: UserSettings | null,
  policies: readonly PolicyFile[],
  catalogue: readonly Resolver[],
  defaults: FlatSettings,
): LayeredSettings {
  const layered = layerSettings(user, policies, defaults);
  const { upstreams } = layered.values;
  const folder = dirname(layered.sources.upstreams.file ?? '.');
  layered.values.upstreams =
    upstreams.length === 0
      ? defaultUpstreams(catalogue)
      : upstreams.map((upstream) =>
          upstream.ca === undefined ? upstream : { ...upstream, ca: resolve(folder, upstream.ca) },
        );
  return layered;
}

/** The certificate files that upstreams name. */
interface Named {
  certificates: Map<string, string>;
  /** files that can't be read any more; their last content is among the certificates */
  vanished: string[];
  /** by file: why its content is unknown */
  unreadable: Map<string, string>;
  /** files that were not opened, and were never read before */
  unopened: string[];
}

/** Each file is opened once at most, however often the layers are looked at. */
function namedReader(last: ReadonlyMap<string, string>, unopened: boolean) {
  const known = new Map<string, CertificatesRead | null>();
  const open = (file: string) => {
    const read = known.get(file) ?? (unopened ? null : readCertificates(file));
    known.set(file, read);
    return read;
  };

  return ({ values }: LayeredSettings): Named => {
    const named: Named = {
      certificates: new Map(),
      vanished: [],
      unreadable: new Map(),
      unopened: [],
    };
    for (const file of new Set(values.upstreams.flatMap(({ ca }) => ca ?? [])))
      note(file, open(file), last.get(file), named);
    return named;
  };
}

function note(
  file: string,
  read: CertificatesRead | null,
  held: string | undefined,
  named: Named,
): void {
  if (read !== null && 'pem' in read) named.certificates.set(file, read.pem);
  else if (held !== undefined) {
    named.certificates.set(file, held);
    if (read !== null) named.vanished.push(file);
  } else if (read === null) named.unopened.push(file);
  else named.unreadable.set(file, read.reason);
}

function findProblems({ values }: LayeredSettings, { unreadable }: Named): CrossFieldProblem[] {
  const certificates = values.upstreams.flatMap(({ ca = '' }, index): CrossFieldProblem[] => {
    const reason = unreadable.get(ca);
    return reason === undefined ? [] : [{ key: 'upstreams', within: [index, 'ca'], reason }];
  });
  return [...crossFieldProblems(values), ...certificates];
}

/**
 * The file and key to blame. A loop through a policy's address is blamed on the user's `listen`, the only other end that it can
 * have.
 */
function blame(
  { key, within, reason, otherEnd }: CrossFieldProblem,
  { sources }: LayeredSettings,
  user: UserSettings | null,
  file: string,
): Problem {
  const { layer, entry } = sources[key];
  const inOwnFile =
    layer === 'user'
      ? user?.problem(key, within, reason)
      : otherEnd === undefined
        ? entry?.problem(within, reason)
        : user?.problem(otherEnd, [], reason);
  return inOwnFile ?? { file, path: key, line: null, reason };
}
