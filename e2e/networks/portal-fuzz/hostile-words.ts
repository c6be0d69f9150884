/** What a hostile server sends to an HTTP request or a TLS client: well-formed parts in wrong combinations, then mutated. */
import type { Chance } from './chance.ts';

const statuses = [
  ...[
    '200 OK',
    '204 No',
    '302 Found',
    '304 x',
    '401 x',
    '407 x',
    '500 x',
    '511 Login',
    '000 x',
    '001 x',
    '099 x',
  ],
  ...[
    '100 Continue',
    '101 Switching Protocols',
    '102 x',
    '103 Early Hints',
    '199 x',
    '600 x',
    '999 x',
    '1000 x',
  ],
  ...['-1 x', '2e2 x', '200', '', '200 \x00\xff', `200 ${'r'.repeat(9000)}`],
];
const versions = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2',
  'HTTP/9.9',
  'ICY',
  'RTSP/1.0',
  '',
];
const names = [
  ...[
    'content-length',
    'transfer-encoding',
    'connection',
    'upgrade',
    'location',
    'content-type',
    'trailer',
    'te',
  ],
  ...[
    'content-encoding',
    'keep-alive',
    'proxy-authenticate',
    'set-cookie',
    'expect',
    '__proto__',
    'constructor',
  ],
  ...['x', ':status', 'a b', '', '\xff', 'x\0', 'link', 'proxy-connection', 'host', 'date'],
];
const values = [
  ...[
    '0',
    '1',
    '5',
    '-1',
    '99999999999999999999',
    '0x10',
    '1, 1',
    '1,2',
    'chunked',
    'chunked, chunked',
    'gzip, chunked',
  ],
  ...[
    'identity',
    'close',
    'upgrade',
    'keep-alive',
    'content-length',
    'host, close',
    'websocket',
    'h2c',
    'gzip',
    'br',
  ],
  ...[
    '/',
    '//',
    'http://portal.example/',
    'https://[::1]/',
    'javascript:1',
    'file:///etc/passwd',
    'http://a:b@c/',
    'ftp://x/',
  ],
  ...['http://\xff/', 'Basic realm="x"', 'text/html', 'application/captive+json', '100-continue'],
  ...['\0', '\x7f', '\t', ' ', 'a\r\n b', 'a\nb: c', 'ÿ'],
];
const longValues = [`http://${'a'.repeat(70_000)}/`, 'x'.repeat(17_000), 'x'.repeat(15_000)];
const bodies = [
  ...[
    '',
    'hello',
    '{"captive":true}',
    '{"captive":true,"user-portal-url":"http://portal.example/"}',
    '{"captive":',
  ],
  ...[
    '5\r\nhello\r\n0\r\n\r\n',
    '5\r\nhello\r\nzz\r\n',
    'fffffffffffffff\r\nx',
    '5;x=y\r\nhello\r\n0\r\nx: y\r\n\r\n',
  ],
  ...['0\r\n\r\n', '\x1f\x8b\x08\0'],
];
const longBodies = [
  '['.repeat(30_000),
  `1;${'e'.repeat(20_000)}\r\nx\r\n`,
  `0\r\n${'x: y\r\n'.repeat(3000)}\r\n`,
  'z'.repeat(70_000),
];
const strangers = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  '<html>come in</html>',
  'SSH-2.0-x\r\n',
  '220 mail.example ESMTP\r\n',
  '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  '\x15\x03\x03\0\x02\x02\x28',
  '\x05\0',
  'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
];

/** One response, or something similar to one. */
export function response(chance: Chance): Buffer {
  if (chance.next() < 0.1) return mutated(chance, Buffer.from(chance.one(strangers), 'latin1'));
  const before =
    chance.next() < 0.15
      ? head(chance, chance.one(['100 x', '102 x', '103 x'])).repeat(1 + chance.below(40))
      : '';
  const body = chance.one(chance.next() < 0.05 ? longBodies : bodies);
  const text = `${before}${head(chance, chance.one(statuses))}${body}`;
  const octets = Buffer.from(text, 'latin1');
  return chance.next() < 0.5 ? octets : mutated(chance, octets);
}

function head(chance: Chance, status: string): string {
  const version = chance.next() < 0.8 ? 'HTTP/1.1' : chance.one(versions);
  const end = chance.next() < 0.9 ? '\r\n' : chance.one(['\n', '\r', '\r\r\n', '\0\n']);
  const bomb = chance.next() < 0.03 ? `${chance.one(names)}: y${end}`.repeat(2500) : '';
  const lines = Array.from(
    { length: chance.below(6) },
    () => `${chance.one(names)}: ${chance.one(chance.next() < 0.01 ? longValues : values)}${end}`,
  );
  return `${version} ${status}${end}${lines.join('')}${bomb}${end}`;
}

/** TLS records of every kind, with right and wrong lengths. */
export function records(chance: Chance): Buffer {
  const kinds = [20, 21, 22, 22, 22, 23, 24, 0, 255];
  const handshakes = [0, 1, 2, 4, 8, 11, 13, 14, 15, 20, 24, 254];
  const pieces = Array.from({ length: 1 + chance.below(8) }, () => {
    const inside = chance.octets(chance.below(400));
    if (inside.length > 4) {
      inside[0] = chance.one(handshakes);
      inside.writeUIntBE(chance.next() < 0.5 ? inside.length - 4 : chance.below(0xffffff), 1, 3);
    }
    const length = chance.next() < 0.8 ? inside.length : chance.below(65_536);
    return Buffer.concat([
      Buffer.from([chance.one(kinds), 3, chance.below(5), length >> 8, length & 255]),
      inside,
    ]);
  });
  return Buffer.concat(pieces);
}

/** Octets are changed, left out, repeated, added; now and then the end is cut off. */
export function mutated(chance: Chance, octets: Buffer): Buffer {
  let made = octets;
  for (let left = 1 + chance.below(4); left > 0; left--) {
    const at = chance.below(made.length + 1);
    const [before, after] = [made.subarray(0, at), made.subarray(at)];
    const part = after.subarray(0, chance.below(40));
    const change = [
      () => [before, chance.octets(chance.below(4)), after.subarray(chance.below(4))],
      () => [before, after.subarray(part.length)],
      () => [before, part, part, after],
      () => [before, Buffer.from(chance.one(['\r\n', '\r\n\r\n', '\0', ':', ' ', '\xff'])), after],
      () => [before],
    ];
    made = Buffer.concat(chance.one(change)());
  }
  return made;
}
