import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { ProcessTree, parseResident, parseStat } from './process-tree.ts';

const stat =
  '4242 (odd) name) S 17 4242 4242 0 -1 4194304 951 0 0 0 120 30 7 3 20 0 5 0 88 1000 200 0';

test('processor time is user and system, ended children included', () => {
  expect(parseStat(stat)).toEqual({ parent: 17, ticks: 160, kernelTicks: 33 });
});

test.each(['', '4242 (ended'])('%j is no process', (line) => {
  expect(parseStat(line)).toBeNull();
});

test('resident memory is read from the status', () => {
  expect(parseResident('Name:\tx\nVmHWM:\t  900 kB\nVmRSS:\t  740 kB\n')).toBe(740);
  expect(parseResident('Name:\tkthread\n')).toBe(0);
});

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

test('a child counts with its parent', async () => {
  const script = `require('child_process').spawn('sleep', ['60']).on('spawn', () => console.log('up'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout, 'data');
  const tree = new ProcessTree(child.pid as number);
  const own = new ProcessTree(process.pid);
  expect(await tree.residentMegabytes()).toBeGreaterThan(10);
  expect(await own.residentMegabytes()).toBeGreaterThan(await tree.residentMegabytes());
  expect(await own.cpuSeconds()).toBeGreaterThan(0);
});
