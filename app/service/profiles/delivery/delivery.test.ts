/** Later versions of a profile, from a real HTTPS server, a file and a folder. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { trusting } from '../../base/trusted-authorities.ts';
import type { Enrolment } from '../enrolment.ts';
import { fingerprintOf, writePublicKey } from '../minisign.ts';
import { mostProfileOctets } from '../profile-file.ts';
import { ProfileStage, type SignedVersion } from '../profile-stage.ts';
import { makeSecretKey, publicKeyOf } from '../secret-key.ts';
import { startDelivery } from './delivery.ts';
import { fetchSource } from './fetch-source.ts';
import { readFolder } from './read-folder.ts';

const refuse = { downgrade: { value: 'refuse', lock: 'locked' } };

let stage: ProfileStage;

beforeEach(() => {
  stage = new ProfileStage();
});
afterEach(() => stage.close());

const fingerprint = () => fingerprintOf(publicKeyOf(stage.key));

function put(file: string, { profile, signature }: SignedVersion): string {
  const path = stage.file(file);
  writeFileSync(path, Buffer.from(profile, 'base64'));
  writeFileSync(`${path}.minisig`, signature);
  return pathToFileURL(path).href;
}

const enrolFrom = (source: string, more: object = {}) =>
  stage.service.call('profile.enrol', { source, fingerprint: fingerprint(), grants: [], ...more });

describe('from a file', () => {
  async function enrolled(): Promise<void> {
    await stage.startWith();
    const source = put('corp.json', stage.signed(1, refuse));
    writeFileSync(stage.file('corp.json.pub'), writePublicKey(publicKeyOf(stage.key)));
    expect(await enrolFrom(source)).toMatchObject({ value: { profile: { serial: 1, source } } });
  }
  const look = () => stage.service.call('profile.update', {});
  const delivered = async () => {
    const shown = await stage.service.call('profile.show', {});
    return shown.ok ? shown.value : null;
  };

  test('a later version comes, also after a restart', async () => {
    await enrolled();
    put('corp.json', stage.signed(2, { ...refuse, 'cache.entries': { value: 9 } }));
    expect(await look()).toMatchObject({ value: { profile: { serial: 2 } } });
    expect(await stage.inForce('cache.entries')).toMatchObject({ value: 9 });
    await stage.stop();
    put('corp.json', stage.signed(3, refuse));
    await stage.begin();
    expect(await look()).toMatchObject({ value: { profile: { serial: 3 } } });
    expect(await look()).toMatchObject({ value: { profile: { serial: 3 } } });
    expect(await delivered()).toMatchObject({ delivery: { problem: null, isRefused: false } });
  });

  test('what is not signed as it must be is refused, told, and changes nothing', async () => {
    await enrolled();
    put('corp.json', stage.signed(2, {}, {}, makeSecretKey()));
    expect(await look()).toMatchObject({ failure: { code: 'profile-refused' } });
    expect(await delivered()).toMatchObject({
      profile: { serial: 1 },
      delivery: { isRefused: true, problem: expect.stringContaining('another key') },
    });
    const status = await stage.service.call('status.get', {});
    expect(status).toMatchObject({
      value: {
        health: expect.arrayContaining([expect.objectContaining({ code: 'profile-undelivered' })]),
      },
    });
    put('corp.json', stage.signed(2, refuse));
    expect(await look()).toMatchObject({ ok: true });
    expect(await stage.service.call('status.get', {})).toMatchObject({
      value: {
        health: expect.not.arrayContaining([
          expect.objectContaining({ code: 'profile-undelivered' }),
        ]),
      },
    });
  });

  test('who leaves hears no more of the source', async () => {
    await enrolled();
    put('corp.json', stage.signed(2, {}, {}, makeSecretKey()));
    await look();
    await stage.service.call('profile.leave', {});
    expect(await delivered()).toEqual({ profile: null, delivery: null });
    const status = await stage.service.call('status.get', {});
    expect(status).toMatchObject({
      value: {
        health: expect.not.arrayContaining([
          expect.objectContaining({ code: 'profile-undelivered' }),
        ]),
      },
    });
  });

  test('errors in single keys of a version are told', async () => {
    await enrolled();
    put('corp.json', stage.signed(2, { ...refuse, 'cache.entries': { value: -1 } }));
    expect(await look()).toMatchObject({
      value: { problems: [expect.stringContaining('cache.entries')] },
    });
  });

  test('a file that is gone is told, and the version before holds', async () => {
    await enrolled();
    put('corp.json', stage.signed(0, {}));
    expect(await look()).toMatchObject({ failure: { message: expect.stringContaining('serial') } });
    mkdirSync(stage.file('folder.json'));
    execFileSync('rm', [stage.file('corp.json')]);
    expect(await look()).toMatchObject({ failure: { code: 'profile-unreachable' } });
    expect(await stage.inForce('downgrade')).toMatchObject({ locked: true });
  });

  test('another fingerprint than that of the key enrols nothing', async () => {
    await stage.startWith();
    const source = put('corp.json', stage.signed(1, refuse));
    writeFileSync(stage.file('corp.json.pub'), writePublicKey(publicKeyOf(makeSecretKey())));
    execFileSync('rm', [stage.file('corp.json')]);
    expect(await enrolFrom(source)).toMatchObject({
      failure: { code: 'fingerprint-differs', message: expect.stringContaining('fingerprint') },
    });
    expect(await delivered()).toMatchObject({ profile: null, delivery: null });
  });

  test('a machine whose versions somebody brings has no source to look at', async () => {
    await stage.startWith();
    expect(await look()).toMatchObject({ failure: { code: 'no-profile' } });
    await stage.enrol(stage.signed(1, refuse));
    expect(await look()).toMatchObject({ failure: { code: 'profile-unreachable' } });
  });
});

test('of a folder the newest version comes that is for this machine', async () => {
  await stage.startWith();
  mkdirSync(stage.file('drop'));
  put('drop/1.json', stage.signed(1, refuse));
  const key = writePublicKey(publicKeyOf(stage.key));
  const source = `${pathToFileURL(stage.file('drop')).href}/`;
  expect(await enrolFrom(source, { key })).toMatchObject({ value: { profile: { serial: 1 } } });
  put('drop/2.json', stage.signed(2, refuse));
  put('drop/3.json', stage.signed(3, refuse, { rollout: { ring: 'canary' } }));
  put('drop/4.json', stage.signed(9, {}, {}, makeSecretKey()));
  writeFileSync(stage.file('drop/5.json'), 'it has no signature');
  expect(await stage.service.call('profile.update', {})).toMatchObject({
    value: { profile: { serial: 2 } },
  });
});

describe('a folder into which anybody may write', () => {
  const drop = async () => {
    await stage.startWith();
    mkdirSync(stage.file('drop'));
    put('drop/1.json', stage.signed(1, refuse));
    const key = writePublicKey(publicKeyOf(stage.key));
    const source = `${pathToFileURL(stage.file('drop')).href}/`;
    expect(await enrolFrom(source, { key })).toMatchObject({ value: { profile: { serial: 1 } } });
  };
  const look = () => stage.service.call('profile.update', {});
  /** By this process, as the kernel counts. */
  const octetsRead = () =>
    Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1]);
  const shown = () => stage.service.call('profile.show', {});
  const noted = (word: string) => stage.lines.filter((line) => line.includes(`"${word}"`));

  test('costs no more than a few versions, however many and large they are', async () => {
    await drop();
    const { signature } = stage.signed(9, {});
    for (let n = 0; n < 40; n += 1) {
      writeFileSync(stage.file(`drop/x${n}.json`), '');
      truncateSync(stage.file(`drop/x${n}.json`), mostProfileOctets);
      writeFileSync(stage.file(`drop/x${n}.json.minisig`), signature);
    }
    const before = octetsRead();
    expect(await readFolder(stage.file('drop'), [stage.publicKey()])).toMatchObject({
      ok: true,
      value: {
        versions: [],
        refused: expect.arrayContaining([
          expect.objectContaining({
            failure: expect.objectContaining({ code: 'profile-refused' }),
          }),
        ]),
      },
    });
    expect(octetsRead() - before).toBeLessThan(16 * mostProfileOctets);
    expect(octetsRead() - before, 'they were looked at').toBeGreaterThan(mostProfileOctets);
  });

  test('a version of another key is not even read', async () => {
    await drop();
    const { signature } = stage.signed(9, {}, {}, makeSecretKey());
    writeFileSync(stage.file('drop/9.json'), Buffer.alloc(mostProfileOctets));
    writeFileSync(stage.file('drop/9.json.minisig'), signature);
    const before = octetsRead();
    expect(await readFolder(stage.file('drop'), [stage.publicKey()])).toMatchObject({
      value: {
        versions: [stage.signed(1, refuse)],
        refused: [{ failure: { message: expect.stringContaining('another key') } }],
      },
    });
    expect(octetsRead() - before).toBeLessThan(mostProfileOctets);
  });

  test('pipes, devices and folders are not waited for, and are told', async () => {
    await drop();
    const { signature } = stage.signed(9, {});
    execFileSync('mkfifo', [stage.file('drop/2.json')]);
    symlinkSync('/dev/zero', stage.file('drop/3.json'));
    mkdirSync(stage.file('drop/4.json'));
    for (const n of [2, 3, 4]) writeFileSync(stage.file(`drop/${n}.json.minisig`), signature);
    execFileSync('mkfifo', [stage.file('drop/5.json.minisig')]);
    writeFileSync(stage.file('drop/5.json'), '');
    expect(await look()).toMatchObject({ value: { profile: { serial: 1 } } });
    expect(await shown()).toMatchObject({
      value: {
        delivery: {
          isRefused: true,
          problem: expect.stringMatching(/[234]\.json: it is (not )?a/),
        },
      },
    });
  });

  test('what was changed reaches the journal once, also beside a version that is right', async () => {
    await drop();
    put('drop/2.json', { ...stage.signed(2, {}), signature: stage.signed(3, {}).signature });
    for (let time = 0; time < 3; time += 1) await look();
    expect(noted('profile-refused')).toEqual([
      expect.stringMatching(/"by":"delivery".*2\.json: it is not what was signed/),
    ]);
  });

  test('a version for another ring is told by status, update and journal', async () => {
    await drop();
    put('drop/2.json', stage.signed(2, refuse, { rollout: { ring: 'canary' } }));
    const notYet = 'it is for the ring "canary", and this machine is in none';
    expect(await look()).toMatchObject({ value: { profile: { serial: 1 }, notYet } });
    await look();
    expect(await shown()).toMatchObject({ value: { delivery: { problem: null, notYet } } });
    expect(noted('profile-not-yet')).toHaveLength(1);
  });
});

