/**
 * A server that takes no client without a certificate: OpenSSL's TLS, by socat, in front of unbound. The identity comes from a
 * PKCS#12 file by the real command, is shown on the TLS port and after STARTTLS, and nothing is asked without it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith, locate } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { StarttlsShim } from '../rig/peers/starttls-shim.ts';
import { freePort } from '../rig/ports.ts';
import { Program, succeed } from '../rig/process.ts';
import type { Endpoint } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant, plantAddress, plantCount } from '../rig/zones/garden.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

const password = 'correct horse';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig', 'socat'], 'a client identity', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  /** for each version of TLS */
  let doors: Endpoint[];
  let laptop: Identity;
  let stranger: Identity;

  beforeAll(async () => {
    stage = await openStage(lab);
    const holder = { for: ['DNS:laptop-7.corp.example'], client: true };
    laptop = await stage.ca.issue(holder);
    stranger = await (await CertificateAuthority.create(lab)).issue(holder);
    doors = [await openDoor('TLS1.2'), await openDoor('TLS1.3')];
    for (const [name, one] of Object.entries({ laptop, stranger }))
      await succeed(locate('openssl'), [
        ...['pkcs12', '-export', '-inkey', one.key, '-in', one.certificate],
        ...['-out', join(lab.directory, `${name}.p12`), '-passout', `pass:${password}`],
      ]);
    writeFileSync(join(lab.directory, 'password'), password);
  });

  beforeEach(async () => {
    service = await SottoService.start(lab, settings([to(doors[1] as Endpoint)]));
    return async () => void (await service.stop());
  });

  /** Without a cache, so that every response is one of the server. */
  const settings = (upstreams: object[]) => ({ upstreams, cache: { entries: 0 } });

  async function openDoor(version: string): Promise<Endpoint> {
    const port = await freePort();
    const { certificate, key } = stage.identity;
    const listen = [
      `OPENSSL-LISTEN:${port}`,
      'bind=127.0.0.1,reuseaddr,fork,verify=1',
      `min-version=${version},max-version=${version}`,
      `cert=${certificate},key=${key},cafile=${stage.ca.certificate}`,
    ].join(',');

    const { address, port: plain } = stage.unbound.plain;
    const program = lab.adopt(
      await Program.start(locate('socat'), [listen, `TCP:${address}:${plain}`]),
    );
    await program.ready(() => opens(port));
    return { address: '127.0.0.1', port };
  }

  const opens = (port: number) =>
    new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => done(true));
      socket.on('error', () => done(false)).once('connect', () => socket.destroy());
    });

  const to = (door: Endpoint, transport: 'dot' | 'tdns' = 'dot', identity?: string) => ({
    ...upstream('office', transport, door, trusting(stage)),
    ...(identity === undefined ? {} : { identity }),
  });

  const identities = (...words: string[]) => service.cli('upstream', 'identities', ...words);

  const add = (name: string, file: string) =>
    identities(
      ...['add', name, join(lab.directory, file)],
      ...['--password-file', join(lab.directory, 'password')],
    );

  let asked = 0;
  async function answered() {
    asked = (asked + 1) % plantCount;
    const name = plant(asked);
    const { status, answers } = await dig(service.v4, name);
    return { isRight: status === 'NOERROR' && answers[0] === `A ${plantAddress(asked)}`, name };
  }

  async function cause(): Promise<string | undefined> {
    await answered();
    return (await service.status()).upstreams[0]?.lastError?.code;
  }

  const issues = async () =>
    (await service.status()).health.map(({ code, subject }) => `${code} ${subject}`);

  it('opens the TLS port and STARTTLS, in both versions of TLS', async () => {
    expect((await add('corp', 'laptop.p12')).stdout).toMatch(
      /^corp is added\n {2}CN=lab, from CN=Lab CA\n {2}P-256, valid until 20/,
    );
    for (const door of doors)
      for (const transport of ['dot', 'tdns'] as const) {
        const server = transport === 'dot' ? door : (await StarttlsShim.start(lab, door)).endpoint;
        await service.apply(settings([to(server, transport, 'corp')]));
        const name = await eventually(`${transport} at ${door.port}`, async () => {
          const asked = await answered();
          return asked.isRight && asked.name;
        });
        await expect
          .poll(() => service.logged(name))
          .toMatchObject({ outcome: 'forwarded', transport });
      }
    await expect.poll(async () => (await service.cli('upstream', 'test', 'office')).code).toBe(0);
  });

  it('is needed there: the cause is told where there is none, a wrong one, or none that is known', async () => {
    for (const door of doors) {
      await service.apply(settings([to(door)]));
      await expect.poll(cause).toBe('identity-wanted');
      await service.apply(settings([to(door, 'dot', 'nobody')]));
      await expect.poll(cause).toBe('identity-missing');
      expect((await add('other', 'stranger.p12')).code).toBe(0);
      await service.apply(settings([to(door, 'dot', 'other')]));
      await expect.poll(cause).toBe('identity-refused');
    }
    await expect.poll(issues).not.toContainEqual(expect.stringContaining('identity-unusable'));
  });

  it('comes and is renewed while the service runs, and is there after a crash', async () => {
    await service.apply(settings([to(doors[1] as Endpoint, 'dot', 'corp')]));
    await expect.poll(cause).toBe('identity-missing');
    await expect.poll(issues).toContain('identity-unusable corp');
    await add('corp', 'stranger.p12');
    await expect.poll(cause).toBe('identity-refused');
    expect((await add('corp', 'laptop.p12')).stdout).toContain('corp is renewed');
    await eventually('it answers', async () => (await answered()).isRight);
    await service.kill();
    await service.restart();
    await eventually('it answers again', async () => (await answered()).isRight);
    expect((await identities('list')).stdout).toContain('named by office');
    expect((await identities('remove', 'corp')).stderr).toContain(
      'corp identifies this machine to office',
    );
    await service.apply(settings([to(doors[1] as Endpoint)]));
    expect((await identities('remove', 'corp')).stdout).toContain('corp is removed');
    expect((await identities('list')).stdout).toBe('this machine has no client identity\n');
  });

  it('leaves its key nowhere but in its file', async () => {
    await add('corp', 'laptop.p12');
    await service.apply(settings([to(doors[1] as Endpoint, 'dot', 'corp')]));
    await eventually('it answers', async () => (await answered()).isRight);
    const kept = readFileSync(join(service.home, 'identities', 'corp.pem'), 'utf8');
    const [, secret = ''] = kept.split('\n');
    const told = await Promise.all([
      service.cli('status', '--json'),
      service.cli('config', 'show', '--json'),
      service.cli('report'),
      identities('list', '--json'),
    ]);
    const all = `${JSON.stringify(told)}${service.transcript()}`;
    expect(all).toContain('corp');
    expect(all).not.toContain(secret);
    expect((await add('corp', 'no-such-file.p12')).stderr).toContain("can't read");
  });
});
