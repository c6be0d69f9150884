import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addon, inRoot } from '../places.mjs';

const built = existsSync(addon) && existsSync(inRoot('target', 'release', 'sotto-server'));
const title = built ? 'the demo' : 'the demo [skipped: not built: npm test builds it]';

describe.skipIf(!built)(title, () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sotto-demo-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function start(...args: string[]): { demo: ChildProcess; said: () => string } {
    const demo = spawn(process.execPath, [inRoot('build', 'demo.ts'), ...args], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    demo.stdout?.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    demo.stderr?.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    return { demo, said: () => text };
  }

  test('shows queries with outcome, transport, cost and time, and cleans up after itself', async () => {
    const { demo, said } = start();
    const reused = /\.example +forwarded .*tdns.* reused +\d+(\.\d+)? ms/;
    await until(() => reused.test(said()), demo);
    demo.kill('SIGTERM');
    expect(await once(demo, 'close'), said()).toEqual([0, null]);
    expect(said()).toMatch(/dig @127\.0\.0\.1 -p \d+ www\.herald\.example/);
    expect(said()).toMatch(/(\d+) of \1 answered/);
    expect(readdirSync(folder)).toEqual([]);
    expect(processesUsing(folder)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s leaves nothing running',
    async (signal) => {
      const { demo, said } = start();
      await until(() => said().includes('forwarded'), demo);
      expect(processesUsing(folder)).not.toEqual([]);
      demo.kill(signal);
      expect(await once(demo, 'close'), said()).toEqual([0, null]);
      expect(readdirSync(folder)).toEqual([]);
      expect(processesUsing(folder)).toEqual([]);
    },
  );

  test('demos that reach for the same port each get one', async () => {
    // started at once, so that they reach for the same port
    const demos = [start(), start(), start()];
    await Promise.all(demos.map(({ demo, said }) => until(() => said().includes('dig @'), demo)));
    const ports = demos.map(({ said }) => /-p (\d+)/.exec(said())?.[1]);
    for (const { demo } of demos) demo.kill('SIGTERM');
    await Promise.all(demos.map(({ demo }) => once(demo, 'close')));
    expect(new Set(ports).size).toBe(demos.length);
  });
});

/** Checks again after each chunk of output, and gives up when the process ends. */
function until(reached: () => boolean, demo: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => reached() && resolve();
    demo.stdout?.on('data', look);
    demo.stderr?.on('data', look);
    demo.once('close', () => reject(new Error('the demo ended before it got there')));
    look();
  });
}

/** Processes whose arguments or environment name the folder; none where there is no /proc. */
function processesUsing(folder: string): string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) =>
      ['cmdline', 'environ'].some((file) => mentions(`/proc/${pid}/${file}`, folder)),
    );
}

function mentions(file: string, text: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes(text);
  } catch {
    return false;
  }
}
