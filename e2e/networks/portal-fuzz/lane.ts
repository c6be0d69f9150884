/** Runs exchanges one by one on the real parts of the portal, over real sockets, and returns the result of each. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  type FetchedPage,
  fetchPage,
  type PageRequest,
} from '../../../app/service/portal/fetch-page.ts';
import { type LoginPort, openLoginPort } from '../../../app/service/portal/login-port.ts';
import type { LoginRoute } from '../../../app/service/portal/login-route.ts';
import { look } from '../../../app/service/portal/look.ts';
import { type Exchange, type Party, type Speech, speechOf } from './exchange.ts';
import { asked, wronglyAsked } from './hostile-client.ts';
import { HostileServer } from './hostile-server.ts';
import { mutated } from './hostile-words.ts';

/** After this time a peer that stays, floods or trickles is disconnected. */
const patienceMs = 40;
/**
 * After so many checks in a row without any data, nothing more comes on loopback; between two checks the loop has read what was
 * there.
 */
const quietTicks = 4;
const tickMs = 6;
const mostPieces = 20;
/**
 * Longer than any deadline of an exchange. It is counted in turns of the loop, because on a busy machine this process and its
 * exchanges are slow alike.
 */
const hungTurns = 300;
const turnMs = 100;
/** The login ends after this time. */
const exchangesPerLogin = 250;

export interface Lane {
  /** Resolves with one or two words for the report; rejects where something is wrong. */
  carryOut(exchange: Exchange): Promise<string>;
  close(): Promise<void>;
}

export async function openLane(): Promise<Lane> {
  const server = await HostileServer.start();
  let roads = 0;
  const route: LoginRoute = {
    async to() {
      roads++;
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      return socket;
    },
  };
  let login = await beginLogin(route);
  let carriedOut = 0;

  const outcomes: Record<Party, (exchange: Exchange) => Promise<string>> = {
    page: ({ speech }) => fetchOne('http', speech),
    'page-tls': ({ speech }) => fetchOne('https', speech),
    look: lookAround,
    http: async (exchange) =>
      httpOutcome(await talk(exchange, asked(exchange.chance, 'http', login))),
    tunnel: async (exchange) =>
      httpOutcome(await talk(exchange, asked(exchange.chance, 'tunnel', login))),
    async socks(exchange) {
      const heard = await talk(exchange, asked(exchange.chance, 'socks', login));
      return heard.length > 4 ? 'led' : 'cut off';
    },
    async stranger(exchange) {
      const before = roads;
      await talk(exchange, wronglyAsked(exchange.chance, exchange.tongue, login));
      if (roads !== before) throw new Error('a stranger was led somewhere');
      return 'led nowhere';
    },
    async guest(exchange) {
      const { chance, tongue } = exchange;
      const before = roads;
      const words = asked(chance, tongue, login);
      const again = mutated(chance, words);
      await talk(exchange, chance.next() < 0.5 ? Buffer.concat([words, again]) : again);
      return roads === before ? 'led nowhere' : 'led';
    },
  };

  async function fetchOne(protocol: 'http' | 'https', speech: Speech): Promise<string> {
    server.tell(() => speech);
    const endsItself = speech.ending === 'end' || speech.ending === 'reset';
    const answerMs = endsItself ? 2_000 : patienceMs;
    const page = await fetchFrom({
      ...anyPage,
      url: new URL(`${protocol}://portal.example/`),
      answerMs,
    });
    if (page === null) return 'no page';
    if (page.body.length > 65_536) throw new Error(`a body of ${page.body.length}`);
    return 'a page';
  }

  /** Sends this to the port, and collects what comes back until the connection ends or nothing more comes. */
  async function talk({ chance, speech }: Exchange, words: Buffer): Promise<Buffer> {
    const client = connect(login.port, login.host).on('error', () => {});
    const pieces: Buffer[] = [];
    let quietFor = 0;
    const heard = () => {
      quietFor = 0;
    };
    client.on('data', (piece) => {
      // A flood is noticed, but its end is not awaited.
      if (pieces.push(piece) < mostPieces) heard();
    });
    server.tell(() => speech, heard);
    const leave = chance.one([
      () => client.end(),
      () => client.destroy(),
      () => client.resetAndDestroy(),
    ]);
    const ticking = setInterval(() => {
      if (++quietFor === quietTicks) leave();
      else if (quietFor > 2 * quietTicks) client.destroy();
    }, tickMs);
    const closed = new Promise((resolve) => client.once('close', resolve));
    await sayInPieces(client, words, chance.below(words.length + 1));
    await closed;
    clearInterval(ticking);
    return Buffer.concat(pieces);
  }

  async function lookAround({ chance, seed, party }: Exchange): Promise<string> {
    server.tell(() => speechOf(chance, party));
    const address = chance.one(['192.0.2.7', '127.0.0.1', '::1', '', 'portal.example']);
    const many = chance.next() < 0.1 ? 5000 : chance.below(3);
    const found = await look({
      place: { local: { 4: null, 6: null } },
      api: seed % 8 === 0 ? new URL('https://portal.example/api') : null,
      managerSaysPortal: chance.next() < 0.2,
      probes: [1, 2, 3].map((one) => ({ url: `http://${one}.example/x`, text: 'fine' })),
      resolve: async () => Array<string>(many).fill(address),
      signal: new AbortController().signal,
      postQuantum: 'prefer',
      fetch: (request) => fetchFrom({ ...request, answerMs: 4 * patienceMs }),
    });
    return found === null ? 'nothing seen' : `seen: ${found.evidence}`;
  }

  /** As ordered, but to this server, and with a shorter time. */
  function fetchFrom(request: PageRequest): Promise<FetchedPage | null> {
    const url = new URL(request.url);
    url.port = String(server.port);
    return fetchPage({ ...request, url, ip: '127.0.0.1', connectMs: 5_000 });
  }

  return {
    async carryOut(exchange) {
      if (++carriedOut % exchangesPerLogin === 0) {
        login.close();
        login = await beginLogin(route);
      }
      const hung = Promise.withResolvers<never>();
      let turns = 0;
      const guard = setInterval(() => {
        if (++turns > hungTurns) hung.reject(new Error('it hangs'));
      }, turnMs);
      try {
        return await Promise.race([outcomes[exchange.party](exchange), hung.promise]);
      } finally {
        clearInterval(guard);
        server.cut();
      }
    },
    async close() {
      login.close();
      server.close();
    },
  };
}

async function beginLogin(route: LoginRoute): Promise<LoginPort> {
  const opened = await openLoginPort(route, () => {});
  if (!opened.ok) throw new Error(opened.failure.message);
  return opened.value;
}

const anyPage = {
  ip: '127.0.0.1',
  localAddress: null,
  accept: '*/*',
  connectMs: 0,
  signal: new AbortController().signal,
  postQuantum: 'prefer' as const,
};

async function sayInPieces(client: Socket, words: Buffer, at: number): Promise<void> {
  client.setNoDelay(true);
  client.write(words.subarray(0, at));
  await new Promise(setImmediate);
  client.write(words.subarray(at));
}

/** Checks that what arrived is a refusal or a response, complete or not, and nothing that must not be passed on. */
function httpOutcome(heard: Buffer): string {
  if (heard.length === 0) return 'silence';
  const [, status] = /^HTTP\/1\.1 ([2-5]\d\d) /.exec(heard.toString('latin1')) ?? [];
  if (status === undefined || status === '407')
    throw new Error(`the window heard ${JSON.stringify(heard.toString('latin1', 0, 200))}`);
  return status === '502' ? 'refused' : 'passed on';
}
