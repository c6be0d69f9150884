/** The contract's methods `identity.*`. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import type { ClientIdentity } from '../../contract/settings/identity-methods.ts';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { Journal } from '../logging/journal.ts';
import { readIdentity } from './identity-pem.ts';
import type { HeldIdentity, IdentityStore } from './identity-store.ts';

interface Parts {
  identities: IdentityStore;
  /** in force */
  upstreams(): readonly UpstreamSetting[];
  /** Resolves when the change is in force. */
  settle(): Promise<void>;
  journal: Journal;
  now(): number;
}

type IdentityHandlers = Pick<ServiceHandlers, Extract<keyof ServiceHandlers, `identity.${string}`>>;

export function createIdentityHandlers(parts: Parts): IdentityHandlers {
  const { identities, journal, now } = parts;

  function describe(name: string, { certificate, trouble }: HeldIdentity): ClientIdentity {
    const naming = parts.upstreams().filter(({ identity }) => identity === name);
    return { name, certificate, trouble, upstreams: naming.map(({ id }) => id) };
  }

  return {
    'identity.list': () =>
      succeed({ identities: [...identities.all()].map(([name, held]) => describe(name, held)) }),

    async 'identity.add'({ name, key, certificates }) {
      const read = readIdentity(key, certificates);
      if ('reason' in read)
        return fail(
          'identity-unusable',
          `${name} can't be a client identity: ${read.reason}`,
          'ask whoever runs the server for a certificate with its key',
          name,
        );
      const { identity } = read;
      const { notAfter, fingerprint } = identity.certificate;
      if (notAfter < now())
        return fail(
          'identity-unusable',
          `${name} can't be a client identity: its certificate expired on ${day(notAfter)}`,
          "get a new one, or check this machine's date",
          name,
        );
      const replaced = identities.all().has(name);
      const kept = attempt(() => identities.keep(name, identity), name);
      if (!kept.ok) return kept;
      journal.note('identity-added', { name, fingerprint });
      await parts.settle();
      const held = { ...identity, trouble: null };
      return succeed({ identity: describe(name, held), replaced });
    },

    async 'identity.remove'({ name }) {
      const held = identities.all().get(name);
      if (held === undefined)
        return fail(
          'unknown-identity',
          `no client identity is called "${name}"`,
          'see: sotto upstream identities list',
          name,
        );
      const identity = describe(name, held);
      if (identity.upstreams.length > 0)
        return fail(
          'identity-in-use',
          `${name} identifies this machine to ${identity.upstreams.join(', ')}`,
          'take "identity" out of these upstreams, or add another certificate under this name',
          name,
        );
      const forgotten = attempt(() => identities.forget(name), name);
      if (!forgotten.ok) return forgotten;
      journal.note('identity-removed', { name });
      await parts.settle();
      return succeed({ identity });
    },
  };
}

function attempt(change: () => void, name: string): Result<null> {
  try {
    change();
    return succeed(null);
  } catch (error) {
    return fail(
      'state-unwritable',
      `can't change what is kept of ${name}: ${sayErrno(error)}; nothing was changed`,
      'free space on the disk and check who owns the state folder',
      name,
    );
  }
}

function day(unixMilliseconds: number): string {
  return new Date(unixMilliseconds).toISOString().slice(0, 10);
}
