/** Our client and our server beside others that were written from the description: what is on the wire is compared octet for octet. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { boxedReply, EncDnsClient } from '../rig/encdns/client.ts';
import { base32Labels, boxName, plainLabels, replyData, seal } from '../rig/encdns/format.ts';
import { carrierOf, type Opened, OtherEncdnsServer } from '../rig/encdns/server.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { addressAnswer, encodeQuery, nameAsked, parse, types } from '../rig/message.ts';
import { type EncdnsServer, encdnsZone, startEncdnsServer } from '../rig/peers/encdns-server.ts';
import { askTcp, askUdp, text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zone as far, farZone, zoneAddress } from '../rig/zones/far.ts';

const none = Buffer.alloc(12);
/** In each query of ours (RFC 6840 section 5.7). The published client does not set it. */
const ad = 0x20;

describeWith(['sotto'], 'our client before a server that is not ours', () => {
  const lab = labForFile();
  const start = async (behind?: Buffer) => {
    const server = await OtherEncdnsServer.start(
      lab,
      (query) => addressAnswer(query, zoneAddress),
      behind,
    );
    const [key, address] = [server.key.toString('hex'), text(server.endpoint)];
    const upstream = { id: 'other', transport: 'encdns', zone: encdnsZone, key, address };
    const service = await SottoService.start(lab, { upstreams: [upstream], downgrade: 'refuse' });
    return { server, service };
  };

  it('sends what the description says, and takes the response', async () => {
    const { server, service } = await start();
    const names = ['a', 'b', `a-name.that-has.more-octets`].map((label) => `${label}.${far}`);
    for (const name of names) await answered(service, name);
    for (const opened of server.opened)
      expect(withoutOpt(opened.carrier)).toEqual(described(opened));
    // A datagram that nobody answers soon is sent again as it is.
    const boxes = new Set(server.opened.map(({ nonce, text }) => `${hex(nonce)} ${hex(text)}`));
    const nonces = new Set(server.opened.map(({ nonce }) => hex(nonce)));
    expect(nonces.size, 'no nonce for two boxes').toBe(boxes.size);
    const first = (name: string) => server.opened.find(({ text }) => nameAsked(text) === name);
    const counts = names.map((name) => first(name)?.nonce.readBigUInt64BE(0) ?? -1n);
    expect(counts, 'none goes back').toEqual(counts.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(counts).not.toContain(-1n);
  });

  it('takes a response with octets behind it, as the first implementation sends them', async () => {
    const { service } = await start(Buffer.from('0000291000000000000000', 'hex'));
    await answered(service, `www.${far}`);
  });

  /** The query is sent again where the machine stood still for too long. */
  async function answered(service: SottoService, name: string): Promise<void> {
    await eventually(name, async () => {
      const { rcode, answers } = parse(await askUdp(service.v4, encodeQuery(name, 'A')));
      return rcode === 0 && answers.length === 1;
    });
  }
});

const hex = (octets: Buffer) => octets.toString('hex');

describeWith(['sotto-server'], 'our server behind a client that is not ours', () => {
  const lab = labForFile();
  let server: EncdnsServer;
  beforeAll(async () => {
    server = await startEncdnsServer(lab, { answers: ['--zone', await farZone(lab)] });
  });

  it.each([
    ['UDP', 'plain labels', askUdp, plainLabels],
    ['UDP', 'base32', askUdp, base32Labels],
    ['TCP', 'plain labels', askTcp, plainLabels],
    ['TCP', 'base32', askTcp, base32Labels],
  ])('responds as the description says, over %s to %s', async (_over, _what, ask, labels) => {
    const client = new EncDnsClient(Buffer.from(server.key, 'hex'), labels);
    for (const [label, type] of [
      ['a', 'A'],
      ['a-name.that-has.more-octets', 'AAAA'],
    ] as const) {
      const asked = client.boxed(encodeQuery(`${label}.${far}`, type));
      const response = await ask(server, asked.query);
      const inside = client.opened(asked, response);
      expect(parse(inside)).toMatchObject({ rcode: 0, answers: [{ type: types[type] }] });
      const { nonce, serverNonce } = boxedReply(response);
      const box = seal(nonce, serverNonce, inside, client.shared);
      // AA, which the published server does not set, and an OPT behind it
      const expected = carrierOf(asked.query, 0x8500, replyData(nonce, serverNonce, box));
      expect(withoutOpt(response)).toEqual(expected);
    }
  });
});

/** The message that carries this text in this box, up to its OPT. */
function described({ carrier, client, nonce, text, shared }: Opened): Buffer {
  const box = seal(nonce, none, text, shared);
  const name = boxName({ client, nonce, box }, plainLabels, encdnsZone);
  const header = Buffer.from([...carrier.subarray(0, 2), 1, ad, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, name, Buffer.from([0, types.TXT, 0, 1])]);
}

/** One OPT may stand at the end, and is not counted then. */
function withoutOpt(message: Buffer): Buffer {
  const last = parse(message).records.at(-1);
  if (last?.type !== types.OPT) return message;
  const copy = Buffer.from(message.subarray(0, last.start));
  copy.writeUInt16BE(message.readUInt16BE(10) - 1, 10);
  return copy;
}
