/**
 * How many queries a resolver sends for a boxed name: as many as for any other name with as many labels. That is one, and where the
 * resolver minimises names (RFC 9156) one more for each label below the zone.
 */
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { EncDnsClient } from '../rig/encdns/client.ts';
import { base32Labels, plainLabels } from '../rig/encdns/format.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, parse } from '../rig/message.ts';
import { encdnsZone, startEncdnsServer, unboundBefore } from '../rig/peers/encdns-server.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { askUdp } from '../rig/raw-client.ts';
import { zone as far, farZone } from '../rig/zones/far.ts';

const short = `www.${far}`;
const long = `a-name.that-has.more-octets.${far}`;

describeWith(['sotto-server', 'unbound'], 'the queries for a boxed name', () => {
  const lab = labForFile();

  it.each([
    ['no', 'binary', short, { labels: 2, queries: 1 }],
    ['no', 'binary', long, { labels: 3, queries: 1 }],
    ['no', 'base32', short, { labels: 3, queries: 1 }],
    ['yes', 'binary', short, { labels: 2, queries: 3 }],
    ['yes', 'binary', long, { labels: 3, queries: 4 }],
    ['yes', 'base32', short, { labels: 3, queries: 4 }],
  ] as const)(
    'are as many as for another name, with qname-minimisation: %s and %s labels for %s',
    async (minimises, kind, name, { labels, queries }) => {
      const server = await startEncdnsServer(lab, { answers: ['--zone', await farZone(lab)] });
      const tap = await PlainTap.start(lab, server);
      const unbound = await unboundBefore(lab, tap.endpoint, `qname-minimisation: ${minimises}`);
      const key = Buffer.from(server.key, 'hex');
      const client = new EncDnsClient(key, kind === 'binary' ? plainLabels : base32Labels);
      const askPlain = (...below: string[]) =>
        askUdp(unbound, encodeQuery([...below, encdnsZone].join('.'), 'TXT'));
      // from now on unbound knows how long the server takes
      await askPlain('first');

      const before = tap.questions.size;
      const response = parse(await client.ask(unbound, encodeQuery(name, 'A')));
      const boxed = tap.questions.size - before;
      await askPlain(...Array.from({ length: labels }, (_, at) => `label${at}`));
      const plain = tap.questions.size - before - boxed;

      expect(response).toMatchObject({ rcode: 0, answers: [{}] });
      expect({ boxed, plain }).toEqual({ boxed: queries, plain: queries });
    },
  );
});
