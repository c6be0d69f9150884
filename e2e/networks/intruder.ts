/**
 * Tries what another user of the machine may try, as a program: the ports to take as `udp|tcp:ADDRESS:PORT`, the files to take as
 * `file:PATH`, the login's port to go through as `knock:ADDRESS:PORT`. Prints the result of each as a line of JSON: an error's
 * code, the reply, or "done".
 */
import { createSocket, type SocketOptions } from 'node:dgram';
import { once } from 'node:events';
import { rename, unlink, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';

for (const wish of process.argv.slice(2)) {
  const [kind = '', ...rest] = wish.split(':');
  if (kind === 'file') await takeFile(rest.join(':'));
  else if (kind === 'knock') await knock(rest[0] ?? '', Number(rest[1]));
  else await takePort(kind, rest.slice(0, -1).join(':'), Number(rest.at(-1)));
}

async function takePort(kind: string, address: string, port: number): Promise<void> {
  for (const shared of [{}, { reuseAddr: true }, { reusePort: true }])
    await tell(`${kind} ${address}:${port} ${JSON.stringify(shared)}`, async () => {
      if (kind === 'udp') await bindUdp(address, port, shared);
      else await bindTcp(address, port, shared);
    });
}

async function bindUdp(address: string, port: number, shared: Partial<SocketOptions>) {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', ...shared });
  socket.bind({ address, port, exclusive: true });
  await once(socket, 'listening');
  socket.close();
}

async function bindTcp(host: string, port: number, { reusePort = false }: { reusePort?: boolean }) {
  const server = createServer().listen({ host, port, reusePort, exclusive: true });
  await once(server, 'listening');
  server.close();
}

/** Tries the port without the password, as SOCKS5 (RFC 1928: the method "none") and as HTTP. */
async function knock(host: string, port: number): Promise<void> {
  const target = 'far.example:80';
  for (const [how, words] of [
    ['socks', Buffer.from([5, 1, 0])],
    ['http', Buffer.from(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)],
  ] as const)
    await tell(how, async () => {
      const socket = connect(port, host);
      socket.write(words);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return how === 'socks' ? answer.toString('hex') : answer.toString().split('\r\n')[0];
    });
}

async function takeFile(path: string): Promise<void> {
  const beside = join(dirname(path), 'intruder');
  await tell(`unlink ${path}`, async () => await unlink(path));
  await tell(`rename ${path}`, async () => await rename(path, beside));
  await tell(`write beside ${path}`, async () => await writeFile(beside, ''));
  await tell(`write ${path}`, async () => await writeFile(path, '', { flag: 'r+' }));
}

async function tell(what: string, attempt: () => Promise<unknown>): Promise<void> {
  const came = await attempt().then(
    (answer) => answer ?? 'done',
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  process.stdout.write(`${JSON.stringify({ what, came })}\n`);
}
