/** The journal of a whole service: everything that an administrator needs, and no queried name. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeBatch, record } from '../query-log/event-record-fixture.ts';
import { dot, ServiceStage } from '../service-stage.ts';

let stage: ServiceStage;

beforeEach(() => {
  stage = new ServiceStage();
});
afterEach(() => stage.close());

const secret = 'hush.example';
const policy = {
  name: 'Example Corp',
  settings: {
    downgrade: { value: 'refuse', lock: true },
    'cache.entries': { value: secret },
  },
};

function told(): { event: string }[] {
  return stage.lines.map((line) => JSON.parse(line));
}

function untilTold(event: string, fields: object = {}): Promise<void> {
  const wanted = expect.objectContaining({ event, ...fields });
  return expect.poll(told, { timeout: 60_000 }).toContainEqual(wanted);
}

test('policies, locks, impostors, permissions, the switch and erasures are told, names never', async () => {
  const file = stage.folder.write('policy.d/corp.json', policy);
  stage.folder.write('settings.json', {
    upstreams: [dot],
    bypass: [{ suffix: secret, to: ['192.0.2.9'] }],
    systemResolvers: ['192.0.2.53'],
  });
  await stage.start();
  const service = await stage.client();
  const field = 'settings["cache.entries"].value';
  await untilTold('policy-error', { level: 'error', file, line: 9, field });
  await untilTold('policy-in-force', { file, settings: ['downgrade'], locked: ['downgrade'] });
  await untilTold('service-started');
  await untilTold('cleartext-permitted', { class: 'bypass', entry: 1, group: '' });

  await service.call('settings.set', { key: 'downgrade', value: 'fallback' });
  await untilTold('change-refused', { setting: 'downgrade', because: 'setting-locked' });

  const lastError = { code: 'certificate-name', text: `it is ${secret}` };
  stage.addon.upstreams.set('a', { state: 'resting', lastError });
  stage.addon.change();
  await untilTold('authentication-failed', { upstream: 'a', code: 'certificate-name' });
  await untilTold('protection-changed', { group: '', state: 'refusing' });
  stage.addon.upstreams.delete('a');
  stage.addon.change();
  await untilTold('authentication-restored', { upstream: 'a' });

  stage.addon.deliver(encodeBatch([record({ name: secret })]));
  await expect
    .poll(() => service.call('log.query', { name: secret, limit: 1 }), { timeout: 60_000 })
    .toMatchObject({ value: { events: [{ name: secret }] } });
  await service.call('log.clear', {});
  await untilTold('query-log-erased', { who: expect.any(String) });

  await service.call('protection.off', {});
  await untilTold('protection-switched', { to: 'off', who: expect.any(String) });
  await untilTold('cleartext-permitted', { class: 'off' });
  await service.call('protection.on', {});
  await untilTold('cleartext-ended', { class: 'off', count: 0 });

  stage.folder.write('policy.d/corp.json', '{\n"name": ');
  await untilTold('policy-error', { file, line: 2, field: '' });
  await untilTold('policy-held', { file, settings: ['downgrade'] });
  const other = stage.folder.write('policy.d/late.json', '{');
  await untilTold('policy-unread', { level: 'error', file: other });

  stage.folder.write('policy.d/corp.json', { ...policy, settings: {} });
  await untilTold('policy-error-over', { file });
  await untilTold('policy-ended', { file });
  await stage.stop();
  await untilTold('service-stopped');

  for (const { event } of told()) expect(event).toMatch(/^[a-z]+(-[a-z]+)+$/);
  expect(stage.lines.join('')).not.toContain('hush');
});
