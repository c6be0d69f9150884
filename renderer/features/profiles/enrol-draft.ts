/** What a person fills in to join an organisation, and what is made of it. A fingerprint is never filled in for them. Pure. */
import type { Params } from '../../../app/contract/service-api.ts';
import {
  fingerprintDigits,
  readFingerprint,
  typedDigits,
} from '../../../app/contract/settings/fingerprint.ts';
import {
  type Grant,
  grants,
  mostHandedOver,
} from '../../../app/contract/settings/profile-methods.ts';
import { quoted } from './as-administrator.tsx';

export interface EnrolDraft {
  way: 'address' | 'files';
  source: string;
  address: string;
  ring: string;
  fingerprint: string;
  grants: readonly Grant[];
  files: EnrolFiles;
}

/** By what they are; each is missing until it was chosen. */
export interface EnrolFiles {
  profile?: File;
  signature?: File;
  key?: File;
}

export type EnrolPart = keyof EnrolFiles;
const parts: readonly EnrolPart[] = ['profile', 'signature', 'key'];

export function draftFrom(asked: URLSearchParams): EnrolDraft {
  const allowed = asked.get('allow')?.split(',') ?? [];
  return {
    way: 'address',
    source: asked.get('source') ?? '',
    address: asked.get('address') ?? '',
    ring: asked.get('ring') ?? '',
    fingerprint: '',
    grants: grants.filter((grant) => allowed.includes(grant)),
    files: {},
  };
}

/** They are told apart by their names; of two of a kind the last counts. */
export function sortFiles(chosen: Iterable<File>): EnrolFiles {
  const found: EnrolFiles = {};
  for (const file of chosen) {
    if (file.name.endsWith('.minisig')) found.signature = file;
    else if (file.name.endsWith('.pub')) found.key = file;
    else found.profile = file;
  }
  return found;
}

export function missingParts(files: EnrolFiles): EnrolPart[] {
  return parts.filter((part) => files[part] === undefined);
}

export const isTooLarge = ({ profile }: EnrolFiles) =>
  profile !== undefined && profile.size > mostHandedOver;

/** How many digits were typed so far, of those that a fingerprint has. */
export function digitsIn(typed: string): number {
  return Math.min(fingerprintDigits, typedDigits(typed).length);
}

export type DraftProblem = 'source' | 'files' | 'fingerprint';

export function problemsOf(draft: EnrolDraft): DraftProblem[] {
  const isFound =
    draft.way === 'address'
      ? /^(https:\/\/|file:\/\/\/)./.test(draft.source.trim())
      : missingParts(draft.files).length === 0 && !isTooLarge(draft.files);
  return [
    ...(isFound ? [] : [draft.way === 'address' ? ('source' as const) : ('files' as const)]),
    ...(readFingerprint(draft.fingerprint) === null ? ['fingerprint' as const] : []),
  ];
}

/** Of a draft without problems. Rejects where a file can't be read. */
export async function paramsOf(draft: EnrolDraft): Promise<Params<'profile.enrol'>> {
  const { source, address, ring, files } = draft;
  const fingerprint = readFingerprint(draft.fingerprint) ?? '';
  const agreed = { fingerprint, grants: [...draft.grants], ...filled('ring', ring) };
  const key = await files.key?.text();
  if (draft.way === 'address')
    return {
      source: source.trim(),
      ...agreed,
      ...filled('address', address),
      ...(key === undefined ? {} : { key }),
    };
  const { profile, signature } = files;
  return {
    profile: base64Of(new Uint8Array((await profile?.arrayBuffer()) ?? [])),
    signature: (await signature?.text()) ?? '',
    key: key ?? '',
    ...agreed,
  };
}

function filled<Name extends string>(name: Name, typed: string): { [key in Name]?: string } {
  return typed.trim() === '' ? {} : ({ [name]: typed.trim() } as { [key in Name]?: string });
}

/** The same for an administrator's terminal. */
export function commandOf(draft: EnrolDraft, file: string): string {
  const { way, source, address, ring, files } = draft;
  const name = (part: EnrolPart) => files[part]?.name ?? file;
  const given: [option: string, value: string][] = [
    ['key', way === 'files' || files.key !== undefined ? name('key') : ''],
    ['address', way === 'address' ? address.trim() : ''],
    ['ring', ring.trim()],
    ['allow', draft.grants.join(',')],
    ['fingerprint', readFingerprint(draft.fingerprint) ?? ''],
  ];
  const options = given
    .filter(([, value]) => value !== '')
    .map(([option, value]) => `--${option} ${quoted(value)}`);
  const from = quoted(way === 'address' ? source.trim() : name('profile'));
  return ['sudo sotto profile enrol', from, ...options].join(' ');
}

/** Part by part, because a function takes only so many arguments. */
function base64Of(octets: Uint8Array): string {
  const step = 0x8000;
  let text = '';
  for (let at = 0; at < octets.length; at += step)
    text += String.fromCharCode(...octets.subarray(at, at + step));
  return btoa(text);
}
