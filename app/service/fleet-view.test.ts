/** Places for figures and queries, as settings and profiles change them while the service runs. */
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeBatch, record } from './query-log/event-record-fixture.ts';
import { dot, ServiceStage } from './service-stage.ts';

let stage: ServiceStage;
beforeEach(() => {
  stage = new ServiceStage();
});
afterEach(() => stage.close());

async function scraped(socket = 'metrics.sock'): Promise<string> {
  const sent = request({ socketPath: stage.file(socket), path: '/metrics', agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const piece of response) text += piece;
  return text;
}

const issues = () =>
  stage.running
    ?.status()
    .health.filter(({ code }) => code === 'fleet-view-stopped')
    .map(({ subject, text }) => `${subject}: ${text}`);

test('nothing is open by itself', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  await stage.start();
  const client = await stage.client();
  const shown = await client.call('settings.effective', {});
  const values = shown.ok ? shown.value.settings : [];
  for (const key of ['metrics.listen', 'metrics.collector', 'dnstap.socket'])
    expect(values.find((one) => one.key === key)).toMatchObject({ value: 'off' });
});

test('a place opens, moves and closes without a restart', async () => {
  stage.folder.write('settings.json', {
    upstreams: [dot],
    metrics: { listen: `unix:${stage.file('metrics.sock')}` },
  });
  await stage.start();
  await expect.poll(() => scraped().catch(() => '')).toContain('sotto_build_info{version=');
  const client = await stage.client();
  const set = (value: string) => client.call('settings.set', { key: 'metrics.listen', value });
  expect(await set(`unix:${stage.file('moved.sock')}`)).toMatchObject({ ok: true });
  await expect.poll(() => scraped('moved.sock').catch(() => '')).toContain('sotto_build_info');
  await expect(scraped()).rejects.toThrow('ENOENT');
  expect(await set('0.0.0.0:9653')).toMatchObject({ ok: false });
  expect(await set('off')).toMatchObject({ ok: true });
  await expect.poll(() => scraped('moved.sock').catch(() => 'gone')).toBe('gone');
});

test('a place that is taken is a health issue until the setting changes', async () => {
  stage.folder.write('taken.sock', {});
  stage.folder.write('settings.json', {
    upstreams: [dot],
    metrics: { listen: `unix:${stage.file('taken.sock')}` },
  });
  await stage.start();
  await expect
    .poll(issues)
    .toEqual([
      expect.stringMatching(/^metrics\.listen: DNS goes on.*something else than a socket/),
    ]);
  const client = await stage.client();
  await client.call('settings.set', { key: 'metrics.listen', value: 'off' });
  expect(issues()).toEqual([]);
});

test('no name, user or program of a query is in the figures', async () => {
  stage.folder.write('settings.json', {
    upstreams: [dot],
    metrics: { listen: `unix:${stage.file('metrics.sock')}` },
  });
  await stage.start();
  const told = { name: 'secret.example', user: 'anna', program: 'firefox', rule: 'corp.example' };
  const secret = record({
    ...told,
    unit: 'a.scope',
    clientAddress: '192.0.2.77',
    at: 1_767_225_600_000_000,
  });
  stage.addon.deliver(encodeBatch([secret]));
  let text = '';
  await expect
    .poll(async () => {
      text = await scraped().catch(() => '');
      return text;
    })
    .toContain('sotto_last_query_timestamp_seconds 1767225600.0');
  for (const word of [...Object.values(told), 'a.scope', '192.0.2.'])
    expect(text).not.toContain(word);
});

/** What a dnstap reader gets of these queries under each mode of the log. */
test.each([
  ['full', ['www', 'example']],
  ['domain', ['example']],
  ['counts', []],
  ['off', []],
])('a dnstap reader gets what the mode %s keeps', async (mode, labels) => {
  const got: Buffer[] = [];
  const reader = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from('000000000000000400000001', 'hex'));
      socket.on('data', (octets) => got.push(octets));
    });
    socket.on('error', () => {});
  });
  await once(reader.listen(stage.file('dnstap.sock')), 'listening');
  stage.folder.write('settings.json', {
    upstreams: [dot],
    dnstap: { socket: stage.file('dnstap.sock') },
    metrics: { listen: `unix:${stage.file('metrics.sock')}` },
    queryLog: { mode },
  });
  await stage.start();
  await expect.poll(() => got.length, { message: 'START came' }).toBe(1);
  const client = await stage.client();
  stage.addon.deliver(encodeBatch([record({ name: 'www.a.example' })]));
  await expect
    .poll(async () => {
      const stats = await client.call('stats.get', {});
      return stats.ok && stats.value.tally?.queries;
    })
    .toBe(1);
  await expect
    .poll(() => scraped())
    .toContain(`sotto_dnstap_frames_total ${labels.length > 0 ? '1.0' : '0.0'}\n`);
  const frames = () => Buffer.concat(got.slice(1)).toString('latin1');
  await expect
    .poll(() => ['www', 'example'].filter((label) => frames().includes(label)))
    .toEqual(labels);
  await stage.stop();
  reader.close();
});
