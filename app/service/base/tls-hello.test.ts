/** HTTPS requests of the service behind a middlebox that lets only a small hello pass, to a real server. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createWebServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import type { PostQuantum } from '../../contract/engine-words.ts';
import { sendMetrics } from '../metrics/send-metrics.ts';
import { fetchPage } from '../portal/fetch-page.ts';
import { fetchSource } from '../profiles/delivery/fetch-source.ts';
import { testFolder } from './test-folder.ts';
import { type Trusted, trusting } from './trusted-authorities.ts';

/** One segment of a path with 1,460 octets, less the options of TCP and what tunnels take. */
const mostOctets = 1_400;

let key: string;
let cert: string;

beforeAll(() => {
  const folder = testFolder();
  const [keyFile, certFile] = [`${folder.path}/key.pem`, `${folder.path}/cert.pem`];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const facts = ['-subj', '/CN=it.example', '-addext', 'subjectAltName=DNS:it.example'];
  const files = ['-nodes', '-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', [...made, ...files, ...facts], { stdio: 'ignore' });
  key = readFileSync(keyFile, 'utf8');
  cert = readFileSync(certFile, 'utf8');
  folder.remove();
});

async function opened(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

type Fate = 'reset' | 'close' | 'alert' | 'silence';

const alert = Buffer.from('15030300020228', 'hex');

const meets: Record<Fate, (client: Socket) => void> = {
  reset: (client) => client.resetAndDestroy(),
  close: (client) => client.end(),
  alert: (client) => client.end(alert),
  silence: () => {},
};

/** Every hello that came, by its octets. Large ones meet their fate, the others reach the server. */
async function behindMiddlebox(fate: Fate) {
  const web = createWebServer({ key, cert }, (request, response) => {
    request.resume();
    response.end('{"captive":true}');
  });
  const behind = await opened(web);
  const hellos: number[] = [];
  const middlebox = createServer((client) => {
    client.on('error', () => {});
    onTestFinished(() => void client.destroy());
    client.once('data', (first) => {
      hellos.push(first.length);
      if (first.length > mostOctets) return meets[fate](client);
      const server = connect(behind, '127.0.0.1').on('error', () => client.destroy());
      server.write(first);
      client.pipe(server).pipe(client);
    });
  });
  return { port: await opened(middlebox), hellos };
}

interface Asked {
  url: URL;
  postQuantum: PostQuantum;
  trusted: Trusted;
}

/** Whether what was asked for came. */
const requests: Record<string, (asked: Asked) => Promise<boolean>> = {
  'a profile': async ({ url, ...how }) => {
    const signal = new AbortController().signal;
    const from = { source: url, resolve: async () => ['127.0.0.1'], signal, ...how };
    return (await fetchSource(from, null, [])).ok;
  },
  metrics: async ({ url, ...how }) => {
    const signal = new AbortController().signal;
    const resolve = async () => ['127.0.0.1'];
    return (await sendMetrics({ url, resolve, body: '{}', signal, ...how })) === null;
  },
  'a portal': async ({ url, ...how }) => {
    const signal = new AbortController().signal;
    const where = { url, ip: '127.0.0.1', localAddress: null, accept: '*/*', signal };
    const page = await fetchPage({ ...where, connectMs: 60_000, answerMs: 60_000, ...how });
    return page?.body === '{"captive":true}';
  },
};

async function ask(what: string, fate: Fate, postQuantum: PostQuantum, ca = cert) {
  const { port, hellos } = await behindMiddlebox(fate);
  const url = new URL(`https://it.example:${port}/corp.json`);
  const came = await requests[what]?.({ url, postQuantum, trusted: trusting(() => [ca]) });
  return { came, hellos };
}

/** Node before OpenSSL 3.5 has no such key exchange, and its only hello is small. */
async function needsLargeHello(context: TestContext): Promise<void> {
  const { hellos } = await ask('metrics', 'reset', 'require');
  if ((hellos[0] ?? 0) <= mostOctets) context.skip('this Node has no X25519MLKEM768');
}

describe.each(Object.keys(requests))('%s', (what) => {
  test.each(['reset', 'close', 'alert', 'silence'] as const)(
    'comes with a smaller hello after the %s of a large one',
    async (fate) => {
      const { came, hellos } = await ask(what, fate, 'prefer');
      expect(came).toBe(true);
      // Some take several requests.
      const large = hellos.filter((octets) => octets > mostOctets);
      expect(hellos.length - large.length).toBeGreaterThanOrEqual(large.length);
    },
  );

  test('is never asked for with the smaller one where the large one is required', async (context) => {
    await needsLargeHello(context);
    const { came, hellos } = await ask(what, 'reset', 'require');
    expect(came).toBe(false);
    for (const octets of hellos) expect(octets).toBeGreaterThan(mostOctets);
  });

  test('is asked for with the smaller one at once where the large one is off', async () => {
    const { came, hellos } = await ask(what, 'reset', 'off');
    expect(came).toBe(true);
    for (const octets of hellos) expect(octets).toBeLessThanOrEqual(mostOctets);
  });
});

test('a server whose certificate is not trusted is asked once', async () => {
  const web = createWebServer({ key, cert });
  const behind = await opened(web);
  let connections = 0;
  web.on('connection', () => connections++);
  const signal = new AbortController().signal;
  const why = await sendMetrics({
    url: new URL(`https://it.example:${behind}/`),
    resolve: async () => ['127.0.0.1'],
    body: '{}',
    signal,
    postQuantum: 'prefer',
    trusted: trusting(() => []),
  });
  expect(why).toContain('certificate');
  expect(connections).toBe(1);
});
