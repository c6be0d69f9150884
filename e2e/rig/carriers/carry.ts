/** Names asked for through a carrier, by the real service, of a real server; and what that server saw of it. */
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { Lab } from '../lab.ts';
import { encodeQuery, parse } from '../message.ts';
import { encdnsZone, startEncdnsServer } from '../peers/encdns-server.ts';
import { PlainTap } from '../peers/plain-tap.ts';
import { askTcp, askUdp, text } from '../raw-client.ts';
import { SottoService } from '../sotto-service.ts';
import { zone as far, farZone } from '../zones/far.ts';
import type { CarrierKind, Chosen } from './carrier.ts';

type Labels = 'binary' | 'base32';

export interface Carried {
  asked: number;
  answered: number;
  /** of the last box that was answered; null: none was */
  labels: Labels | null;
  /** what the server saw for each name after the first two, with which the client learns labels and formats */
  queriesPerName: number;
  /** whether a name that fits into no single box was answered */
  long: boolean;
  /** whether a response that fits into no datagram came whole */
  large: boolean;
  /** the upstream's last error, where a name had no answer */
  why: string | null;
}

export interface Way {
  kind: CarrierKind;
  chosen: Chosen;
  /** the server's response to a query over UDP without a cookie of its own */
  unproven: 'full' | 'truncated';
}

const patienceMs = 8000;
/** So many names in a row without an answer are the last. */
export const hopeless = 3;

/** `tries`: how often a name is asked for until it is answered; a machine that stands still lets a query's time run out. */
export async function carry(
  { kind, chosen, unproven }: Way,
  count: number,
  tries = 1,
): Promise<Carried> {
  const lab = new Lab();
  await lab.open();
  try {
    const zone = await farZone(lab, [`large TXT ${largeData}`]);
    const server = await startEncdnsServer(lab, { answers: ['--zone', zone], unproven });
    const tap = await PlainTap.start(lab, server);
    const address = text(await kind.start(lab, tap.endpoint, chosen));
    const boxed = {
      ...{ id: 'boxed', transport: 'encdns', zone: encdnsZone },
      ...{ key: server.key, address },
    };
    const service = await SottoService.start(lab, { upstreams: [boxed], downgrade: 'refuse' });
    return await askAll(service, tap, count, tries);
  } finally {
    await lab.close();
  }
}

async function askAll(
  service: SottoService,
  tap: PlainTap,
  count: number,
  tries: number,
): Promise<Carried> {
  const atLast = (isDone: () => Promise<boolean>) => withTries(tries, isDone);
  const seen: number[] = [];
  let [answered, inVain] = [0, 0];
  let labels: Labels | null = null;
  for (const name of names(count)) {
    const before = tap.names.length;
    const isAnswered = await atLast(() => isAnsweredFor(service, name));
    seen.push(tap.names.length - before);
    answered += Number(isAnswered);
    inVain = isAnswered ? 0 : inVain + 1;
    if (isAnswered) labels = labelsOf(tap.names) ?? labels;
    if (inVain === hopeless) break;
  }
  const later = seen.slice(2);
  const queriesPerName = later.reduce((sum, count) => sum + count, 0) / later.length;
  const asked = seen.length;
  const long = await atLast(() => isAnsweredFor(service, longName));
  const large = await atLast(() => isLargeAnswered(service));
  const isAll = answered === asked && long && large;
  const why = isAll ? null : lastError(await service.status());
  return { asked, answered, labels, queriesPerName, long, large, why };
}

async function withTries(tries: number, isDone: () => Promise<boolean>): Promise<boolean> {
  for (let tried = 0; tried < tries; tried++) if (await isDone()) return true;
  return false;
}

/** Of 253 octets, the most that there may be. */
const longName = [...Array(3).fill('y'.repeat(60)), 'y'.repeat(58), far].join('.');

const largeData = Array(20)
  .fill(`"${'x'.repeat(250)}"`)
  .join(' ');

async function isLargeAnswered(service: SottoService): Promise<boolean> {
  const largest = 5000;
  try {
    const response = await askTcp(service.v4, encodeQuery(`large.${far}`, 'TXT'), patienceMs);
    return parse(response).rcode === 0 && response.length > largest;
  } catch {
    return false;
  }
}

/** Labels of one to 39 letters, so that boxes have different lengths. */
function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    return `${String.fromCharCode(97 + index)}${'x'.repeat((2 * index) % 40)}.${far}`;
  });
}

async function isAnsweredFor(service: SottoService, name: string): Promise<boolean> {
  try {
    const response = parse(await askUdp(service.v4, encodeQuery(name, 'A'), patienceMs));
    return response.rcode === 0 && response.answers.length === 1;
  } catch {
    return false;
  }
}

/** The first octets of a box tell its labels: magic, or the same in base32. */
function labelsOf(queries: string[]): Labels | null {
  const box = queries.findLast((name) => name.startsWith('ebcv') || name.startsWith(' e'));
  if (box === undefined) return null;
  return box.startsWith('ebcv') ? 'base32' : 'binary';
}

function lastError({ upstreams: [upstream] }: ServiceStatus): string {
  return upstream?.lastError?.text ?? 'nothing is known';
}
