/** The only upstream, unbound, is stopped and started again under load; every query is a cache miss. */
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { encodeQuery, parse, rcodes } from '../rig/message.ts';
import { serverName } from '../rig/peers/sotto-server.ts';
import { Unbound } from '../rig/peers/unbound.ts';
import { askUdp, text } from '../rig/raw-client.ts';
import { type LoadSummary, load } from '../rig/sotto-lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { suffix } from '../rig/zones/far.ts';
import { resolverIdentity, startZipfServer } from './scenario.ts';

export interface Setting {
  seconds: number;
  /** queries a second */
  rate: number;
  /** distributed evenly over the time */
  restarts: number;
  /** after how many seconds a response counts as late */
  timeoutSeconds?: number;
}

export interface Observed {
  load: LoadSummary;
  /** for each restart: from the signal until the server responds again */
  awayMs: number[];
}

/** The time between the end of the server and its start. */
const outageMs = 1000;

export async function observe(lab: Lab, setting: Setting): Promise<Observed> {
  const identity = await resolverIdentity(lab);
  const authority = await startZipfServer(lab, { identity });
  const options = { identity, stubs: { [suffix]: authority.starttls } };
  let unbound = await Unbound.start(lab, options);
  const service = await SottoService.start(lab, {
    upstreams: [
      {
        ...{ id: 'far', transport: 'dot', address: text(unbound.tls) },
        ...{ name: serverName, ca: identity.authority },
      },
    ],
    cache: { entries: 0 },
  });
  await eventually('the path is open', async () => {
    const response = await askUdp(service.v4, encodeQuery(`first.${suffix}`, 'A'), 500);
    return parse(response).rcode === rcodes.NOERROR;
  });
  const { restarts, ...ofLoad } = setting;
  const { seconds } = ofLoad;
  const queries = await load(lab, service.v4, ofLoad);
  const awayMs: number[] = [];
  for (let restart = 0; restart < restarts; restart++) {
    await pause((seconds * 1000) / (restarts + 1));
    const began = Date.now();
    await unbound.stop();
    await pause(outageMs);
    unbound = await Unbound.start(lab, { ...options, ports: unbound });
    awayMs.push(Date.now() - began);
  }
  return { load: await queries.summary(), awayMs };
}

/** What is wrong with the result; empty if nothing is. */
export function problems({ load }: Observed): string[] {
  const { lost, late, rcodes, unexplained, sent, answered } = load;
  const { SERVFAIL = 0, NOERROR = 0, ...others } = rcodes;
  return [
    ...(lost + late > 0 ? [`${lost} queries had no answer, ${late} a late one`] : []),
    ...(SERVFAIL > mostFailures ? [`${SERVFAIL} were answered SERVFAIL`] : []),
    ...(unexplained > 0 ? [`${unexplained} failures without a reason`] : []),
    ...(Object.keys(others).length > 0 ? [`other codes: ${JSON.stringify(others)}`] : []),
    ...(NOERROR + SERVFAIL === answered && answered === sent ? [] : ['the counts do not add up']),
  ];
}

/** The whole time that was ordered. */
export const mostFailures = 200;
