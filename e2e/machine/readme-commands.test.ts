import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { judges } from './judges.ts';
import { commandsToJudge, readmeCommands, saidTime } from './readme-commands.ts';

const readme = readFileSync(inRoot('README.md'), 'utf8');

test('each command of README has somebody who judges it', () => {
  const commands = commandsToJudge(readme);
  expect(new Set(commands)).toEqual(new Set(Object.keys(judges)));
  expect(commands[0]).toBe('npm run demo');
  expect(commands).toContain('npm run package');
  expect(saidTime(readme)).toMatch(/minutes$/);
});

test('commands are read without their remarks, from their own section alone', () => {
  const text =
    '\n## One\n```sh\na --b   # what it does\nc "#1"\n```\n```text\nd\n```\n## Two\n```sh\ne\n```\n';
  expect(readmeCommands(text, 'One')).toEqual(['a --b', 'c "#1"']);
  expect(() => readmeCommands(text, 'Three')).toThrow('no "Three"');
});
