/** Servers as they are set up over UDP by default, with names that have long responses. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate, sottoServer } from '../../e2e/rig/available.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { nothingElse, unboundConfiguration } from '../../e2e/rig/peers/unbound-configuration.ts';
import { freePort } from '../../e2e/rig/ports.ts';
import type { Program } from '../../e2e/rig/process.ts';
import { text } from '../../e2e/rig/raw-client.ts';
import { writeZone } from '../../e2e/rig/zones/zone-file.ts';
import { programPath } from '../debian.ts';
import { dnsdist, sotto, unbound } from '../server/servers.ts';
import type { Stage } from './stage.ts';

/** octets of text; three of four of the thousand best-known sites have a response that is larger than 738 octets */
export const texts = [738, 1200, 3000] as const;

export interface Reflector {
  title: string;
  /** On this port of the stage's server, until what it returns is called. */
  start(lab: Lab, stage: Stage, port: number): Promise<() => Promise<unknown>>;
}

export const reflectors: readonly Reflector[] = [
  {
    title: sotto.title,
    async start(lab, stage, port) {
      const records = texts.map((octets) => `t${octets} TXT ${strings(octets)}`);
      const { file } = await writeZone(lab, 'example', records);
      const at = text({ address: stage.network.address, port });
      const words = ['--zone', file, '--starttls', at, '--self-signed', 'dns.example'];
      const program = await started(lab, stage, sottoServer, words);
      await ready(stage, program, port);
      return () => program.stop();
    },
  },
  {
    title: unbound.title,
    async start(lab, stage, port) {
      const program = await startUnbound(lab, stage, stage.network.address, port);
      await ready(stage, program, port);
      return () => program.stop();
    },
  },
  {
    title: dnsdist.title,
    async start(lab, stage, port) {
      const behind = { address: '127.0.0.1', port: await freePort() };
      const resolver = await startUnbound(lab, stage, behind.address, behind.port);
      const file = join(lab.directory, `reflecting-dnsdist-${port}.conf`);
      const lines = [
        'setACL("0.0.0.0/0")',
        'setSecurityPollSuffix("")',
        `setLocal("${text({ address: stage.network.address, port })}")`,
        `newServer("${text(behind)}")`,
      ];
      await writeFile(file, lines.join('\n'));
      const words = ['-C', file, '--supervised', '--disable-syslog'];
      const program = await started(lab, stage, programPath('dnsdist'), words);
      await ready(stage, program, port);
      return () => Promise.all([program.stop(), resolver.stop()]);
    },
  },
];

async function startUnbound(
  lab: Lab,
  stage: Stage,
  address: string,
  port: number,
): Promise<Program> {
  const file = join(lab.directory, `reflecting-unbound-${port}.conf`);
  const names = texts.map((octets) => `local-data: 't${octets}.example. TXT ${strings(octets)}'`);
  const configuration = unboundConfiguration({
    interfaces: [`${address}@${port}`],
    server: ['do-daemonize: no', 'access-control: 0.0.0.0/0 allow', ...nothingElse, ...names],
  });
  await writeFile(file, configuration);
  return await started(lab, stage, programPath('unbound'), ['-d', '-p', '-c', file]);
}

async function started(
  lab: Lab,
  { network }: Stage,
  command: string,
  args: string[],
): Promise<Program> {
  return lab.adopt(await network.startServer(command, args));
}

async function ready({ others, network }: Stage, program: Program, port: number): Promise<void> {
  const words = [`@${network.address}`, '-p', String(port), `t${texts[0]}.example`, 'TXT'];
  await program.ready(async () => {
    const { stdout } = await others.run(locate('dig'), [...words, '+tries=1', '+time=1']);
    return stdout.includes('status: NOERROR') && stdout.includes('ANSWER: 1');
  });
}

/** Character strings of a TXT record hold 255 octets at most (RFC 1035, section 3.3). */
function strings(octets: number): string {
  const most = 255;
  const parts = Array.from({ length: Math.ceil(octets / most) }, (_, at) =>
    'x'.repeat(Math.min(most, octets - at * most)),
  );
  return parts.map((part) => `"${part}"`).join(' ');
}
