/** Every command's help teaches with examples of that very command. */
import { expect, test } from 'vitest';
import { type DeclaredCommand, declaredCommand } from './declared-command.ts';
import { buildProgram } from './program.ts';
import { openTerminal } from './terminal/terminal.ts';

const nowhere = { write: () => {} };
const program = await buildProgram(
  {
    terminal: openTerminal({ ...nowhere, isTTY: false, columns: 80 }, nowhere, {}),
    environment: {},
    now: () => 0,
    exitCode: 0,
  },
  'all',
);

const below = (command: DeclaredCommand): DeclaredCommand[] =>
  command.commands.filter(({ name }) => name !== 'help').flatMap((one) => [one, ...below(one)]);

test.each(below(declaredCommand(program)).map((command) => [command.path, command] as const))(
  '%s --help',
  (path, { lesson, description, options }) => {
    expect(lesson?.examples).toMatch(new RegExp(`^  (sudo )?${path}`, 'm'));
    expect(description).toMatch(/\.$/);
    for (const option of options) expect([option.words, option.description]).not.toContain('');
  },
);
