/** Runs the sequential client of this folder, which waits for each response before it sends the next query. */
import { succeed } from '../e2e/rig/process.ts';
import { builtPath, compile } from './compiler.ts';

export interface Sequence {
  asked: number;
  answered: number;
  lost: number;
  /** responses without data */
  failed: number;
  /** microseconds */
  mean: number;
  median: number;
  p99: number;
}

const warmUp = 300;
const queries = 5000;
/** Fewer, because some programs take 40 ms for each. */
const warmUpPairs = 20;
const pairs = 300;
const suffix = 'sequence.example';

export const provideSequential = () => compile('sequential');

export async function askInSequence(port: number): Promise<Sequence> {
  return await sequence([port, warmUp, queries, suffix]);
}

/** A and AAAA of a name at once, as getaddrinfo does; times are those of whole pairs. */
export async function askInPairs(port: number): Promise<Sequence> {
  return await sequence([port, warmUpPairs, pairs, suffix, 'pair']);
}

/** So many for one cached name, each from a new socket after a pause; times include neither. */
export async function askFromNewSockets(
  port: number,
  count: number,
  pauseUs: number,
): Promise<Sequence> {
  return await sequence([port, warmUp, count, suffix, 'sockets', pauseUs]);
}

async function sequence(args: (string | number)[]): Promise<Sequence> {
  return JSON.parse(await succeed(builtPath('sequential'), args.map(String))) as Sequence;
}
