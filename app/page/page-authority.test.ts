/** Who can open the system's prompt through the page's server, and with which words: only the tab that was let in, with its two. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { type PageServer, servePage } from './page-server.ts';

let folder = '';
let page: PageServer;
let asked: { change: string; signal: AbortSignal; answer(result: Result<null>): void }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-page-authority-'));
  writeFileSync(join(folder, 'index.html'), '<title>Sotto</title>');
  asked = [];
  page = await servePage({
    connect: async () => fail('not-running', 'no', 'start it'),
    authority: {
      ask: (change, signal) =>
        new Promise((answer) => {
          asked.push({ change, signal, answer });
        }),
    },
    files: folder,
  });
});
afterEach(async () => {
  await page.close();
  rmSync(folder, { recursive: true, force: true });
});

const here = () => page.address.slice(0, -1);

function post(path: string, headers: Record<string, string>, body: string, signal?: AbortSignal) {
  const json = { 'content-type': 'application/json', origin: here(), ...headers };
  return fetch(`${here()}${path}`, {
    method: 'POST',
    headers: json,
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}

async function letIn(): Promise<{ authorization: string }> {
  const code = page.handover.url.split('#code=')[1] ?? '';
  const response = await post('/session', {}, JSON.stringify({ code }));
  const { token } = (await response.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}

test.each([
  ['without a token', {}, 401],
  ['with a guessed token', { authorization: 'Bearer guess' }, 401],
  ['of another site', { origin: 'https://sotto.example' }, 403],
  ['of a form', { 'content-type': 'text/plain' }, 415],
])('a request %s opens no prompt', async (_, headers, status) => {
  const own = status === 401 ? {} : await letIn();
  const response = await post('/authority/take', { ...own, ...headers }, '{}');
  expect([response.status, asked]).toEqual([status, []]);
});

test('a link, or an image, opens no prompt', async () => {
  const token = await letIn();
  const response = await fetch(`${here()}/authority/take`, { headers: token });
  expect([response.status, asked]).toEqual([404, []]);
});

test.each(['/authority/take/more', '/authority/take?to=/bin/sh', '/authority/off', '/authority'])(
  '%s is no wish',
  async (path) => {
    const response = await post(path, await letIn(), '{}');
    expect([response.status, asked]).toEqual([404, []]);
  },
);

test.each(['take', 'give-back'])(
  'the tab’s wish to %s is one word, whatever it sends',
  async (change) => {
    const response = post(`/authority/${change}`, await letIn(), '{"program":"/bin/sh"}');
    await expect.poll(() => asked.map((one) => one.change)).toEqual([change]);
    asked[0]?.answer(fail('authority-refused', 'no', 'ask'));
    expect(await (await response).json()).toMatchObject({ failure: { code: 'authority-refused' } });
  },
);

test('a tab that goes away closes its prompt', async () => {
  const leaving = new AbortController();
  const response = post('/authority/take', await letIn(), '{}', leaving.signal);
  await expect.poll(() => asked.length).toBe(1);
  leaving.abort();
  await expect(response).rejects.toThrow();
  await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
  asked[0]?.answer(succeed(null));
});

test('the end of the page’s server closes it, too', async () => {
  const response = post('/authority/take', await letIn(), '{}');
  response.catch(() => {});
  await expect.poll(() => asked.length).toBe(1);
  await page.close();
  await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
  asked[0]?.answer(succeed(null));
});
