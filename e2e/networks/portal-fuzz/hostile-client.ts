/** What a hostile program sends to the login's port: what the window would send, with the password or without, mutated. */
import type { LoginPort } from '../../../app/service/portal/login-port.ts';
import type { Chance } from './chance.ts';
import { mutated } from './hostile-words.ts';

export type Tongue = 'http' | 'tunnel' | 'socks';

const methods = ['GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'TRACE'];
const bodies = [
  '',
  'content-length: 5\r\n\r\nhello',
  'content-length: 50\r\n\r\nx',
  'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
];

/** What an honest client sends. */
export function asked(
  chance: Chance,
  tongue: Tongue,
  { user, password }: Pick<LoginPort, 'user' | 'password'>,
): Buffer {
  const authorization = `proxy-authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}\r\n`;
  if (tongue === 'socks')
    return Buffer.concat([
      Buffer.from([5, 1, 2]),
      words(user, password),
      named('portal.example', 80),
      get,
    ]);
  if (tongue === 'tunnel')
    return Buffer.from(`CONNECT portal.example:443 HTTP/1.1\r\nhost: x\r\n${authorization}\r\n`);
  const body =
    chance.next() < 0.7 ? '\r\n' : chance.one(bodies).concat(chance.next() < 0.5 ? '\r\n' : '');
  return Buffer.from(
    `${chance.one(methods)} http://portal.example/${chance.below(9)} HTTP/1.1\r\nhost: portal.example\r\n${authorization}${body}`,
  );
}

/** What must not give access. */
export function wronglyAsked(
  chance: Chance,
  tongue: Tongue,
  port: Pick<LoginPort, 'user' | 'password'>,
): Buffer {
  const wrong = {
    user: chance.one([port.user, '', 'x'.repeat(255)]),
    password: chance.one(['', 'x', port.password.slice(1), 'y'.repeat(255)]),
  };
  const octets = asked(chance, tongue, wrong);
  return chance.next() < 0.3 ? octets : mutated(chance, octets);
}

const get = Buffer.from('GET / HTTP/1.1\r\nhost: portal.example\r\n\r\n');

function words(user: string, password: string): Buffer {
  const word = (text: string) => [text.length, ...Buffer.from(text)];
  return Buffer.from([1, ...word(user), ...word(password)]);
}

function named(host: string, port: number): Buffer {
  return Buffer.from([5, 1, 0, 3, host.length, ...Buffer.from(host), port >> 8, port & 255]);
}
