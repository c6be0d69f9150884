/**
 * Lookups on a machine, as its programs make them. On a busy machine the time of a query may be over before anybody has responded,
 * which says nothing: it is sent again. A response of any other kind counts, and is returned.
 */
import { locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import type { Finished } from '../rig/process.ts';

interface Machine {
  run(command: string, args: string[]): Promise<Finished>;
}

/** Longer than Sotto and all resolvers of the lab take to say that nobody responds. */
const once = ['+tries=1', '+time=20'];

/** dig's words for a query, such as `@127.0.0.1 -p 5300 far.example AAAA`. Returns the header and the answer section. */
export async function digOn(machine: Machine, ...words: string[]): Promise<string> {
  return await eventually(`a response to ${words.join(' ')}`, async () => {
    const said = await digOnce(machine, ...words);
    return /status: (?!SERVFAIL)/.test(said) && said;
  });
}

/** The same, where a SERVFAIL may be what is expected. */
export async function digOnce(machine: Machine, ...words: string[]): Promise<string> {
  const shown = ['+noall', '+comments', '+answer'];
  return (await machine.run(locate('dig'), [...words, ...once, ...shown])).stdout;
}

/** The data of the first record in what dig says; empty: there is none. */
export function firstRecord(said: string): string {
  return /^[^;\s]\S*[ \t]+\d+[ \t]+IN[ \t]+\S+[ \t]+(.+)$/m.exec(said)?.[1] ?? '';
}

/** The IPv4 addresses that the C library finds for the name, as getent prints them. */
export async function getentOn(machine: Machine, name: string): Promise<string> {
  return await eventually(`an address of ${name}`, async () => {
    const { code, stdout } = await machine.run('getent', ['ahostsv4', name]);
    return code === 0 && stdout;
  });
}
