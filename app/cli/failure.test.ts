/** A failure as a person reads it: one line, whatever is in it. */
import { expect, test } from 'vitest';
import { type CommandFailure, tellFailure } from './failure.ts';
import { openTerminal } from './terminal/terminal.ts';

function told(failure: CommandFailure, json = false): string {
  const lines: string[] = [];
  const stream = { write: (more: string) => void lines.push(more), isTTY: false };
  tellFailure(failure, json, openTerminal(stream, stream, {}));
  return lines.join('');
}

const twoLines = 'the resolver said "a"\n  and "b"';

test('a line break in a message ends no line', () => {
  const failure = { code: 'engine-refused', message: twoLines, remedy: 'do this' } as const;
  expect(told(failure)).toBe(
    'sotto: the resolver said "a" and "b" – the configuration was not used – do this\n',
  );
});

test('errors of settings stand one a line, the last with what to do', () => {
  const message = 'settings.json, line 1: a\nsettings.json, line 2: \u001b[2Jb';
  expect(told({ code: 'settings-invalid', message, remedy: 'correct it' })).toBe(
    'settings.json, line 1: a\nsotto: settings.json, line 2: \\x1b[2Jb – it would not be used – correct it\n',
  );
});

test('as JSON it is one line, and the message as it was', () => {
  const failure = { code: 'engine-refused', message: twoLines, remedy: 'do this' } as const;
  const text = told(failure, true);
  expect(text.trimEnd()).not.toContain('\n');
  expect(JSON.parse(text)).toEqual({
    error: { code: 'engine-refused', message: twoLines, remedy: 'do this' },
  });
});
