/**
 * The EncDNS server behind a real resolver: a client whose boxes another implementation makes asks unbound, which finds the server by
 * itself. Unbound sees no name that was asked for.
 */
import { readFile, stat } from 'node:fs/promises';
import nacl from 'tweetnacl';
import { beforeAll, expect, it } from 'vitest';
import { describeWith, sottoServer } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, nameAsked, parse, rcodes, types } from '../rig/message.ts';
import {
  type EncdnsServer,
  encdnsZone,
  startEncdnsServer,
  unboundBefore,
} from '../rig/peers/encdns-server.ts';
import { run } from '../rig/process.ts';
import { askUdp, type Endpoint } from '../rig/raw-client.ts';
import { zone as far, farZone, zoneAddress } from '../rig/zones/far.ts';

const zone = encdnsZone;
const magic = Buffer.from(' E^', 'latin1');

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

type Labels = (octets: Buffer) => Buffer;

function plainLabels(octets: Buffer): Buffer {
  const labels: Buffer[] = [];
  for (let at = 0; at < octets.length; at += 63) {
    const label = octets.subarray(at, at + 63);
    labels.push(Buffer.from([label.length]), label);
  }
  return Buffer.concat(labels);
}

function base32Labels(octets: Buffer): Buffer {
  return plainLabels(Buffer.from(base32(octets)));
}

/** RFC 4648, lower case, without padding. */
function base32(octets: Buffer): string {
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

class EncDnsClient {
  readonly #own = nacl.box.keyPair();
  readonly #shared: Uint8Array;
  readonly #labels: Labels;

  constructor(server: Buffer, labels: Labels) {
    this.#shared = nacl.box.before(server, this.#own.secretKey);
    this.#labels = labels;
  }

  /** The response in the box. */
  async ask(resolver: Endpoint, query: Buffer): Promise<Buffer> {
    const nonce = nacl.randomBytes(12);
    const outer = this.#boxed(nonce, query);
    const response = await eventually('a response', async () => {
      const received = await askUdp(resolver, outer, 4000);
      return parse(received).rcode === 0 && received;
    });
    const data = textOf(response);
    expect(data.subarray(0, 12), 'the client’s nonce').toEqual(Buffer.from(nonce));
    const opened = nacl.box.open.after(data.subarray(24), data.subarray(0, 24), this.#shared);
    if (opened === null) throw new Error('the box does not open');
    return Buffer.from(opened);
  }

  async exchange(resolver: Endpoint, query: Buffer): Promise<Buffer> {
    return await askUdp(resolver, this.#boxed(nacl.randomBytes(12), query), 4000);
  }

  #boxed(nonce: Uint8Array, query: Buffer): Buffer {
    const whole = Buffer.concat([nonce, Buffer.alloc(12)]);
    const box = nacl.box.after(query, whole, this.#shared);
    const labels = this.#labels(Buffer.concat([magic, this.#own.publicKey, nonce, box]));
    const below = zone.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
    const header = Buffer.from([...nacl.randomBytes(2), 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
    const opt = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0];
    return Buffer.concat([header, labels, Buffer.from([...below, 0, 0, types.TXT, 0, 1, ...opt])]);
  }
}

/** The character strings of the first answer. */
function textOf(response: Buffer): Buffer {
  const [record] = parse(response).answers;
  if (record?.type !== types.TXT) throw new Error('there is no TXT record');
  const strings: Buffer[] = [];
  for (let at = record.dataAt; at < record.end; ) {
    const end = at + 1 + response.readUInt8(at);
    strings.push(response.subarray(at + 1, end));
    at = end;
  }
  return Buffer.concat(strings);
}
