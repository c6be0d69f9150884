import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Helper, helperAt } from './helper.ts';
import { throughHelper } from './through-helper.ts';

const link = { index: 2, name: 'eth0' };
const held = {
  mechanism: 'networkd',
  link,
  servers: [{ address: '127.0.0.1', port: 53 }],
  since: 7,
  inPlace: null,
  givingBack: false,
  before: {
    servers: [
      { address: '192.0.2.1', port: null },
      { address: '2001:db8::1', port: 5353 },
    ],
    search: ['Corp.Example.'],
    routed: ['.'],
  },
};

/** A helper that answers each request with the next of these, and the requests that it received. */
async function answering(...answers: string[]): Promise<{ helper: Helper; asked: unknown[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-helper-'));
  const path = join(folder, 'helper.sock');
  const asked: unknown[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (octets) => {
      asked.push(JSON.parse(octets.toString()));
      socket.end(answers.shift() ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });
  return { helper: helperAt(path), asked };
}

const line = (reply: object) => `${JSON.stringify(reply)}\n`;

test('what is held is read with what was there before, of its own mechanism alone', async () => {
  const file = { ...held, mechanism: 'file', link: null };
  const { helper } = await answering(line({ ok: { held: [held, file] } }));
  const mechanism = throughHelper(helper, 'resolved', () => ({ verb: 'flush' }));
  expect(await mechanism.holdings()).toEqual({
    ok: true,
    value: [
      {
        link,
        servers: held.servers,
        search: null,
        since: 7,
        inPlace: null,
        before: {
          servers: ['192.0.2.1:53', '[2001:db8::1]:5353'],
          domains: [
            { name: 'corp.example', routeOnly: false },
            { name: '', routeOnly: true },
          ],
        },
      },
    ],
  });
});

test('what can not be given back is a failure with the words of the system', async () => {
  const failed = { code: 'read-only', message: 'it is mounted read-only', remedy: 'remount it' };
  const { helper, asked } = await answering(
    line({ ok: { given: [], kept: [{ mechanism: 'file', link: null, failed }] } }),
  );
  const mechanism = throughHelper(helper, 'file', () => ({ verb: 'flush' }));
  expect(await mechanism.giveBack(null)).toMatchObject({
    failure: { code: 'helper-refused', message: failed.message, remedy: failed.remedy },
  });
  expect(asked).toEqual([{ verb: 'give-back', only: { mechanism: 'file' } }]);
});

test('only systemd-resolved is told to forget answers', async () => {
  const { helper, asked } = await answering(line({ ok: { flushed: true } }));
  const of = (name: 'resolved' | 'file') => throughHelper(helper, name, () => ({ verb: 'status' }));
  expect([await of('file').flush(), await of('resolved').flush()]).toMatchObject([
    { ok: true },
    { ok: true },
  ]);
  expect(asked).toEqual([{ verb: 'flush' }]);
});

test.each([
  ['nothing', '', /without an answer/],
  ['no JSON', 'ok\n', /none that this version knows/],
  ['words of another version', '{"ok":{"held":[{}]}}\n', /none that this version knows/],
  ['half a line', '{"ok":', /without an answer/],
  ['an answer without an end', 'x'.repeat(1_100_000), /does not end|without an answer/],
])('a helper that answers %s is a failure, not a crash', async (_what, answer, message) => {
  const { helper } = await answering(answer);
  expect(await helper.ask({ verb: 'status' })).toMatchObject({
    failure: { code: 'helper-refused', message: expect.stringMatching(message) },
  });
});

test('a refusal keeps its words', async () => {
  const failed = { code: 'no-such-link', message: 'there is no eth9', remedy: 'look again' };
  const { helper } = await answering(line({ failed }));
  expect(await helper.ask({ verb: 'flush' })).toMatchObject({
    failure: { code: 'helper-refused', message: failed.message, remedy: failed.remedy },
  });
});

test('no helper says how there can be one', async () => {
  expect(await helperAt('/nowhere/helper.sock').ask({ verb: 'status' })).toMatchObject({
    failure: { code: 'helper-missing', remedy: expect.stringContaining('sotto-helper --for') },
  });
});
