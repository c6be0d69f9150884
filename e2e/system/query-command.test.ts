/** `sotto query`: through the service, or straight to any server over any transport. */
import { beforeAll, expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { StarttlsShim } from '../rig/peers/starttls-shim.ts';
import { type Endpoint, text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant, plantAddress } from '../rig/zones/garden.ts';
import { openStage, type Stage, serverName, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl'], 'sotto query', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  let shim: StarttlsShim;
  beforeAll(async () => {
    stage = await openStage(lab);
    shim = await StarttlsShim.start(lab, stage.unbound.tls);
    service = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
    });
  });

  it('prints the response, its outcome and what it cost', async () => {
    let number = 10;
    // The first one may come before there is a connection.
    const first = await eventually('a query on the connection that is there', async () => {
      number += 1;
      const said = await service.json<{ cost: string }>('query', plant(number));
      return said.cost === 'reused' && said;
    });
    expect(first).toMatchObject({
      name: plant(number),
      type: 'A',
      outcome: 'forwarded',
      transport: 'dot',
      rcode: 'NOERROR',
    });
    expect(JSON.stringify(first)).toContain(plantAddress(number));
    expect(await service.json('query', plant(number))).toMatchObject({ outcome: 'cached' });
  });

  it('queries types by number and names of any octets', async () => {
    const answer = await service.json<object>('query', `unknown.${garden}`, 'TYPE65280');
    expect(JSON.stringify(answer).toLowerCase()).toContain('deadbeef00ff');
    const binary = await service.json<object>(
      'query',
      String.raw`\000\001\255binary.${garden}`,
      'TXT',
    );
    expect(JSON.stringify(binary)).toContain('a label of octets');
  });

  const servers: { transport: string; to: () => Endpoint; steps: string[] }[] = [
    { transport: 'udp', to: () => stage.unbound.plain, steps: ['query', 'response'] },
    { transport: 'tcp', to: () => stage.unbound.plain, steps: ['connect', 'query', 'response'] },
    {
      transport: 'dot',
      to: () => stage.unbound.tls,
      steps: ['connect', 'tls', 'query', 'response'],
    },
    {
      transport: 'tdns',
      to: () => shim.endpoint,
      steps: ['connect', 'starttls', 'tls', 'query', 'response'],
    },
  ];
  for (const { transport, to, steps } of servers) {
    it(`--at ${transport}:// queries the server itself, step by step`, async () => {
      const secure = transport === 'dot' || transport === 'tdns';
      const at = `${transport}://${text(to())}${secure ? `#${serverName}` : ''}`;
      const trust = secure ? ['--ca', stage.ca.certificate] : [];
      const report = await service.json<{ steps: { step: string }[] }>(
        'query',
        plant(2),
        'A',
        '--at',
        at,
        ...trust,
      );
      expect(report).toMatchObject({ ok: true, transport });
      expect(report.steps.map(({ step }) => step)).toEqual(steps);
      expect(JSON.stringify(report)).toContain(plantAddress(2));
    });
  }

  for (const transport of ['udp', 'tcp'] as const)
    it(`--at ${transport}:// has an entry in the ledger before the packet leaves, with its count`, async () => {
      const tap = await PlainTap.start(lab, stage.unbound.plain);
      const at = `${transport}://${text(tap.endpoint)}`;
      const report = await service.json<{ ledger: { entry: number } }>(
        'query',
        plant(4),
        '--at',
        at,
      );
      expect(report.ledger).toEqual({ entry: expect.any(Number), why: null });
      // once, unless the server took so long that it was asked again
      const sent = tap.names.filter((name) => name !== '');
      expect(new Set(sent)).toEqual(new Set([plant(4)]));
      const { stdout } = await service.cli('ledger', '--class', 'explicit', '--json');
      const entries = stdout.split('\n').filter(Boolean);
      expect(entries.map((line) => JSON.parse(line) as LedgerEntry)).toContainEqual(
        expect.objectContaining({
          id: report.ledger.entry,
          class: 'explicit',
          count: sent.length,
          reason: expect.stringContaining(text(tap.endpoint)),
          closed: expect.any(String),
        }),
      );
      expect(stdout).not.toContain(plant(4));
      expect((await service.cli('query', plant(4), '--at', at)).stdout).toMatch(/ledger entry \d+/);
    });

  it('--at udp:// says why there is no entry where no service runs', async () => {
    const stopped = await SottoService.start(lab, {});
    await stopped.stop();
    const at = ['--at', `udp://${text(stage.unbound.plain)}`];
    expect(await stopped.json('query', plant(5), ...at)).toMatchObject({
      ok: true,
      ledger: { entry: null, why: expect.stringContaining('no service') },
    });
    const { stdout } = await stopped.cli('query', plant(5), ...at);
    expect(stdout).toMatch(/no service runs.*no ledger/);
  });

  it('explains a wrong name, type and server, each with code 2', async () => {
    for (const [args, says] of [
      [[`${'a'.repeat(64)}.example`], /63|label/],
      [['plant.example', 'NOTYPE'], /NOTYPE/],
      [['plant.example', 'A', '--at', 'doq://127.0.0.1'], /doq/],
      [['plant.example', 'A', '--at', 'dot://dns.example'], /dns\.example|address/],
    ] as const) {
      const { code, stderr } = await service.cli('query', ...args);
      expect(stderr).toMatch(says);
      expect(code).toBe(2);
    }
  });

  it('without a service it says so and ends with code 3', async () => {
    const stopped = await SottoService.start(lab, {});
    await stopped.stop();
    const { code, stderr } = await stopped.cli('query', plant(3));
    expect(stderr).toMatch(/not running/);
    expect(code).toBe(3);
  });
});
