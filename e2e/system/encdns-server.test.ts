/**
 * The EncDNS server behind a real resolver: a client whose boxes another implementation makes asks unbound, which finds the server by
 * itself. Unbound sees no name that was asked for.
 */
import { readFile, stat } from 'node:fs/promises';
import nacl from 'tweetnacl';
import { beforeAll, expect, it } from 'vitest';
import { describeWith, sottoServer } from '../rig/available.ts';
import { EncDnsClient } from '../rig/encdns/client.ts';
import { base32Labels, plainLabels } from '../rig/encdns/format.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, nameAsked, parse, rcodes } from '../rig/message.ts';
import {
  type EncdnsServer,
  encdnsZone,
  startEncdnsServer,
  unboundBefore,
} from '../rig/peers/encdns-server.ts';
import { run } from '../rig/process.ts';
import { zone as far, farZone, zoneAddress } from '../rig/zones/far.ts';

const zone = encdnsZone;

describeWith(['sotto-server', 'unbound'], 'the EncDNS server', () => {
  const lab = labForFile();
  let server: EncdnsServer;
  let publicKey: Buffer;
  beforeAll(async () => {
    server = await startEncdnsServer(lab, { answers: ['--zone', await farZone(lab)] });
    publicKey = Buffer.from(server.key, 'hex');
  });

  it('makes a key that only its owner reads, and says the same address again', async () => {
    const { keyFile, url } = server;
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    const secret = await readFile(keyFile);
    expect(Buffer.from(nacl.box.keyPair.fromSecretKey(secret).publicKey)).toEqual(publicKey);
    const again = await run(sottoServer, ['encdns-key', '--zone', zone, keyFile]);
    expect(url).toBe(`encdns://${zone}?key=${publicKey.toString('hex')}`);
    expect(again.stdout).toBe(`${url}\n`);
    expect(await readFile(keyFile)).toEqual(secret);
  });

  it.each([
    ['plain labels', 'qname-minimisation: no', plainLabels],
    ['plain labels and minimised names', 'qname-minimisation: yes', plainLabels],
    ['base32', 'qname-minimisation: yes', base32Labels],
    ['base32 and random case', 'use-caps-for-id: yes', base32Labels],
  ])('is reached through unbound: %s', async (_what, line, labels) => {
    const first = await unboundBefore(lab, server, line);
    for (const name of [`www.${far}`, `mail.${far}`]) {
      const client = new EncDnsClient(publicKey, labels);
      const answer = await client.ask(first, encodeQuery(name, 'A'));
      expect(parse(answer)).toMatchObject({ rcode: 0 });
      expect(answer.includes(Buffer.from(zoneAddress.split('.').map(Number)))).toBe(true);
    }
    expect(first.log(), 'the resolver').not.toContain(far);
  });

  it('answers each of a client’s queries with its own response, and copies with the same', async () => {
    const first = await unboundBefore(lab, server);
    const client = new EncDnsClient(publicKey, base32Labels);
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((label) => client.ask(first, encodeQuery(`${label}.${far}`, 'A'))),
    );
    const names = answers.map((answer) => nameAsked(answer));
    expect(names).toEqual(['a', 'b', 'c', 'd'].map((label) => `${label}.${far}`));
  });

  it('is reached over TCP by a resolver without cookies, with the new key and with the old one', async () => {
    const both = await startEncdnsServer(lab, {
      answers: ['--zone', await farZone(lab)],
      olderKey: server.keyFile,
      unproven: 'truncated',
    });
    const first = await unboundBefore(lab, both);
    for (const key of [Buffer.from(both.key, 'hex'), publicKey]) {
      const client = new EncDnsClient(key, base32Labels);
      const query = encodeQuery(`www.${far}`, 'A');
      expect(parse(await client.exchange(both, query)).truncated, 'straight over UDP').toBe(true);
      expect(parse(await client.ask(first, query))).toMatchObject({ rcode: 0 });
    }
  });

  it('says SERVFAIL of a box for another key, and other errors inside the box alone', async () => {
    const stranger = new EncDnsClient(Buffer.from(nacl.box.keyPair().publicKey), base32Labels);
    const outer = await stranger.exchange(server, encodeQuery(`www.${far}`, 'A'));
    expect(parse(outer).rcode).toBe(rcodes.SERVFAIL);
    const denied = encodeQuery('nothing.example', 'A');
    const client = new EncDnsClient(publicKey, base32Labels);
    expect(parse(await client.ask(server, denied)).rcode).toBe(rcodes.REFUSED);
  });
});
