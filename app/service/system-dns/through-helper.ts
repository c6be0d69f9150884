/** The changing half of every mechanism on Linux: sotto-helper's verbs, and its journal. */

import { formatSocketAddress } from '../../contract/dns/socket-address.ts';
import { type Result, succeed } from '../../contract/errors.ts';
import type { HelperRequest } from '../../contract/system/helper-protocol.ts';
import type { SystemDnsMechanism } from '../../contract/system/system-dns.ts';
import { onLink } from '../network/ip-address.ts';
import type { Helper, HelperAnswer } from './helper.ts';
import type { Before, Holding, Mechanism, ServerAddress, Target } from './mechanism.ts';

type Changing = Pick<Mechanism, 'holdings' | 'take' | 'giveBack' | 'flush'>;
type Held = Extract<HelperAnswer, { held: unknown }>['held'][number];
type Wished = NonNullable<Extract<HelperAnswer, { held: unknown }>['overBoot']>[number];
type HelperMechanism = Held['mechanism'];

/** networkd holds what resolved leaves to it. */
const journalled: Partial<Record<SystemDnsMechanism, readonly HelperMechanism[]>> = {
  resolved: ['resolved', 'networkd'],
  'network-manager': ['network-manager'],
  resolvconf: ['resolvconf'],
  file: ['file'],
};

export function throughHelper(
  helper: Helper,
  name: SystemDnsMechanism,
  request: (target: Target, servers: ServerAddress[]) => HelperRequest,
): Changing {
  const own = journalled[name] ?? [];
  return {
    async holdings() {
      const said = await helper.ask({ verb: 'status' });
      if (!said.ok) return said;
      if (!('held' in said.value)) return succeed([]);
      const { held, overBoot = [] } = said.value;
      const isOwn = (one: { mechanism: HelperMechanism }) => own.includes(one.mechanism);
      return succeed([
        ...held.filter(isOwn).map(holdingOf),
        ...overBoot.filter(isOwn).map(holdingOverBoot),
      ]);
    },
    take: async (target, servers) => done(await helper.ask(request(target, [...servers]))),
    async giveBack(link) {
      for (const only of link === null ? own.map((mechanism) => ({ mechanism })) : [{ link }]) {
        const given = done(await helper.ask({ verb: 'give-back', only }));
        if (!given.ok) return given;
      }
      return succeed(null);
    },
    // Only systemd-resolved has a cache of its own.
    flush: async () =>
      name === 'resolved' ? done(await helper.ask({ verb: 'flush' })) : succeed(null),
  };
}

/** What could not be given back is a failure: it is still in the journal. */
function done(said: Result<HelperAnswer>): Result<null> {
  if (!said.ok) return said;
  const [kept] = 'kept' in said.value ? said.value.kept : [];
  if (kept === undefined) return succeed(null);
  const { code, message, remedy } = kept.failed;
  return { ok: false, failure: { code: 'helper-refused', message, remedy, subject: code } };
}

/** The form that the helper wants: absent where the domains of before stay. */
export function searching({ search }: Target): { search?: string[] } {
  return search === null ? {} : { search: [...search] };
}

function holdingOf({ link, servers, search, since, inPlace, before }: Held): Holding {
  return { link, servers, search: search ?? null, since, inPlace, before: beforeOf(before, link) };
}

function holdingOverBoot({ servers, since, inForce }: Wished): Holding {
  const before: Before = { servers: [], domains: [] };
  const of = { link: null, search: null, before };
  return { ...of, servers, since, inPlace: inForce, overBoot: true };
}

function beforeOf({ servers, search, routed }: Held['before'], link: Held['link']): Before {
  const domain = (routeOnly: boolean) => (name: string) => ({
    name: name.toLowerCase().replace(/\.$/, ''),
    routeOnly,
  });
  return {
    servers: servers.map(({ address, port }) =>
      formatSocketAddress(onLink(address, link?.name), port ?? 53),
    ),
    domains: [...search.map(domain(false)), ...routed.map(domain(true))],
  };
}
