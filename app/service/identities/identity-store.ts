/**
 * The client identities of this machine, one file each in the state folder, which only the service may read. They are read when
 * the service starts; what can't be read is kept, with the reason, because an upstream must not be asked without it.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientIdentity } from '../../contract/settings/identity-methods.ts';
import { identityName } from '../../contract/settings/upstream-settings.ts';
import { readBounded } from '../base/bounded-file.ts';
import { writeDurably } from '../base/durable-file.ts';
import { type ReadIdentity, readIdentity } from './identity-pem.ts';

export interface HeldIdentity {
  certificate: ClientIdentity['certificate'];
  /** null: it can't be used */
  pem: string | null;
  /** why; null: it can be used */
  trouble: string | null;
}

export type Identities = ReadonlyMap<string, HeldIdentity>;

export interface IdentityStore {
  /** By name. Another one after each change. */
  all(): Identities;
  /** Throws where the disk refuses; then nothing has changed. */
  keep(name: string, identity: ReadIdentity): void;
  /** Likewise. */
  forget(name: string): void;
}

const ending = '.pem';

export function openIdentities(folder: string): IdentityStore {
  const fileOf = (name: string) => join(folder, `${name}${ending}`);
  let all: Identities = new Map(namesIn(folder).map((name) => [name, readHeld(fileOf(name))]));
  return {
    all: () => all,
    keep(name, { pem, certificate }) {
      writeDurably(fileOf(name), pem);
      all = new Map([...all, [name, { pem, certificate, trouble: null }]]);
    },
    forget(name) {
      rmSync(fileOf(name), { force: true });
      all = new Map([...all].filter(([one]) => one !== name));
    },
  };
}

/** A key and its certificates have some thousands. */
const mostOctets = 1_000_000;

function namesIn(folder: string): string[] {
  try {
    const names = readdirSync(folder)
      .filter((file) => file.endsWith(ending))
      .map((file) => file.slice(0, -ending.length));
    return names.filter((name) => identityName.safeParse(name).success).sort();
  } catch {
    // An upstream that names one is told that it is not here.
    return [];
  }
}

function readHeld(file: string): HeldIdentity {
  const read = readBounded(file, mostOctets);
  const unusable = (trouble: string) => ({ certificate: null, pem: null, trouble });
  if ('reason' in read) return unusable(`can't read ${file}: ${read.reason}`);
  const text = read.octets.toString('utf8');
  const found = readIdentity(text, text);
  return 'identity' in found ? { ...found.identity, trouble: null } : unusable(found.reason);
}
