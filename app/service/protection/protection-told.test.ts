/** Protection through the whole service: from the engine to the socket, and from a person to the engine. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { dot, failing, ServiceStage } from '../service-stage.ts';
import { openLedger } from './ledger.ts';

let stage: ServiceStage;

beforeEach(() => {
  stage = new ServiceStage();
});
afterEach(() => stage.close());

test('off, pause and on through the socket, with the ledger telling it', async () => {
  stage.folder.write('settings.json', { upstreams: [dot], systemResolvers: ['192.0.2.53'] });
  await stage.start();
  const service = await stage.client();
  expect(await service.call('protection.off', {})).toMatchObject({
    value: { protection: { state: 'off' }, clear: [{ class: 'off', count: 0, closed: null }] },
  });
  stage.addon.sent.set(1, 2);
  expect(await service.call('status.get', {})).toMatchObject({ value: { clear: [{ count: 2 }] } });
  expect(await service.call('protection.pause', { minutes: 5 })).toMatchObject({
    value: { protection: { state: 'paused' } },
  });
  expect(await service.call('protection.on', {})).toMatchObject({
    value: { protection: { state: 'starting', upstream: 'a' }, clear: [] },
  });
  const ledger = await service.call('ledger.list', { limit: 10 });
  expect(
    ledger.ok &&
      ledger.value.entries.map((entry) => [entry.class, entry.count, entry.closed !== null]),
  ).toEqual([
    ['paused', 0, true],
    ['off', 2, true],
  ]);
});

test('followers get the snapshot, then what changes', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  await stage.start();
  const service = await stage.client();
  const changed = new Promise<ServiceStatus>((resolve) => {
    service.on('status.changed', (status) => {
      if (status.protection.state === 'refusing') resolve(status);
    });
  });
  expect(await service.call('status.follow', {})).toMatchObject({
    value: { protection: { state: 'starting' } },
  });
  stage.addon.upstreams.set('a', {
    state: 'resting',
    lastError: { code: 'certificate-name', text: 'wrong name' },
  });
  stage.addon.change();
  expect(await changed).toMatchObject({
    protection: { state: 'refusing', why: 'a: wrong name.' },
    health: [{ code: 'no-private-path' }, { code: 'certificate-wrong', subject: 'a' }],
  });
});

test('under fallback the lease follows what the engine says, not the clock', async () => {
  stage.folder.write('settings.json', { upstreams: [dot], downgrade: 'fallback' });
  await stage.start();
  const service = await stage.client();
  const opened = new Promise((resolve) => service.on('ledger.changed', resolve));
  await service.call('ledger.follow', { limit: 1 });
  stage.addon.upstreams.set('a', failing);
  stage.addon.holding = 1;
  const leased = new Promise((resolve) => {
    stage.addon.onApply = ({ leases }) =>
      leases.length > 0 && resolve(stage.running?.status().clear);
  });
  stage.addon.change();
  expect(await leased).toMatchObject([{ class: 'policy', closed: null }]);
  expect(await opened).toMatchObject({ id: 1, class: 'policy', count: 0 });
  await expect
    .poll(() => service.call('status.get', {}))
    .toMatchObject({
      value: {
        protection: { state: 'exposed' },
        groups: [{ policy: 'fallback', why: 'your settings' }],
        health: [{ code: 'exposed' }],
      },
    });
});

test('under warn a person is asked through the contract, and answers', async () => {
  stage.folder.write('settings.json', { upstreams: [dot], downgrade: 'warn' });
  stage.addon.upstreams.set('a', failing);
  await stage.start();
  const service = await stage.client();
  const status = await service.call('status.get', {});
  if (!status.ok) throw new Error(status.failure.message);
  const [request] = status.value.consentRequests;
  expect(status.value).toMatchObject({
    protection: { state: 'asking' },
    health: [
      { code: 'asking', text: expect.stringContaining(`sotto consent allow ${request?.id}`) },
    ],
  });
  expect(await service.call('consent.allow', { id: request?.id ?? '', minutes: 5 })).toMatchObject({
    value: { state: 'allowed' },
  });
  expect(await service.call('ledger.list', { limit: 9, class: 'policy' })).toMatchObject({
    value: { entries: [{ closed: null, who: expect.stringMatching(/./) }] },
  });
  expect(await service.call('consent.deny', { id: 'none' })).toMatchObject({
    failure: { code: 'unknown-consent-request' },
  });
});

test('a server that stopped speaking TLS is told as what it may be', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  await stage.start();
  const service = await stage.client();
  const { network } = stage.running?.status() ?? { network: { id: '' } };
  stage.addon.upstreams.set('a', failing);
  stage.addon.downgradeEvidence = [
    {
      upstream: 'a',
      address: '192.0.2.1:853',
      network: network.id,
      what: 'tls-refused',
      text: '',
      first: 1,
      last: 1,
      count: 1,
    },
  ];
  expect(await service.call('status.get', {})).toMatchObject({
    value: {
      health: [
        { code: 'no-private-path' },
        {
          code: 'downgrade-attempt',
          subject: 'a',
          text: expect.stringMatching(
            /refused TLS at .* Nothing was sent in cleartext; queries are refused/,
          ),
        },
      ],
    },
  });
});

test('what a killed service had counted is in the ledger before the engine begins', async () => {
  stage.folder.write('settings.json', {
    upstreams: [dot],
    bypass: [{ suffix: 'corp.example', to: ['192.0.2.9'] }],
  });
  const ledger = openLedger(stage.file('ledger.sqlite'), () => 1);
  ledger.open({
    class: 'bypass',
    network: 'none',
    networkLabel: '',
    group: '',
    rule: 'corp.example',
    reason: '',
    who: '',
    until: null,
  });
  ledger.release();
  const counts = Buffer.alloc(40);
  counts.writeBigUInt64LE(1n, 0);
  counts.writeBigUInt64LE(21n, 8);
  writeFileSync(stage.file('leases.counts'), counts);
  await stage.start();
  expect(await (await stage.client()).call('ledger.list', { limit: 9 })).toMatchObject({
    value: {
      entries: [
        { id: 2, closed: null },
        { id: 1, count: 21, closed: 'interrupted' },
      ],
    },
  });
  expect(stage.running?.status().health).toMatchObject([{ code: 'counts-incomplete' }]);
});

test('networks answer, and say why they are not told apart where they are not', async () => {
  const { NetworkWatch: _, ...addon } = stage.addon;
  const started = await stage.attempt(addon as typeof stage.addon);
  if (!started.ok) throw new Error(started.failure.message);
  stage.running = started.value;
  expect(await (await stage.client()).call('network.list', {})).toMatchObject({
    value: { unavailable: expect.stringMatching(/./) },
  });
});
