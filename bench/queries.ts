/** The queries, as files for dnsperf. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheEntries } from './peer.ts';

export interface Queries {
  /** names that are queried again and again; the first of `filling` */
  warm: string;
  /** as many as a default cache holds */
  filling: string;
  /** every tenth of `filling`, to find out how much of it is still cached */
  sample: string;
  sampleSize: number;
  /** names that are queried once each; more than any program can forward in a run */
  unique: string;
}

const warmNames = 10_000;
const sampleEvery = 10;
const mostPerSecond = 150_000;

export async function writeQueries(directory: string, seconds: number): Promise<Queries> {
  const write = async (file: string, name: (index: number) => string, count: number) => {
    const path = join(directory, file);
    await writeFile(path, lines(name, count));
    return path;
  };
  const filled = (index: number) => `n${index}.held.example`;
  const sampleSize = cacheEntries / sampleEvery;
  return {
    warm: await write('warm', filled, warmNames),
    filling: await write('filling', filled, cacheEntries),
    sample: await write('sample', (index) => filled(index * sampleEvery), sampleSize),
    sampleSize,
    unique: await write('unique', (index) => `u${index}.new.example`, seconds * mostPerSecond),
  };
}

function lines(name: (index: number) => string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${name(index)} A\n`).join('');
}
