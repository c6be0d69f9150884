/** What has to hold of every text that somebody gives us as a profile or a policy. Pure. */
import type { Grant } from '../../app/contract/settings/profile-methods.ts';
import { grants } from '../../app/contract/settings/profile-methods.ts';
import {
  defaultSettings,
  type FlatSettings,
  settingKeys,
} from '../../app/contract/settings/settings.ts';
import { isPrivate, type UpstreamSetting } from '../../app/contract/settings/upstream-settings.ts';
import { lintProfile } from '../../app/service/profiles/before-signing/lint.ts';
import { decideEntries } from '../../app/service/profiles/decide-entries.ts';
import { decideNetworks } from '../../app/service/profiles/networks/decide-networks.ts';
import { type ProfileRead, readProfile } from '../../app/service/profiles/profile-file.ts';
import { loosensProtection } from '../../app/service/settings/loosening-change.ts';
import { type PolicyEntry, readPolicy } from '../../app/service/settings/policy-file.ts';
import { layerSettings } from '../../app/service/settings/settings-layers.ts';

/** A person who loosened what a person can. */
const own: Partial<FlatSettings> = {
  downgrade: 'fallback',
  rungs: ['unauthenticated', 'tcp', 'udp', 'network'],
  consent: 'anyone',
  bypass: [{ suffix: 'lan.example', to: ['192.0.2.53'] }],
  'queryLog.mode': 'full',
  'audit.connections': true,
};
const user = { file: 'settings.json', values: own, problem: noPlace };
const without = [{ ...defaultSettings, ...own }, defaultSettings];

function noPlace(_within: unknown, reason: unknown) {
  return { file: '', path: '', line: null, reason: String(reason) };
}

const strict = {
  id: 'example-corp',
  serial: 1,
  issuer: 'Example Corp',
  name: 'Laptops',
  settings: {
    downgrade: { value: 'refuse', lock: 'locked' },
    rungs: { value: [], lock: 'locked' },
    consent: { value: 'administrator', lock: 'locked' },
    bypass: { value: [], lock: 'locked' },
    learnRules: { value: 'off', lock: 'hidden' },
    'queryLog.mode': { value: 'counts', lock: 'locked' },
    upstreams: {
      value: [{ id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.example' }],
      lock: 'locked',
    },
  },
};
const before = readProfile('before', Buffer.from(JSON.stringify(strict))).profile?.entries ?? [];
const valuesBefore = valuesWith(before);

export interface Judged {
  /** what is wrong with us, not with the text */
  fault: string | null;
  /** equal for texts that were handled alike; a new one shows that an input is of a new kind */
  kind: string;
}

export function judgeText(octets: Buffer): Judged {
  try {
    const read = readProfile('p.json', octets);
    const { problems, loosening } = lintProfile('p.json', octets);
    const policy = readPolicy('p.json', octets.toString('utf8'));
    const kind = [
      ...new Set(
        [...read.problems, ...problems, ...policy.problems].map(({ reason }) => kindOf(reason)),
      ),
      ...(read.profile?.networks.map(({ entries }) => entries.map(({ key }) => key).join()) ?? []),
      ...(read.profile?.entries.map(({ key, lock }) => `${key} ${lock}`) ?? []),
      ...loosening,
    ].join('\n');
    return { kind, fault: wrongPlace(read) ?? loosened(read) };
  } catch (error) {
    return { kind: '', fault: `it was thrown: ${(error as Error).stack}` };
  }
}

function kindOf(reason: string): string {
  return reason.replace(/"[^"]*"|\d+/g, '…').slice(0, 60);
}

/** A problem names its line, and a text without any problem has a profile. */
function wrongPlace({ profile, problems }: ProfileRead): string | null {
  if (profile === null && problems.length === 0) return 'there is neither a profile nor a problem';
  const odd = problems.find(({ line, reason }) => (line !== null && line < 1) || reason === '');
  return odd === undefined ? null : `a problem has no place or reason: ${JSON.stringify(odd)}`;
}

/** Whatever the issuer may loosen, a faulty file loosens nothing; without a grant no file does. */
function loosened(read: ProfileRead): string | null {
  if (read.profile === null) return null;
  const allowed: readonly Grant[] = read.problems.length > 0 ? grants : [];
  const { entries } = decideEntries(read, { before, allowed, without });
  const { networks } = decideNetworks(read, entries, [], { allowed, without });
  const elsewhere = networks.map((network) => [
    ...entries.filter(({ key }) => !network.entries.some((one) => one.key === key)),
    ...network.entries,
  ]);
  return [entries, ...elsewhere].map(sayLooser).find((said) => said !== null) ?? null;
}

function sayLooser(entries: readonly PolicyEntry[]): string | null {
  const after = valuesWith(entries);
  const looser = settingKeys.find((key) => isLooser(key, after));
  return looser === undefined
    ? null
    : `${looser} got looser: ${JSON.stringify(valuesBefore[looser])} → ${JSON.stringify(after[looser])}`;
}

/** Other upstreams over authenticated TLS are what a profile is for. */
function isLooser(key: (typeof settingKeys)[number], after: FlatSettings): boolean {
  if (key === 'upstreams') return !after.upstreams.every(isVouchedFor);
  return loosensProtection(key, valuesBefore[key], after[key]);
}

function isVouchedFor({ transport, ca, pins, proxy }: UpstreamSetting): boolean {
  return isPrivate(transport) && ca === undefined && pins === undefined && proxy === undefined;
}

function valuesWith(entries: readonly PolicyEntry[]): FlatSettings {
  const layer = { layer: 'profile' as const, file: 'p.json', name: 'x', entries: [...entries] };
  return layerSettings(user, [layer]).values;
}
