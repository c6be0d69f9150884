/** The contract's methods `network.*`. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type {
  NetworkEntry,
  NetworkLink,
  NetworkMethod,
  NetworkParams,
  NetworkResult,
} from '../../contract/system/network.ts';
import { noNetwork } from '../../contract/system/no-network.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { CurrentNetwork } from './current-network.ts';
import type { ForgottenNetwork, NetworkMemory, RememberedNetwork } from './network-memory.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';

export interface NetworkParts {
  network: CurrentNetwork;
  memory: NetworkMemory;
  /** why this system's network can't be watched; null where it is */
  unavailable: string | null;
  /** A policy was set, or the network that had one was forgotten: the policy in force may have changed. */
  onPolicyChange(): void;
  /** No record may remain that this machine was there. */
  onForgotten(id: string): void;
  now(): number;
}

const keptForMs = 10 * 60_000;

export type NetworkHandlers = {
  [Method in NetworkMethod]: (params: NetworkParams<Method>) => Result<NetworkResult<Method>>;
};

export function createNetworkHandlers(parts: NetworkParts): NetworkHandlers {
  const { network, memory, unavailable, onPolicyChange, onForgotten, now } = parts;
  /** It stands in no file; a service that ends forgets it for good. */
  let forgotten: { network: ForgottenNetwork; at: number } | null = null;

  return {
    list: () => {
      const known = memory.list().map((remembered) => entryOf(remembered));
      const here = known.some(({ current }) => current) ? null : unremembered();
      return succeed({ networks: here === null ? known : [here, ...known], unavailable });
    },

    show: ({ network: reference }) => {
      const found = meant(reference);
      if (!found.ok) return found;
      const { current } = found.value;
      return succeed({
        network: found.value,
        links: current ? linksOf(network.snapshot()) : [],
        confirmed: current && network.confirmed(),
      });
    },

    set: ({ network: reference, ...given }) => {
      const found = meant(reference);
      if (!found.ok) return found;
      const { id, current } = found.value;
      const refused = whyNotSet(id, given.name ?? '');
      if (refused !== null) return refused;
      const written = write(() => memory.set(id, given));
      if (!written.ok) return written;
      if (given.policy !== undefined) policyGiven(current);
      return remembered(id);
    },

    forget: ({ network: reference }) => {
      const found = remembered(reference);
      if (!found.ok) return found;
      const { id } = found.value;
      forgotten = null;
      const written = write(() => {
        const gone = memory.forget(id);
        if (gone !== null) forgotten = { network: gone, at: now() };
        onForgotten(id);
      }, 'its name may still be in our files; forget it again');
      if (!written.ok) return written;
      if (found.value.policy !== null) onPolicyChange();
      return found;
    },

    restore: ({ network: id }) => {
      const kept = lastForgotten(id);
      if (kept === null) return nothingForgotten(id);
      const namesake = memory.findByName(kept.name ?? '');
      if (namesake !== null && namesake.id !== id) return nameTaken(namesake);
      const written = write(() => memory.recall(kept));
      if (!written.ok) return written;
      forgotten = null;
      if (kept.policy !== null) onPolicyChange();
      return remembered(id);
    },
  };

  function lastForgotten(id: string): ForgottenNetwork | null {
    if (forgotten !== null && now() - forgotten.at > keptForMs) forgotten = null;
    return forgotten?.network.id === id ? forgotten.network : null;
  }

  /** Null: nothing speaks against it. */
  function whyNotSet(id: string, name: string): Result<never> | null {
    if (memory.find(id) === null) return notYetKnown();
    const namesake = memory.findByName(name);
    return namesake !== null && namesake.id !== id ? nameTaken(namesake) : null;
  }

  function policyGiven(current: boolean): void {
    if (current) network.confirm();
    onPolicyChange();
  }

  /** An id, a name, or the present network. */
  function meant(reference: string | undefined): Result<NetworkEntry> {
    return reference === undefined ? here() : remembered(reference);
  }

  function here(): Result<NetworkEntry> {
    const known = memory.find(network.stay().identity.id);
    if (known !== null) return succeed(entryOf(known));
    const entry = unremembered();
    return entry === null ? noNetworkHere() : succeed(entry);
  }

  function remembered(reference: string): Result<NetworkEntry> {
    const found = memory.find(reference) ?? memory.findByName(reference);
    if (found !== null) return succeed(entryOf(found));
    return fail(
      'unknown-network',
      `no network "${reference}" is remembered`,
      'see: sotto network list',
      'network',
    );
  }

  /** The present network, while too little is known of it to remember it. */
  function unremembered(): NetworkEntry | null {
    const { id, hints, label } = network.stay().identity;
    if (id === noNetwork) return null;
    const seen = now();
    return {
      id,
      name: null,
      label,
      hints,
      policy: null,
      authenticated: network.confirmed(),
      firstSeen: seen,
      lastSeen: seen,
      current: true,
    };
  }

  function entryOf(known: RememberedNetwork): NetworkEntry {
    return { ...known, current: known.id === network.stay().identity.id };
  }

  function noNetworkHere() {
    return fail(
      'unknown-network',
      unavailable ?? 'this machine is on no network now',
      'name a remembered one; see: sotto network list',
      'network',
    );
  }
}

function nothingForgotten(id: string) {
  return fail(
    'nothing-to-undo',
    `"${id}" was not the last network to be forgotten, or that is more than ten minutes ago`,
    'it is known again once this machine is there; then name it: sotto network name',
    'network',
  );
}

function nameTaken({ name, id, label }: RememberedNetwork) {
  return fail(
    'params-invalid',
    `another network is called "${name}": ${id}, ${label}`,
    'choose another name, or take it from that one first',
    'name',
  );
}

function notYetKnown() {
  return fail(
    'unknown-network',
    "this network's gateway has not shown its hardware address yet, so it can't be told from others",
    'try again in a moment',
    'network',
  );
}

function write(work: () => void, state = 'nothing was changed'): Result<null> {
  try {
    work();
    return succeed(null);
  } catch (error) {
    return fail(
      'state-unwritable',
      `can't write it down: ${sayErrno(error)}; ${state}`,
      'free space on the disk and check who owns the state folder',
    );
  }
}

function linksOf({ interfaces, links }: NetworkSnapshot): NetworkLink[] {
  return interfaces
    .filter(({ kind, up }) => kind !== 'loopback' && up)
    .map(({ name, kind, up, running, addresses }) => {
      const told = links.filter((link) => link.interface === name);
      return {
        name,
        kind,
        up,
        running,
        addresses: addresses.map(({ ip, prefixLength }) => `${ip}/${prefixLength}`),
        resolvers: told.flatMap(({ servers }) => servers),
        domains: told.flatMap(({ domains }) =>
          domains.map((domain) => `${domain.routeOnly ? '~' : ''}${domain.name || '.'}`),
        ),
      };
    });
}
