/** Queries from a file, for a simulation: as dnsperf reads them, or as the query log is printed. */

import { readFileSync } from 'node:fs';
import { asciiName } from '../../contract/dns/ascii-name.ts';
import type { GivenQuery } from '../../contract/settings/simulation.ts';
import { badUsage } from '../failure.ts';
import { readText } from './profile-files.ts';

interface Query {
  name: string;
  type: string;
  times: number;
}

export const aboutQueries =
  'give one in a line: NAME [TYPE [TIMES]], or what "sotto log --json" prints';

/** Equal ones together. "-": standard input. */
export function readQueries(file: string): GivenQuery[] {
  const known = new Map<string, Query>();
  for (const [index, line] of readGiven(file).split(/\r?\n/).entries()) {
    const text = line.trim();
    if (/^([#;]|$)/.test(text)) continue;
    const query = text.startsWith('{') ? readEvent(text) : readWords(text);
    if (query === null)
      throw badUsage(`line ${index + 1} of ${sayFile(file)} is no query`, aboutQueries);
    const key = `${query.name} ${query.type}`;
    const before = known.get(key)?.times ?? 0;
    known.set(key, { ...query, times: before + query.times });
  }
  return [...known.values()];
}

function readWords(text: string): Query | null {
  const [name = '', type = 'A', times = '1', ...rest] = text.split(/\s+/);
  if (rest.length > 0 || !/^[1-9]\d{0,5}$/.test(times)) return null;
  return checked(name, type, Number(times));
}

function readEvent(text: string): Query | null {
  const { name, type } = parsed(text);
  return typeof name === 'string' && typeof type === 'string' ? checked(name, type, 1) : null;
}

function parsed(text: string): { name?: unknown; type?: unknown } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function checked(name: string, type: string, times: number): Query | null {
  const ascii = asciiName(name);
  if (ascii === null || ascii === '' || ascii.length > 1024) return null;
  return /^[a-z0-9]{1,20}$/i.test(type) ? { name: ascii, type: type.toUpperCase(), times } : null;
}

function readGiven(file: string): string {
  return file === '-' ? readFileSync(0, 'utf8') : readText(file);
}

function sayFile(file: string): string {
  return file === '-' ? 'standard input' : file;
}
