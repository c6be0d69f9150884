/** A client of the published format that is not ours. */
import nacl from 'tweetnacl';
import { eventually } from '../eventually.ts';
import { parse, types } from '../message.ts';
import { encdnsZone } from '../peers/encdns-server.ts';
import { askUdp, type Endpoint } from '../raw-client.ts';
import { type BoxedReply, boxName, type Labels, open, readReplyData, seal } from './format.ts';

export interface Asked {
  nonce: Buffer;
  /** the whole message that carries the box */
  query: Buffer;
}

export class EncDnsClient {
  readonly shared: Uint8Array;
  readonly #own = nacl.box.keyPair();
  readonly #labels: Labels;

  constructor(server: Buffer, labels: Labels) {
    this.shared = nacl.box.before(server, this.#own.secretKey);
    this.#labels = labels;
  }

  /** The response in the box. */
  async ask(resolver: Endpoint, query: Buffer): Promise<Buffer> {
    const asked = this.boxed(query);
    const response = await eventually('a response', async () => {
      const received = await askUdp(resolver, asked.query, 4000);
      return parse(received).rcode === 0 && received;
    });
    return this.opened(asked, response);
  }

  async exchange(resolver: Endpoint, query: Buffer): Promise<Buffer> {
    return await askUdp(resolver, this.boxed(query).query);
  }

  boxed(text: Buffer): Asked {
    const nonce = Buffer.from(nacl.randomBytes(12));
    const box = seal(nonce, Buffer.alloc(12), text, this.shared);
    const boxed = { client: Buffer.from(this.#own.publicKey), nonce, box };
    const header = Buffer.from([...nacl.randomBytes(2), 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
    const opt = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0];
    const name = boxName(boxed, this.#labels, encdnsZone);
    const query = Buffer.concat([header, name, Buffer.from([0, types.TXT, 0, 1, ...opt])]);
    return { nonce, query };
  }

  opened({ nonce }: Asked, response: Buffer): Buffer {
    const reply = boxedReply(response);
    if (!reply.nonce.equals(nonce)) throw new Error('the nonce is not the client’s');
    const text = open(nonce, reply.serverNonce, reply.box, this.shared);
    if (text === null) throw new Error('the box does not open');
    return text;
  }
}

/** In the first answer. */
export function boxedReply(response: Buffer): BoxedReply {
  const [record] = parse(response).answers;
  if (record?.type !== types.TXT) throw new Error('there is no TXT record');
  return readReplyData(response.subarray(record.dataAt, record.end));
}
