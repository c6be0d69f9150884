/**
 * Gives one address, to be renewed each second, and sends a domain with it that it reads anew each time: `dhcp-server-program.ts
 * ADDRESS ROUTER BROADCAST FILE [news]`. Prints "acknowledged DOMAIN". RFC 2131, RFC 2132. With "news" it does not reply where it
 * has nothing new.
 */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';

const [, , address = '', router = '', broadcast = '', domainFile = '', answers] = process.argv;
const kinds = { discover: 1, offer: 2, request: 3, ack: 5 } as const;
const optionsAt = 240;
const leaseSeconds = 3600;
const renewSeconds = 1;
const rebindSeconds = 3000;
let said = '';

const socket = createSocket({ type: 'udp4', reuseAddr: true });
socket.on('message', (message) => {
  const kind = optionOf(message, 53)?.[0];
  if (kind !== kinds.discover && kind !== kinds.request) return;
  const domain = readFileSync(domainFile, 'utf8').trim();
  const isRequest = kind === kinds.request;
  const hasAddress = message.readUInt32BE(12) !== 0;
  if (answers === 'news' && hasAddress && domain === said) return;
  if (isRequest) said = domain;
  const reply = replyTo(message, isRequest ? kinds.ack : kinds.offer, domain);
  socket.send(reply, 68, hasAddress ? address : broadcast, () => {
    if (isRequest) process.stdout.write(`acknowledged ${domain}\n`);
  });
});
socket.bind(67, '0.0.0.0', () => {
  socket.setBroadcast(true);
  process.stdout.write('ready\n');
});

function replyTo(message: Buffer, kind: number, domain: string): Buffer {
  const head = Buffer.alloc(optionsAt);
  message.copy(head, 0, 0, optionsAt);
  head[0] = 2;
  head.writeUInt16BE(0, 8);
  octetsOf(address).copy(head, 16);
  octetsOf(router).copy(head, 20);
  return Buffer.concat([
    head,
    option(53, Buffer.from([kind])),
    option(54, octetsOf(router)),
    ...[51, 58, 59].map((code, index) =>
      option(code, seconds([leaseSeconds, renewSeconds, rebindSeconds][index] ?? 0)),
    ),
    option(1, octetsOf('255.255.255.0')),
    option(3, octetsOf(router)),
    option(6, octetsOf(router)),
    option(15, Buffer.from(domain)),
    Buffer.from([255]),
  ]);
}

function optionOf(message: Buffer, wanted: number): Buffer | null {
  for (let at = optionsAt; at < message.length && message[at] !== 255; ) {
    const length = message[at] === 0 ? -1 : (message[at + 1] ?? 0);
    if (message[at] === wanted) return message.subarray(at + 2, at + 2 + length);
    at += 2 + length;
  }
  return null;
}

function option(code: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([code, value.length]), value]);
}

function seconds(count: number): Buffer {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(count);
  return value;
}

function octetsOf(dotted: string): Buffer {
  return Buffer.from(dotted.split('.').map(Number));
}
