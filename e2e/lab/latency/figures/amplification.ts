/** Table IV and appendix A of the T-DNS report: what a forged source address makes sotto-server send to its owner. */
import { setTimeout as pause } from 'node:timers/promises';
import { locate } from '../../../rig/available.ts';
import { zone } from '../../../rig/zones/far.ts';
import type { Figure, Sample } from '../figure.ts';
import type { Stage } from '../stage.ts';

/** octets of text; three of four of the thousand best-known sites have a record that is larger than 738 */
const texts = [255, 738, 1200, 3000];
const responseOctets = 'response, octets';
const factor = 'amplification';
/** IPv4 and UDP headers */
const headers = 28;
const syn = 'TCP SYN';
const synWithCookies = 'TCP SYN, cookies always';
/** the kernel repeats its reply to a SYN after 1, 3, 7, 15 and 31 s */
const untilRepeatedMs = 33_000;
const untilRepeatedOnceMs = 4000;
const address = 'UDP, address';
const asksForCookie = 'UDP, 738 octets of TXT, client cookie';
const showsCookie = 'UDP, 738 octets of TXT, valid cookie';
const clientCookie = '0102030405060708';
const udpRow = (octets: number) => `UDP, ${octets} octets of TXT`;

export const amplification: Figure = {
  id: 'amplification',
  title: 'Amplification: what a forged query makes sotto-server send',
  how: `Octets of the response's IP packet over those of the query's; the queries offer 4096 octets and no cookie where the row says nothing else. With a client's cookie the response brings the server's (RFC 7873), and only its sixteen octets are added; a client that shows the server's cookie has received a datagram at its address. For TCP the packets that a single SYN brings about when nothing answers them, with the kernel's SYN cookies as they are by default and always.`,
  unit: '×',
  columns: [responseOctets, factor],
  published: { [address]: '3–40', [syn]: '1–6', [synWithCookies]: '1' },
  once: true,
  reach: [
    ...[address, ...texts.map(udpRow)].map((row) => ({
      row,
      column: factor,
      atMost: 1,
      needs: 'a response cut to what was sent',
    })),
    {
      row: asksForCookie,
      column: factor,
      atMost: 1.2,
      needs: 'a truncated response with nothing but the cookie',
    },
    { row: synWithCookies, column: factor, atMost: 1, needs: 'nothing more' },
  ],
  async measure(round) {
    const records = texts.map((octets) => `t${octets} TXT ${strings(octets)}`);
    return await round.at({ rttMs: 0, records, unproven: 'truncated' }, async (stage) => {
      const samples = await overUdp(stage, address, `any.${zone}`, 'A');
      for (const octets of texts)
        samples.push(...(await overUdp(stage, udpRow(octets), `t${octets}.${zone}`, 'TXT')));
      const name = `t738.${zone}`;
      samples.push(...(await overUdp(stage, asksForCookie, name, 'TXT', clientCookie)));
      const cookie = await serverCookie(stage, name);
      samples.push(...(await overUdp(stage, showsCookie, name, 'TXT', cookie)));
      for (const [row, cookies, waitMs] of [
        [synWithCookies, 2, untilRepeatedOnceMs],
        [syn, 1, untilRepeatedMs],
      ] as const) {
        await stage.link.far.sysctl('net.ipv4.tcp_syncookies', cookies);
        samples.push({ row, column: factor, value: await answersToSyn(stage, waitMs) });
      }
      return { samples };
    });
  },
};

/** `cookie`: in hexadecimal digits, the client's eight octets first. */
async function overUdp(
  stage: Stage,
  row: string,
  name: string,
  type: string,
  cookie?: string,
): Promise<Sample[]> {
  const stdout = await dig(stage, name, type, cookie);
  const asked = Number(/^;; QUERY SIZE: (\d+)/m.exec(stdout)?.[1]);
  const answered = Number(/^;; MSG SIZE {2}rcvd: (\d+)/m.exec(stdout)?.[1]);
  if (!(asked > 0 && answered > 0)) throw new Error(`dig says no sizes\n${stdout}`);
  const value = (answered + headers) / (asked + headers);
  return [
    { row, column: responseOctets, value: answered },
    { row, column: factor, value },
  ];
}

/** A cookie as the server gives it to every client. */
async function serverCookie(stage: Stage, name: string): Promise<string> {
  const stdout = await dig(stage, name, 'TXT', clientCookie);
  const cookie = /^; COOKIE: ([0-9a-f]{48}) \(good\)$/m.exec(stdout)?.[1];
  if (cookie === undefined) throw new Error(`the server gave no cookie\n${stdout}`);
  return cookie;
}

async function dig(stage: Stage, name: string, type: string, cookie?: string): Promise<string> {
  const shown = cookie === undefined ? '+nocookie' : `+cookie=${cookie}`;
  const options = ['+ignore', '+nobadcookie', shown, '+bufsize=4096', '+qr', '+tries=1'];
  const args = [`@${stage.plain.address}`, name, type, ...options];
  const { stdout } = await stage.link.client.run(locate('dig'), args);
  return stdout;
}

/** The client ends after its first SYN, and nothing that comes back reaches its machine, as if the address were forged. */
async function answersToSyn({ link, plain }: Stage, waitMs: number): Promise<number> {
  await link.wire.rules({ do: 'drop', on: { protocol: 'tcp', direction: 'b-to-a', port: 853 } });
  const connect = `timeout 0.3 /bin/bash -c 'echo > /dev/tcp/${plain.address}/853'`;
  await link.client.run('/bin/sh', ['-c', connect]);
  await pause(waitMs);
  const { hits } = await link.wire.stats();
  return hits[0] ?? 0;
}

/** Character strings of a TXT record hold 255 octets at most (RFC 1035, section 3.3). */
function strings(octets: number): string {
  const most = 255;
  const parts = Array.from({ length: Math.ceil(octets / most) }, (_, at) =>
    'x'.repeat(Math.min(most, octets - at * most)),
  );
  return parts.map((part) => `"${part}"`).join(' ');
}
