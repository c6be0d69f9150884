/** SOCKS 5 (RFC 1928) with user and password (RFC 1929), as far as a login needs it: CONNECT, and nothing else. */
import type { Socket } from 'node:net';
import type { LoginRoute, Refusal } from './login-route.ts';
import type { Octets } from './octets.ts';

export const version = 5;
const byPassword = 2;
const noMethod = 0xff;
/** RFC 1929 has a version of its own */
const passwordVersion = 1;

const reply = {
  done: 0,
  forbidden: 2,
  unresolved: 4,
  unreachable: 5,
  unknownCommand: 7,
  unknownAddress: 8,
} as const satisfies Record<Refusal | 'done' | 'unknownCommand' | 'unknownAddress', number>;

const connectCommand = 1;
const kinds = { ipv4: 1, name: 3, ipv6: 4 } as const;

interface Party {
  route: LoginRoute;
  isRight(user: string, password: string): boolean;
  /** the client has shown the password */
  onAdmitted(client: Socket): void;
}

/**
 * Continues after the version octet. Resolves to the server, connected and announced; null: refused, and the client has the
 * reply code where the protocol has one.
 */
export async function serveSocks(
  client: Socket,
  { take }: Octets,
  { route, isRight, onAdmitted }: Party,
): Promise<Socket | null> {
  const [methods = 0] = await take(1);
  const offered = await take(methods);
  if (!offered.includes(byPassword)) return end(client, [version, noMethod]);
  client.write(Buffer.from([version, byPassword]));

  const [spoken, userLength = 0] = await take(2);
  const user = await take(userLength);
  const [passwordLength = 0] = await take(1);
  const password = await take(passwordLength);
  const right = spoken === passwordVersion && isRight(user.toString(), password.toString());
  if (!right) return end(client, [passwordVersion, 1]);
  onAdmitted(client);
  client.write(Buffer.from([passwordVersion, 0]));

  const [again, command, , kind] = await take(4);
  if (again !== version) return end(client, []);
  const host = await takeHost(take, kind);
  if (host === null) return end(client, answer(reply.unknownAddress));
  const port = (await take(2)).readUInt16BE();
  if (command !== connectCommand) return end(client, answer(reply.unknownCommand));
  const server = await route.to(host, port);
  if (typeof server === 'string') return end(client, answer(reply[server]));
  client.write(Buffer.from(answer(reply.done)));
  return server;
}

async function takeHost(take: Octets['take'], kind: number | undefined): Promise<string | null> {
  switch (kind) {
    case kinds.ipv4:
      return (await take(4)).join('.');
    case kinds.ipv6: {
      const octets = await take(16);
      return Array.from({ length: 8 }, (_, word) =>
        octets.readUInt16BE(word * 2).toString(16),
      ).join(':');
    }
    case kinds.name: {
      const [length = 0] = await take(1);
      return (await take(length)).toString('latin1');
    }
    default:
      return null;
  }
}

/** The bound address is not disclosed. */
function answer(code: number): number[] {
  return [version, code, 0, kinds.ipv4, 0, 0, 0, 0, 0, 0];
}

function end(client: Socket, octets: number[]): null {
  client.end(Buffer.from(octets));
  return null;
}
