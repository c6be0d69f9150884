/** EncDNS through real resolvers and forwarders with everything on that makes it hard; `npm run bench:encdns-matrix` tries more of them. */
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { carry } from '../rig/carriers/carry.ts';
import { dnsdist, dnsmasqThenUnbound, knotForwarder } from '../rig/carriers/forwarders.ts';
import { unbound } from '../rig/carriers/resolvers.ts';

const asked = 5;
const tries = 5;

for (const [kind, labels] of [
  [unbound, 'base32'],
  [knotForwarder, 'base32'],
  [dnsmasqThenUnbound, 'base32'],
  [dnsdist, 'binary'],
] as const)
  describeWith(['sotto', 'sotto-server', ...kind.needs], `EncDNS through ${kind.title}`, () => {
    it.each(['full', 'truncated'] as const)(
      'answers every name, where the server’s responses to datagrams are %s',
      async (unproven) => {
        const carried = await carry(
          { kind, chosen: new Set(kind.options), unproven },
          asked,
          tries,
        );
        expect(carried).toMatchObject({ asked, answered: asked, labels, why: null });
      },
    );
  });
