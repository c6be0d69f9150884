/** Table IV of the T-DNS report: what a victim gets of queries over UDP that are sent in its name. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lab } from '../../e2e/rig/lab.ts';
import { encodeQuery } from '../../e2e/rig/message.ts';
import { freePort } from '../../e2e/rig/ports.ts';
import { shown } from '../numbers.ts';
import { type Reflector, reflectors, texts } from './reflectors.ts';
import { type Stage, since, traffic, victim } from './stage.ts';

/** A code, a length, and the client's eight octets (RFC 7873 section 4). */
const cookieOption = Buffer.from('000a00080102030405060708', 'hex');
const measuredMs = 2000;

interface Forged {
  title: string;
  query: Buffer;
  everyMicroseconds: number;
  /** how long it goes on before it is measured */
  untilMs: number;
}

const slowly = { everyMicroseconds: 1000, untilMs: 200 };
/** Until what a network is allowed for a moment is used up. */
const fast = { everyMicroseconds: 20, untilMs: 8000 };

export interface Reflected {
  title: string;
  /** queries a second, in the name of the victim */
  rate: number;
  /** octets of IP packets that the victim receives for each that was sent */
  factor: number;
}

const forgeries: readonly Forged[] = [
  ...texts.map((octets) => ({ title: titleOf(octets), query: ask(octets), ...slowly })),
  { title: `${titleOf(738)}, with a client cookie`, query: withCookie(ask(738)), ...slowly },
  { title: `${titleOf(738)}, without a pause`, query: ask(738), ...fast },
];

/** By the title of the server. */
export async function reflection(lab: Lab, stage: Stage) {
  const all: Record<string, Reflected[]> = {};
  for (const reflector of reflectors) {
    const seen = await reflectedBy(lab, stage, reflector);
    all[reflector.title] = seen;
    console.log(reflector.title, JSON.stringify(seen));
  }
  return all;
}

async function reflectedBy(lab: Lab, stage: Stage, reflector: Reflector): Promise<Reflected[]> {
  const port = await freePort();
  const stop = await reflector.start(lab, stage, port);
  const seen: Reflected[] = [];
  for (const each of forgeries) seen.push(await reflected(lab, stage, port, each));
  await stop();
  return seen;
}

async function reflected(lab: Lab, stage: Stage, port: number, forged: Forged): Promise<Reflected> {
  const { title, query, everyMicroseconds, untilMs } = forged;
  const file = join(lab.directory, 'forged-query');
  await writeFile(file, query);
  const datagram = ['--udp', '-p', String(port), '-a', victim, '-i', `u${everyMicroseconds}`];
  const data = ['--file', file, '--data', String(query.length)];
  const forging = lab.adopt(await stage.forge(...datagram, ...data));
  await pause(untilMs);
  const [sent, received] = [await traffic(stage.others, 'tx'), await traffic(stage.victim, 'rx')];
  await pause(measuredMs);
  const moreSent = since(sent, await traffic(stage.others, 'tx'));
  const moreReceived = since(received, await traffic(stage.victim, 'rx'));
  await forging.stop();
  const rate = (moreSent.packets * 1000) / measuredMs;
  return { title, rate, factor: moreReceived.octets / moreSent.octets };
}

function titleOf(octets: number): string {
  return `${shown(octets, 0)} octets of TXT`;
}

function ask(octets: number): Buffer {
  return encodeQuery(`t${octets}.example`, 'TXT', { id: 1, edns: 4096 });
}

/** The record that offers 4,096 octets is the last one, and its last two octets are the length of its options. */
function withCookie(query: Buffer): Buffer {
  const length = Buffer.from([0, cookieOption.length]);
  return Buffer.concat([query.subarray(0, -2), length, cookieOption]);
}
