/** Captures every packet between the service and its upstreams, and searches all of them for names. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, type TestContext } from 'vitest';
import { describeWith, locate } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForFile } from '../rig/lab.ts';
import { StarttlsShim } from '../rig/peers/starttls-shim.ts';
import { Program } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant } from '../rig/zones/garden.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig', 'dumpcap'], 'an observer', () => {
  const lab = labForFile();
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(lab);
  });

  it('sees names between program and service, and none beyond the service, whether TLS works or not', async (context) => {
    const shim = await StarttlsShim.start(lab, stage.unbound.tls);
    const service = await SottoService.start(lab, {
      upstreams: [
        upstream('tdns', 'tdns', shim.endpoint, trusting(stage)),
        upstream('dot', 'dot', stage.unbound.tls, trusting(stage)),
      ],
    });
    const near = await capture(context, lab, [service.port]);
    const far = await capture(context, lab, [shim.endpoint.port, stage.unbound.tls.port]);

    await dig(service.v4, plant(1));
    shim.manner = 'NO_TLS';
    shim.cut();
    await dig(service.v4, plant(2));
    await stage.unbound.stop();
    await dig(service.v4, plant(3));

    await eventually('the last name was captured', async () =>
      (await octets(near)).includes('plant3'),
    );
    await Promise.all([near, far].map(({ program }) => program.stop('SIGINT')));
    for (const name of ['plant1', 'plant2', 'plant3']) {
      expect((await octets(near)).includes(name)).toBe(true);
      expect((await octets(far)).includes(name)).toBe(false);
    }
    expect((await octets(far)).includes('STARTTLS')).toBe(true);
    expect((await octets(far)).includes('garden')).toBe(false);
    await service.stop();
  });
});

interface Capture {
  program: Program;
  file: string;
}

/** Skips the test where this user may not capture packets. */
async function capture(context: TestContext, lab: Lab, ports: number[]): Promise<Capture> {
  const file = join(lab.directory, `capture-${ports[0]}.pcap`);
  const filter = ports.map((port) => `port ${port}`).join(' or ');
  const options = ['-q', '-P', '-i', 'lo', '-s', '65535', '-f', filter, '-w', file];
  const program = lab.adopt(await Program.start(locate('dumpcap'), options));
  const began = await eventually('the capture starts or is refused', () => {
    return program.exit === undefined ? /^File: /m.exec(program.stderr) && 'capturing' : 'refused';
  });
  if (began === 'refused') {
    context.skip(
      'this user may not capture packets: run as root, or dpkg-reconfigure wireshark-common',
    );
  }
  return { program, file };
}

function octets({ file }: Capture): Promise<Buffer> {
  return readFile(file);
}
