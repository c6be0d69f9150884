/** What a computer asks on a day: who asks for what in each two minutes, the same each time. */
import { company, type Domain, domains, hostOf, printers, rebinding } from './domains.ts';

export interface Asked {
  name: string;
  type: 'A' | 'AAAA' | 'HTTPS';
  program: Domain['program'];
}

export interface Step {
  /** minutes from the start of the day that is drawn, which is yesterday at the same time */
  minute: number;
  queries: Asked[];
}

export const dayMinutes = 24 * 60;
export const stepMinutes = 2;
export const queriesOfDay = 20_000;

/** How busy each hour is, from midnight on: a person sleeps, works, and reads in the evening. */
const hours = [
  3, 2, 2, 2, 2, 3, 8, 26, 44, 58, 62, 66, 38, 60, 64, 70, 58, 42, 34, 46, 58, 52, 28, 10,
];
const all = domains.reduce((sum, { weight }) => sum + weight, 0);

/** `endsAt`: the hour and minute at which the day ends, in minutes from midnight. */
export function planDay(endsAt: number): Step[] {
  const random = generator(1);
  const starts = Array.from({ length: dayMinutes / stepMinutes }, (_, at) => at * stepMinutes);
  const busy = starts.map((minute) => {
    const hour = Math.floor(((minute + endsAt) % dayMinutes) / 60);
    return (hours[hour] ?? 0) * (0.4 + 1.2 * random());
  });
  const sum = busy.reduce((one, other) => one + other, 0);
  let planned = 0;
  let passed = 0;
  return starts.map((minute, at) => {
    passed += busy[at] ?? 0;
    const count = Math.round((queriesOfDay * passed) / sum) - planned;
    planned += count;
    return { minute, queries: Array.from({ length: count }, () => query(random)) };
  });
}

function query(random: () => number): Asked {
  const chance = random();
  if (chance < 0.03) return { name: nameOf(company, random), type: 'A', program: 'thunderbird' };
  if (chance < 0.036) return { name: nameOf(printers, random), type: 'A', program: 'firefox' };
  if (chance < 0.04) return { name: rebinding, type: 'A', program: 'firefox' };
  const { name, hosts, program } = domainAt(random() * all);
  const type = program !== 'firefox' || random() < 0.55 ? 'A' : random() < 0.7 ? 'AAAA' : 'HTTPS';
  if (chance < 0.06) return { name: `old.${name}`, type, program };
  return { name: hostOf(pick(hosts, random), name), type, program };
}

function nameOf({ suffix, hosts }: { suffix: string; hosts: string[] }, random: () => number) {
  return hostOf(pick(hosts, random), suffix);
}

function domainAt(place: number): Domain {
  let left = place;
  const found = domains.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return found ?? (domains[0] as Domain);
}

/** The first of a list is asked for more often than the last. */
function pick(values: readonly string[], random: () => number): string {
  return values[Math.floor(random() ** 1.6 * values.length)] ?? '';
}

/** A linear congruential generator of 32 bits, with the constants of Numerical Recipes. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
