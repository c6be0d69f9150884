import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { campaigns } from './campaign/campaigns.ts';
import { campaignAlone, leftToCampaign, leftToMachine } from './layers.ts';
import { inRoot } from './places.mjs';

const read = (file: string) => readFileSync(inRoot(file), 'utf8');

test.each([...leftToMachine, ...leftToCampaign])(
  '%s is there, and no promise rests on it',
  (file) => {
    expect(existsSync(inRoot(file))).toBe(true);
    expect(read('SECURITY.md')).not.toContain(file);
  },
);

test('what a campaign has besides is in npm test, too', () => {
  expect([...leftToMachine, ...leftToCampaign]).not.toContain(campaignAlone);
  expect(existsSync(inRoot(campaignAlone))).toBe(true);
});

/** The cells of each row below the head of a table. */
const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map(([, ...cells]) => cells);

const held = rowsOf(read('docs/tests.md'));

test('every command of README has its row in docs/tests.md', () => {
  const [, section = ''] = read('README.md').split('\n## Commands\n');
  const commands = rowsOf(section.split('\n## ')[0] ?? '').map(([command]) => command);
  expect(commands.length).toBeGreaterThan(20);
  expect(held.slice(0, commands.length).map(([said]) => said)).toEqual(commands);
});

test.each(held)('docs/tests.md: what holds %s is there, and in its layer', (_, by = '', layer) => {
  const names = [...by.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  expect(names).not.toEqual([]);
  for (const name of names) expect([name, `\`${layerOf(name)}\``]).toEqual([name, layer]);
});

function layerOf(name: string): string {
  if (campaigns.some(({ script }) => name === `npm run ${script}`)) return 'npm run test:campaign';
  if (!existsSync(inRoot(name))) return 'none: there is no such file';
  if (leftToCampaign.includes(name)) return 'npm run test:campaign';
  if (leftToMachine.includes(name) || name === 'e2e/machine/judges.ts')
    return 'npm run test:machine';
  return /\.test\.ts$|^native\/\w+\/tests\//.test(name) ? 'npm test' : 'none: it is no test';
}
