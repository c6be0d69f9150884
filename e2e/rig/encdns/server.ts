/**
 * A server of the published format that is not ours, straight behind a client. It speaks as the first implementation did: over UDP alone,
 * neither as an authority nor with an OPT, and with a TTL of 0.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import nacl from 'tweetnacl';
import type { Lab } from '../lab.ts';
import { parse, types } from '../message.ts';
import type { Endpoint } from '../raw-client.ts';
import { type BoxedQuery, open, readPlainName, replyData, seal } from './format.ts';

export interface Opened extends BoxedQuery {
  /** the whole message that carried the box */
  carrier: Buffer;
  /** what was in the box */
  text: Buffer;
  shared: Uint8Array;
}

export class OtherEncdnsServer {
  readonly endpoint: Endpoint;
  readonly key: Buffer;
  readonly opened: Opened[] = [];
  readonly #socket: Socket;
  readonly #secret: Uint8Array;

  /** `answer`: the response to what was in a box. `behind`: octets behind the last record, as the first implementation sent some. */
  static async start(
    lab: Lab,
    answer: (text: Buffer) => Buffer,
    behind: Buffer = Buffer.alloc(0),
  ): Promise<OtherEncdnsServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return lab.adopt(new OtherEncdnsServer(socket, answer, behind));
  }

  private constructor(socket: Socket, answer: (text: Buffer) => Buffer, behind: Buffer) {
    const { publicKey, secretKey } = nacl.box.keyPair();
    this.endpoint = { address: '127.0.0.1', port: socket.address().port };
    this.key = Buffer.from(publicKey);
    this.#socket = socket;
    this.#secret = secretKey;
    socket.on('message', (carrier, from) => {
      const opened = this.#open(carrier);
      // like the first one, it says nothing to anything else
      if (opened === null) return;
      this.opened.push(opened);
      const response = respond(opened, answer(opened.text));
      socket.send(Buffer.concat([response, behind]), from.port, from.address);
    });
  }

  async stop(): Promise<void> {
    await new Promise<void>((done) => this.#socket.close(done));
  }

  #open(carrier: Buffer): Opened | null {
    const boxed = readPlainName(labelsBefore(carrier, 2));
    if (boxed === null) return null;
    const shared = nacl.box.before(boxed.client, this.#secret);
    const text = open(boxed.nonce, Buffer.alloc(12), boxed.box, shared);
    return text === null ? null : { ...boxed, carrier, text, shared };
  }
}

/** The labels of the name asked for, without the last so many. */
function labelsBefore(query: Buffer, last: number): Buffer[] {
  const labels: Buffer[] = [];
  for (let at = 12; query[at] !== 0; at += 1 + query.readUInt8(at))
    labels.push(query.subarray(at + 1, at + 1 + query.readUInt8(at)));
  return labels.slice(0, labels.length - last);
}

function respond({ carrier, nonce, shared }: Opened, text: Buffer): Buffer {
  const serverNonce = Buffer.from(nacl.randomBytes(12));
  const box = seal(nonce, serverNonce, text, shared);
  return carrierOf(carrier, 0x8100, replyData(nonce, serverNonce, box));
}

/** The message that carries a box back: flags, the question as it came, one TXT record. */
export function carrierOf(query: Buffer, flags: number, data: Buffer): Buffer {
  const head = Buffer.from(query.subarray(0, parse(query).questionEnd));
  head.writeUInt16BE(flags, 2);
  // one question and one answer
  head.set([0, 1, 0, 1, 0, 0, 0, 0], 4);
  const record = [0xc0, 12, 0, types.TXT, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255];
  return Buffer.concat([head, Buffer.from(record), data]);
}
