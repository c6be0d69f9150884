/** Settings with mistakes are refused with path and reason at the start, and have no effect while running. */
import { writeFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { freePort } from '../rig/ports.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

const far =
  '{ "id": "far", "transport": "dot", "address": "127.0.0.1:853", "name": "dns.example" }';

const mistakes: { title: string; file: string; says: RegExp[] }[] = [
  { title: 'no JSON', file: '{ "listen": [', says: [/settings\.json/, /line 1|1:\d+|column/i] },
  { title: 'an unknown field', file: '{ "lisen": [] }', says: [/lisen/] },
  { title: 'an unknown field within', file: '{ "cache": { "size": 1 } }', says: [/cache/, /size/] },
  {
    title: 'a duplicate key',
    file: '{ "downgrade": "refuse", "downgrade": "refuse" }',
    says: [/downgrade/, /twice|duplicate|again/i],
  },
  {
    title: 'a wrong type',
    file: '{ "cache": { "entries": "many" } }',
    says: [/cache\.entries/, /number/],
  },
  {
    title: 'a policy that is not there',
    file: '{ "downgrade": "ask" }',
    says: [/downgrade/, /ask/, /refuse/, /fallback/],
  },
  {
    title: 'an unknown transport',
    file: '{ "upstreams": [{ "id": "a", "transport": "doq", "address": "192.0.2.1", "name": "a.example" }] }',
    says: [/upstreams\[0\]\.transport/, /doq/],
  },
  {
    title: 'a name to check where nothing can be checked',
    file: '{ "upstreams": [{ "id": "a", "transport": "udp", "address": "192.0.2.1", "name": "a.example" }] }',
    says: [/upstreams\[0\]\.name/, /no TLS/],
  },
  {
    title: 'a host name as address',
    file: '{ "upstreams": [{ "id": "a", "transport": "dot", "address": "dns.example", "name": "dns.example" }] }',
    says: [/upstreams\[0\]\.address/, /dns\.example/],
  },
  {
    title: 'a CA file that is not there',
    file: `{ "upstreams": [${far.replace('}', ', "ca": "missing.pem" }')}] }`,
    says: [/upstreams\[0\]\.ca/, /missing\.pem/],
  },
  {
    title: 'an invalid pin',
    file: `{ "upstreams": [${far.replace('}', ', "pins": ["abc"] }')}] }`,
    says: [/upstreams\[0\]\.pins\[0\]/, /abc/],
  },
  {
    title: 'two upstreams of one id',
    file: `{ "upstreams": [${far}, ${far}] }`,
    says: [/upstreams\[1\]\.id/, /far/],
  },
  {
    title: 'a bypass of a public suffix',
    file: '{ "bypass": [{ "suffix": "com", "to": ["192.0.2.1"] }] }',
    says: [/bypass\[0\]\.suffix/, /com/, /downgrade/],
  },
  {
    title: 'a bypass of everything',
    file: '{ "bypass": [{ "suffix": ".", "to": ["192.0.2.1"] }] }',
    says: [/bypass\[0\]\.suffix/, /root/],
  },
  {
    title: 'itself as upstream',
    file: '{ "listen": ["127.0.0.1:5399"], "bypass": [{ "suffix": "corp.example", "to": ["127.0.0.1:5399"] }] }',
    says: [/bypass\[0\]\.to\[0\]/, /itself/],
  },
];

describeWith(['sotto'], 'the service does not start with', () => {
  const lab = labForFile();
  for (const { title, file, says } of mistakes) {
    it(title, async () => {
      const { code, stderr, stdout } = await SottoService.startInVain(lab, file);
      expect(code).toBe(2);
      for (const reason of says) expect(stderr + stdout).toMatch(reason);
    });
  }

  it('an address that is taken', async () => {
    const first = await SottoService.start(lab, {});
    const { code, stderr, stdout } = await SottoService.startInVain(
      lab,
      JSON.stringify({ listen: [`127.0.0.1:${first.port}`] }),
    );
    expect(code).not.toBe(0);
    expect(stderr + stdout).toContain(`127.0.0.1:${first.port}`);
    expect(stderr + stdout).toMatch(/taken by another program/);
    await first.stop();
  });
});

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'while it runs', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  const good = () => ({ upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))] });
  beforeAll(async () => {
    stage = await openStage(lab);
    service = await SottoService.start(lab, good());
  });

  const invalidIssue = async () =>
    (await service.status()).health.find(({ code }) => code === 'settings-invalid');

  it('a mistake changes nothing, is shown with its path, and disappears when it is corrected', async () => {
    const before = (await service.status()).listening;
    await service.writeSettings('{ "listen": ["127.0.0.1:1"], "cache": { "entries": -1 } }');
    const issue = await eventually('the mistake is a health issue', invalidIssue);
    expect(issue.text).toMatch(/cache\.entries/);
    expect((await service.status()).listening).toEqual(before);
    expect((await digInTime(service.v4, plant(1))).status).toBe('NOERROR');
    await service.apply(good());
    await eventually('the issue is gone', async () => (await invalidIssue()) === undefined);
  });

  it('an address that is taken leaves the old ones in force', async () => {
    const listen = [`127.0.0.1:${service.port}`, `127.0.0.1:${stage.nsd.plain.port}`];
    await service.writeSettings(JSON.stringify({ ...good(), listen }));
    await eventually('the failure is a health issue', async () => {
      const { health } = await service.status();
      return health.some(({ text }) => text.includes(String(stage.nsd.plain.port)));
    });
    expect((await digInTime(service.v6, plant(2))).status).toBe('NOERROR');
    await service.apply(good());
  });

  it('it listens on a new address and closes the old one', async () => {
    const port = await freePort();
    await service.writeSettings(JSON.stringify({ ...good(), listen: [`127.0.0.1:${port}`] }));
    await eventually('the new address answers', async () => {
      return (await dig({ address: '127.0.0.1', port }, plant(3))).status === 'NOERROR';
    });
    await eventually(
      'it is the only one',
      async () => (await service.status()).listening.length === 1,
    );
    await expect.poll(() => dig(service.v4, plant(3)).catch(String)).toMatch(/refused|no servers/i);
    await service.apply(good());
  });

  it('a setting that protects less has a line in "sotto status" as long as it is in force', async () => {
    const [far] = good().upstreams;
    const loose = { allowPrivate: ['nas.example'], forwardSpecial: ['test'], downgrade: 'warn' };
    await service.apply({ upstreams: [{ ...far, id: 'early', earlyData: true }], ...loose });
    const { stdout } = await service.cli('status');
    expect(stdout).toMatch(/^Looser +"allowPrivate" for 1 name: /m);
    expect(stdout).toMatch(/^ +"forwardSpecial" for 1 name: /m);
    expect(stdout).toMatch(/^ +"earlyData" for 1 upstream: /m);
    expect(stdout).toMatch(/^Policy +warn, .*, anyone who controls Sotto may allow it, /m);
    await service.apply(good());
    expect((await service.cli('status')).stdout).not.toMatch(/^Looser/m);
  });

  it('"sotto config check" finds the same mistake in a file', async () => {
    const file = `${service.home}/draft.json`;
    await writeFile(file, '{ "cache": { "entries": -1 } }');
    const { code, stdout, stderr } = await service.cli('config', 'check', file);
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(/cache\.entries/);
  });
});
