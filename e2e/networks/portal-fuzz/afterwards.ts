/** After the campaign a real portal is noticed, and a login through the port reaches its page. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { fetchPage } from '../../../app/service/portal/fetch-page.ts';
import { openLoginPort } from '../../../app/service/portal/login-port.ts';
import { look } from '../../../app/service/portal/look.ts';

export interface Afterwards {
  /** the evidence for the portal */
  noticedBy: string | null;
  /** the page that came through the login's port */
  page: string;
}

export const asItMustBe: Afterwards = { noticedBy: 'address', page: 'Welcome' };

export async function lookAfterwards(): Promise<Afterwards> {
  const portal = createServer(({ headers: { host } }, response) => {
    if (host === 'portal.example') response.end('Welcome');
    else response.writeHead(302, { location: 'http://portal.example/' }).end();
  }).listen(0, '127.0.0.1');
  await once(portal, 'listening');
  const { port } = portal.address() as AddressInfo;
  const found = await look({
    place: { local: { 4: null, 6: null } },
    api: null,
    managerSaysPortal: false,
    probes: [],
    resolve: async () => [],
    signal: new AbortController().signal,
    postQuantum: 'prefer',
    fetch(request) {
      const url = new URL(request.url);
      url.port = String(port);
      return fetchPage({ ...request, url, ip: '127.0.0.1', connectMs: 10_000, answerMs: 10_000 });
    },
  });
  const opened = await openLoginPort(
    {
      async to() {
        const socket = connect(port, '127.0.0.1');
        await once(socket, 'connect');
        return socket;
      },
    },
    () => {},
  );
  if (!opened.ok) throw new Error(opened.failure.message);
  const { user, password, host, port: loginPort, close } = opened.value;
  const client = connect(loginPort, host);
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  client.write(
    `GET http://portal.example/ HTTP/1.1\r\nhost: portal.example\r\nconnection: close\r\nproxy-authorization: Basic ${credentials}\r\n\r\n`,
  );
  const heard = await text(client);
  close();
  portal.close();
  return { noticedBy: found?.evidence ?? null, page: /Welcome/.exec(heard)?.[0] ?? heard };
}
