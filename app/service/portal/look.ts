/**
 * One look at the network gathers all evidence that it wants a login, within three seconds where no server responds. Strong
 * evidence spares the weaker steps: names are looked up only where nothing else gave a result.
 */
import { isIP } from 'node:net';
import type { PostQuantum } from '../../contract/engine-words.ts';
import { judge, type NamedPage, type Page, type Readings, type Verdict } from './evidence.ts';
import { type FetchedPage, fetchPage } from './fetch-page.ts';
import { meet } from './meeting.ts';
import type { Place } from './place.ts';
import { readApiState } from './portal-api.ts';

export interface Looking {
  place: Pick<Place, 'local'>;
  /** the API's address that the network gave; null: none */
  api: URL | null;
  managerSaysPortal: boolean;
  probes: readonly { url: string; text: string }[];
  /** addresses that the network's own resolvers give */
  resolve(name: string): Promise<string[]>;
  signal: AbortSignal;
  postQuantum: PostQuantum;
  /** A page is requested. */
  onSent?: (url: URL) => void;
  fetch?: typeof fetchPage;
}

/** RFC 5737 and 3849: no host has these addresses, so a response can only come from a device in between. */
const nobody = { 4: 'http://192.0.2.1/', 6: 'http://[2001:db8::1]/' };
const silenceMs = 800;
const nameMs = 1_400;
const apiMs = 2_000;
/** Hotels have slow gateways; a server that has accepted a connection gets more time. */
const answerMs = 2_500;

export async function look(looking: Looking): Promise<Verdict | null> {
  const { place, api, managerSaysPortal, probes } = looking;
  let state: Readings['api'] = null;
  const asked = askApi(looking).then((said) => {
    state = said;
  });
  const url = place.local[4] === null && place.local[6] !== null ? nobody[6] : nobody[4];
  const address = { url, page: await at(looking, new URL(url), silenceMs) };
  const spoken = () => state !== null || managerSaysPortal;
  const enough = spoken() || judge({ api: null, managerSaysPortal, address, names: [] }) !== null;
  const names = enough ? [] : await Promise.all(probes.map((probe) => askPage(looking, probe)));
  if (api !== null) await asked;
  return judge({ api: state, managerSaysPortal, address, names: enough ? known(probes) : names });
}

/** The known pages that the network answered itself: a login may begin at one of them. */
function known(probes: Looking['probes']): NamedPage[] {
  return probes.map((probe) => ({ ...probe, page: null }));
}

async function askApi(looking: Looking): Promise<Readings['api']> {
  if (looking.api === null) return null;
  return readApiState(await at(looking, looking.api, apiMs, 'application/captive+json'));
}

async function askPage(
  looking: Looking,
  probe: { url: string; text: string },
): Promise<{ url: string; text: string; page: Page | null }> {
  return { ...probe, page: await at(looking, new URL(probe.url), nameMs) };
}

async function at(
  { place, resolve, signal, postQuantum, onSent, fetch = fetchPage }: Looking,
  url: URL,
  connectMs: number,
  accept = '*/*',
): Promise<FetchedPage | null> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const found =
    isIP(host) === 0 ? await meet({ withinMs: connectMs, signal }, () => resolve(host)) : [host];
  const ip = found?.find((one) => isIP(one) !== 0 && !isOurselves(one));
  if (ip === undefined || signal.aborted) return null;
  const localAddress = place.local[isIP(ip) === 6 ? 6 : 4];
  const sent = () => onSent?.(url);
  const patience = { connectMs, answerMs, signal, postQuantum };
  return await fetch({ url, ip, localAddress, accept, ...patience, onSent: sent });
}

/** A page on this machine is never the network's. */
const isOurselves = (ip: string) => /^(127\.|0\.|::1?$)/.test(ip);
