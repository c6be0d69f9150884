/** Two upstreams, of which the first dies silently or is only slow; or a link that goes down and comes back. */
import { eventually } from '../rig/eventually.ts';
import { Lab } from '../rig/lab.ts';
import { rcodes } from '../rig/message.ts';
import { Link } from '../rig/network/link.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { Standstill } from '../rig/standstill.ts';
import { type Outcome, SteadyQueries } from './policy-matrix/steady-queries.ts';

export interface Observed {
  roundTripMs: number;
  death: Death;
  slow: Slowness;
  /** from the moment the link was back until a query was answered */
  flapMs: number;
}

interface Death {
  /** from the query to the other upstream's response */
  longestMs: number;
  /** 3 round trips and 400 ms to notice the death, one round trip for the other upstream's response */
  allowedMs: number;
  asked: number;
  lost: number;
}

interface Slowness {
  answerTakesMs: number;
  asked: number;
  /** names that the other upstream received */
  moved: number;
  lost: number;
  /** how long the machine stood still at once: Sotto may then try names elsewhere */
  stoodStillMs: number;
}

const addresses = ['198.51.100.53', '198.51.100.54'] as const;
/** Sends twenty queries a second. */
const before = 30;
const after = 60;
const slowness = 1500;
/** Well below the time after which a query is tried elsewhere: `SIGN_OF_LIFE` in native/engine/src/upstream/selection/attempts.rs. */
const tolerableMs = 200;

export const roundTrips = [5, 40, 200] as const;

export async function observe(roundTripMs: number): Promise<Observed> {
  return {
    roundTripMs,
    death: await onStage(roundTripMs, '0ms', die),
    slow: await onStage(roundTripMs, `${slowness}ms`, beSlow),
    flapMs: await onStage(roundTripMs, '0ms', flap),
  };
}

/** What is wrong with the result; empty if nothing is. `timed`: whether a long wait is. */
export function problems({ death, slow }: Observed, timed = true): string[] {
  return [
    ...(timed && death.longestMs > death.allowedMs
      ? [`a query waited ${death.longestMs} ms for a death, not ${death.allowedMs} at most`]
      : []),
    ...(death.lost > 0 ? [`${death.lost} queries were lost with the dead upstream`] : []),
    ...(slow.moved > 0 && slow.stoodStillMs < tolerableMs
      ? [`${slow.moved} names went to the other operator for slowness alone`]
      : []),
    ...(slow.lost > 0 ? [`${slow.lost} queries to a slow upstream were lost`] : []),
  ];
}

interface Stage {
  link: Link;
  service: SottoService;
  asking: SteadyQueries;
  /** since before the first query */
  standstill: Standstill;
  roundTripMs: number;
}

async function onStage<T>(
  roundTripMs: number,
  delay: string,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const lab = new Lab();
  await lab.open();
  try {
    const link = await Link.open(lab, { delayMs: roundTripMs / 2, farAddresses: [...addresses] });
    const upstreams = [];
    for (const [index, address] of addresses.entries()) {
      const [id, answersAfter] = index === 0 ? ['first', delay] : ['second', '0ms'];
      const options = { on: link.far, addresses: [address], delay: answersAfter };
      upstreams.push((await SottoServer.start(lab, options)).upstream(id));
    }
    const service = await SottoService.start(lab, { upstreams }, undefined, { on: link.client });
    const standstill = new Standstill();
    const asking = await SteadyQueries.start(lab, link.client, service.v4);
    await asking.further(before, 'NOERROR');
    return await play({ link, service, asking, standstill, roundTripMs });
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${lab.transcripts()}`);
  } finally {
    await lab.close();
  }
}

/** A black hole: the path drops everything to and from the upstream, without an error. */
async function die({ link, asking, roundTripMs }: Stage): Promise<Death> {
  await link.wire.rules({ do: 'drop', on: { address: addresses[0] } });
  await asking.further(after);
  const outcomes = await asking.finish();
  return {
    longestMs: Math.max(...outcomes.map(({ afterMs }) => afterMs)),
    allowedMs: 3 * roundTripMs + 400 + roundTripMs,
    ...fate(outcomes),
  };
}

async function beSlow({ service, asking, standstill }: Stage): Promise<Slowness> {
  await asking.further(after);
  const counts = fate(await asking.finish());
  const { longestMs: stoodStillMs } = standstill.end();
  const { upstreams } = await service.status();
  const other = upstreams.find(({ id }) => id === 'second');
  if (other === undefined) throw new Error('the second upstream is gone from the status');
  const moved = other.answered + other.failed;
  return { answerTakesMs: slowness, moved, stoodStillMs, ...counts };
}

async function flap({ link, asking }: Stage): Promise<number> {
  await link.unplug();
  await asking.further(before);
  await link.plug();
  const back = Date.now();
  const first = await eventually('an answer after the link came back', () => {
    const answered = asking.since(0).filter(({ rcode }) => rcode === rcodes.NOERROR);
    const ends = answered.map(({ at, afterMs }) => at + afterMs).filter((end) => end >= back);
    return ends.length > 0 && Math.min(...ends);
  });
  await asking.finish();
  return first - back;
}

function fate(outcomes: Outcome[]): { asked: number; lost: number } {
  const lost = outcomes.filter(({ rcode }) => rcode !== rcodes.NOERROR);
  return { asked: outcomes.length, lost: lost.length };
}
