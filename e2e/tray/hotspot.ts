/**
 * Stands in for the port that the service opens for a login: a proxy with a password. Behind it is one site, the hotspot's login;
 * every other name is noted and refused.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { OpenedPortal } from '../../app/contract/system/portal.ts';
import type { Lab } from '../rig/lab.ts';

export const loginHost = 'portal.example';

export class Hotspot {
  readonly #port: number;
  /** hosts that were requested with the right password, in order, with repetitions */
  readonly visited: string[] = [];
  /** the cookies of every request to the login page */
  readonly cookies: string[] = [];
  /** the authorization of every request to /signin */
  readonly signedIn: string[] = [];
  /** the login's form was sent */
  loggedIn = false;
  /** how many requests are cut before there is a response */
  cuts = 0;
  /** where CONNECT leads to; null: nowhere */
  secure: { host: string; port: number } | null = null;
  #password = 'first';

  static async start(lab: Lab): Promise<Hotspot> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    lab.adopt({
      stop: () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    });
    const hotspot = new Hotspot((server.address() as AddressInfo).port);
    server.on('request', (request, response) => hotspot.#answer(request, response));
    server.on('connect', (request, socket) => {
      const known = hotspot.#isKnown(request);
      if (known) hotspot.visited.push(request.url ?? '');
      if (known && request.url === `${hotspot.secure?.host}:443`)
        return joinTo(hotspot.secure?.port ?? 0, socket);
      socket.end(known ? refused : unknown);
    });
    return hotspot;
  }

  private constructor(port: number) {
    this.#port = port;
  }

  /** Makes a new password each time. */
  open(until: number): OpenedPortal {
    this.#password = `${this.#password}+`;
    return {
      url: `http://${loginHost}/`,
      proxy: { host: '127.0.0.1', port: this.#port, user: 'login', password: this.#password },
      until,
    };
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const expected = Buffer.from(`login:${this.#password}`).toString('base64');
    return headers['proxy-authorization'] === `Basic ${expected}`;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isKnown(request))
      return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="Sotto"' }).end();
    const { host, pathname } = new URL(request.url ?? '');
    this.visited.push(host);
    if (this.cuts > 0) {
      this.cuts--;
      return void request.socket.destroy();
    }
    if (host !== loginHost) return void response.writeHead(502).end();
    this.cookies.push(request.headers.cookie ?? '');
    if (request.method === 'POST') {
      this.loggedIn = true;
      return void response.writeHead(303, { location: '/welcome' }).end();
    }
    if (pathname === '/signin') {
      this.signedIn.push(request.headers.authorization ?? '');
      return void response
        .writeHead(401, {
          'www-authenticate': ['Negotiate', 'NTLM'],
          'content-type': 'text/html',
        })
        .end('<!doctype html><title>Sign in</title>');
    }
    const file = pathname === '/file';
    response.writeHead(200, {
      'content-type': file ? 'application/octet-stream' : 'text/html; charset=utf-8',
      'set-cookie': 'room=42; Max-Age=86400',
    });
    response.end(file ? 'x' : page(pathname));
  }
}

function joinTo(port: number, socket: Duplex): void {
  const beyond = connect(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Joined\r\n\r\n');
    socket.pipe(beyond).pipe(socket);
  });
  for (const end of [socket, beyond])
    end.on('error', () => [socket, beyond].map((one) => one.destroy()));
}

const refused = 'HTTP/1.1 502 No\r\ncontent-length: 0\r\n\r\n';
const unknown =
  'HTTP/1.1 407 Who\r\nproxy-authenticate: Basic realm="Sotto"\r\ncontent-length: 0\r\n\r\n';

/** A page that tries to have names looked up, to open a window, to get a file or the disk, and to go past the proxy. */
function page(path: string): string {
  if (path !== '/') return `<!doctype html><title>Welcome</title><h1>Welcome ${path}</h1>`;
  return `<!doctype html><title>Hotel</title>
    <link rel="dns-prefetch" href="//prefetched.example">
    <link rel="preconnect" href="http://preconnected.example">
    <img src="http://elsewhere.example/one.png" alt="">
    <h1>Hotel Wi-Fi</h1>
    <form method="post" action="/login"><input name="room"><button id="login">Log in</button></form>
    <a id="other" target="_blank" href="/other">terms</a> <a id="file" href="/file">a file</a>
    <script>
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:stun.example:3478' }] });
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    </script>`;
}
