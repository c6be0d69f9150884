/** What carries boxed queries from the stub to the EncDNS server: resolvers and forwarders that others wrote. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate, type Need, type ProgramName } from '../available.ts';
import type { Lab } from '../lab.ts';
import { encodeQuery, parse } from '../message.ts';
import { encdnsZone } from '../peers/encdns-server.ts';
import { freePort } from '../ports.ts';
import { Program } from '../process.ts';
import { askUdp, type Endpoint } from '../raw-client.ts';

/** A random case of letters (0x20), and QNAME minimisation (RFC 9156); strict: where a step fails, the full name is not asked for either. */
export const carrierOptions = ['random case', 'minimisation', 'strict minimisation'] as const;
export type CarrierOption = (typeof carrierOptions)[number];
export type Chosen = ReadonlySet<CarrierOption>;

export interface CarrierKind {
  title: string;
  needs: readonly Need[];
  /** Debian packages, for their versions */
  packages: readonly string[];
  /** those that it lets people choose */
  options: readonly CarrierOption[];
  /** Starts it; queries for the EncDNS zone reach `server`. */
  start(lab: Lab, server: Endpoint, chosen: Chosen): Promise<Endpoint>;
}

interface Setup {
  /** name → text */
  file: [string, string];
  /** the folder of the file is where the program runs */
  words: string[];
}

/** On a port of its own, in a folder of its own. */
export async function startCarrier(
  lab: Lab,
  program: ProgramName,
  setUp: (at: Endpoint) => Setup,
): Promise<Endpoint> {
  const at = { address: '127.0.0.1', port: await freePort() };
  const cwd = join(lab.directory, `${program}-${at.port}`);
  await mkdir(cwd);
  const { file, words } = setUp(at);
  await writeFile(join(cwd, file[0]), `${file[1]}\n`);
  await responds(at, lab.adopt(await Program.start(locate(program), words, { cwd })));
  return at;
}

/** Any response will do: what it carries is for others to see. */
export async function responds(at: Endpoint, program: Program): Promise<void> {
  await program.ready(async () => parse(await askUdp(at, encodeQuery(encdnsZone, 'SOA'), 1000)));
}

export function yesOrNo(chosen: Chosen, option: CarrierOption): 'yes' | 'no' {
  return chosen.has(option) ? 'yes' : 'no';
}