describe('over HTTPS', () => {
  async function serve(answer: RequestListener) {
    const [key, cert] = [stage.file('tls.key'), stage.file('tls.pem')];
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const named = ['-subj', '/CN=it.example', '-addext', 'subjectAltName=DNS:it.example'];
    execFileSync('openssl', [...made, '-nodes', '-keyout', key, '-out', cert, ...named], {
      stdio: 'ignore',
    });
    const pem = readFileSync(cert);
    const server = createServer({ key: readFileSync(key), cert: pem }, answer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const fetching = (host: string, trusted = trusting(() => [`${pem}`])) => ({
      source: new URL(`https://${host}:${port}/corp.json`),
      resolve: async () => ['127.0.0.1'],
      signal: new AbortController().signal,
      postQuantum: 'prefer' as const,
      trusted,
    });
    return fetching;
  }
  const version: RequestListener = (request, response) => {
    const { profile, signature } = stage.signed(1, refuse);
    if (request.url?.endsWith('.minisig')) return response.end(signature);
    if (request.headers['if-none-match'] === '"1"') return response.writeHead(304).end();
    return response.setHeader('ETag', '"1"').end(Buffer.from(profile, 'base64'));
  };

  test('a version comes once, and not again while its tag is the same', async () => {
    const fetching = await serve(version);
    const found = await fetchSource(fetching('it.example'), null, []);
    expect(found).toMatchObject({ value: { versions: [stage.signed(1, refuse)], tag: '"1"' } });
    expect(await fetchSource(fetching('it.example'), '"1"', [])).toEqual({ ok: true, value: null });
  });

  test('neither another name nor another authority is taken', async () => {
    const fetching = await serve(version);
    for (const wrong of [
      fetching('other.example'),
      fetching(
        'it.example',
        trusting(() => []),
      ),
    ])
      expect(await fetchSource(wrong, null, [])).toMatchObject({
        failure: { code: 'profile-unreachable' },
      });
  });

  test.each<[string, RequestListener, RegExp]>([
    ['leads elsewhere', (_, r) => r.writeHead(302, { location: 'http://x/' }).end(), /redirects/],
    ['has no such page', (_, r) => r.writeHead(404).end(), /404/],
    ['says unchanged where nothing was asked', (_, r) => r.writeHead(304).end(), /304/],
    ['closes', (_, r) => void r.socket?.destroy(), /corp\.json/],
  ])('a server that %s is told', async (_how, answer, message) => {
    const fetching = await serve(answer);
    expect(await fetchSource(fetching('it.example'), null, [])).toMatchObject({
      failure: { code: 'profile-unreachable', message: expect.stringMatching(message) },
    });
  });

  test('a profile without end is cut off', async () => {
    const endless: RequestListener = (_, response) => {
      const piece = Buffer.alloc(1_048_576);
      const more = () => {
        while (response.write(piece));
      };
      response.on('drain', more);
      more();
    };
    const fetching = await serve(endless);
    expect(await fetchSource(fetching('it.example'), null, [])).toMatchObject({
      failure: { code: 'profile-refused', message: expect.stringContaining('octets') },
    });
  });
});

describe('the time of the next look', () => {
  const minute = 60_000;
  /** When it is looked, in milliseconds after the one before; in the middle of what chance may make of it. */
  function looksAt(source: string) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const looked = vi.fn();
    const enrolment = { source, address: null, key: '', nextKey: null, serial: 1 } as Enrolment;
    const delivery = startDelivery({
      enrolled: () => enrolment,
      update: async () => ({ ok: true, value: { problems: [] } }),
      refused() {},
      looked() {},
      fetching(from, _address, signal) {
        looked();
        return { source: new URL(from), resolve: async () => [], signal, postQuantum: 'prefer' };
      },
      now: Date.now,
      onChange() {},
      onBug(error) {
        throw error;
      },
      random: () => 0.5,
    });
    onTestFinished(() => delivery.end());
    return async (afterMs: number) => {
      looked.mockClear();
      vi.advanceTimersByTime(afterMs - 1);
      expect(looked).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(looked).toHaveBeenCalledOnce();
      await delivery.look();
    };
  }

  test('is soon after the start, and a minute later for a file', async () => {
    mkdirSync(stage.file('empty'));
    const looks = looksAt(`${pathToFileURL(stage.file('empty')).href}/`);
    await looks(5_000);
    await looks(minute);
    await looks(minute);
  });

  test('comes later after each failure, up to an hour', async () => {
    const looks = looksAt('https://it.example/corp.json');
    await looks(5_000);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) await looks(minutes * minute);
  });
});
