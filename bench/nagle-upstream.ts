/**
 * A server that keeps Nagle's algorithm on, as unbound does before 1.23: its second response waits until the first one is
 * acknowledged, which a kernel may delay by up to 40 ms.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  knownNames,
  secured,
  unboundConfiguration,
} from '../e2e/rig/peers/unbound-configuration.ts';
import { freePort } from '../e2e/rig/ports.ts';
import { Program, run } from '../e2e/rig/process.ts';
import { programPath } from './debian.ts';
import type { TrustedServer } from './peer.ts';
import { name, upstreamIdentity } from './upstream.ts';

export class NagleUpstream {
  readonly server: TrustedServer;
  readonly #program: Program;

  static async start(directory: string): Promise<NagleUpstream> {
    const port = await freePort();
    const identity = await upstreamIdentity(directory);
    const configuration = join(directory, 'nagle.conf');
    const known = knownNames({ 'example.': ['A 203.0.113.7', 'AAAA 2001:db8::7'] });
    const server = [...secured(port, identity), ...known];
    const interfaces = [`127.0.0.1@${port}`];
    await writeFile(configuration, unboundConfiguration({ interfaces, server }));
    const program = await Program.start(programPath('unbound'), [
      ...['-d', '-p', '-c', configuration],
    ]);
    const connect = ['-c', 'exec 3<>/dev/tcp/127.0.0.1/$0', String(port)];
    await program.ready(async () => (await run('/bin/bash', connect)).code === 0);
    return new NagleUpstream(
      { address: '127.0.0.1', port, name, ca: identity.certificate },
      program,
    );
  }

  private constructor(server: TrustedServer, program: Program) {
    this.server = server;
    this.#program = program;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }
}
