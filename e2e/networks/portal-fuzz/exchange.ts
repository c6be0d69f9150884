/**
 * One exchange of the campaign, derived from its seed only: the kind of peer, what it sends in which pieces, and how it ends.
 * Pure.
 */
import { type Chance, chanceFrom } from './chance.ts';
import type { Tongue } from './hostile-client.ts';
import { records, response } from './hostile-words.ts';

export const parties = [
  'page',
  'page-tls',
  'look',
  'http',
  'tunnel',
  'socks',
  'stranger',
  'guest',
] as const;
/**
 * `page`, `page-tls`: a probe, in cleartext and over TLS. `look`: all probes of one look. `http`, `tunnel`, `socks`: the login's
 * port leads to a hostile server. `stranger`, `guest`: a hostile client of that port, without the password and with it.
 */
export type Party = (typeof parties)[number];

export interface Exchange {
  seed: number;
  party: Party;
  speech: Speech;
  /** of a hostile client */
  tongue: Tongue;
  chance: Chance;
}

export interface Speech {
  /** before any request */
  early: boolean;
  pieces: Buffer[];
  ending: 'end' | 'reset' | 'stay' | 'flood' | 'trickle';
}

/** TLS costs the reading of every certificate that the system trusts, so it has a smaller share. */
const shares: readonly Party[] = [
  ...Array<Party>(20).fill('page'),
  ...Array<Party>(1).fill('page-tls'),
  ...Array<Party>(3).fill('look'),
  ...Array<Party>(20).fill('http'),
  ...Array<Party>(6).fill('tunnel'),
  ...Array<Party>(6).fill('socks'),
  ...Array<Party>(6).fill('stranger'),
  ...Array<Party>(6).fill('guest'),
];

export function exchangeOf(seed: number): Exchange {
  const chance = chanceFrom(seed);
  const party = chance.one(shares);
  const tongue = chance.one(['http', 'tunnel', 'socks'] as const);
  return { seed, party, tongue, speech: speechOf(chance, party), chance };
}

/** Where an exchange has several connections, each gets another text. */
export function speechOf(chance: Chance, party: Party): Speech {
  const isTls = party === 'page-tls' || (party === 'tunnel' && chance.next() < 0.5);
  return {
    early: chance.next() < 0.1,
    pieces: cut(chance, isTls ? records(chance) : response(chance)),
    ending: chance.one(['end', 'end', 'end', 'reset', 'reset', 'stay', 'flood', 'trickle']),
  };
}

function cut(chance: Chance, octets: Buffer): Buffer[] {
  if (chance.next() < 0.5) return [octets];
  const at = Array.from({ length: 1 + chance.below(5) }, () => chance.below(octets.length + 1));
  const places = [0, ...at.toSorted((one, other) => one - other), octets.length];
  return places.slice(1).map((end, index) => octets.subarray(places[index], end));
}
