import { expect, test } from 'vitest';
import { declarations } from './addon-declarations.ts';

const line = (kind: string, name: string, def: string, js_doc = '') =>
  JSON.stringify({ kind, name, js_doc, def, original_name: name });

test('methods are moved into their class; functions and shapes stand beside it', () => {
  const text = declarations(
    [
      line('fn', 'describe', 'function describe(message: Buffer): string'),
      line('struct', 'Engine', '', '/** The data plane. */\n'),
      line('impl', 'Engine', 'constructor(onChange: () => void)\n/** JSON */\nstatus(): string'),
      line('interface', 'Answer', 'reply: Buffer\nevent: Buffer'),
    ].join('\n'),
  );
  expect(text.slice(text.indexOf('export'))).toBe(`export interface Answer {
  reply: Buffer
  event: Buffer
}

/** The data plane. */
export declare class Engine {
  constructor(onChange: () => void)
  /** JSON */
  status(): string
}

export declare function describe(message: Buffer): string
`);
});

test('a raw identifier loses its `r#`', () => {
  const text = declarations(line('fn', 'typeName', 'function typeName(r#type: number): string'));
  expect(text).toContain('typeName(type: number)');
});

test('lines written twice, in any order, give the same text', () => {
  const one = line('fn', 'a', 'function a(): void');
  const other = line('fn', 'b', 'function b(): void');
  expect(declarations(`${other}\n${one}\n${other}\n`)).toBe(declarations(`${one}\n${other}\n`));
});

test('an unknown kind is an error', () => {
  expect(() => declarations(line('enum', 'Outcome', 'Forwarded = 0'))).toThrow('kind');
});
