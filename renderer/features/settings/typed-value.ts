/** Values as text in a field, and back: text that makes no sense here is passed on for the service to judge. Pure. */
import { hasKeyTwice } from '../../../app/contract/text/strict-json.ts';
import type { ControlKind, SettingJson } from './setting-control.ts';

export function writeLines(value: SettingJson): string {
  return Array.isArray(value) ? value.map(String).join('\n') : '';
}

export function readLines({ numbers }: ControlKind<'lines'>, typed: string): SettingJson[] {
  return typed
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => (numbers && /^\d+$/.test(line) ? Number(line) : line));
}

export function readNumber(typed: string): SettingJson {
  // "0x10", "1e3" and "Infinity" are numbers to a program, and a slip of a person.
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(typed.trim()) ? Number(typed) : typed;
}

/** Beside words, a choice may have the two values of a switch. */
export function readChoice(word: string): SettingJson {
  return word === 'true' || word === 'false' ? word === 'true' : word;
}

export type ReadText =
  | { ok: true; value: SettingJson }
  /** a key is there twice, so that one of its values would be lost */
  | { ok: false; twice: true }
  /** `line` counts from 1; `near`: what stands where the text stops being JSON */
  | { ok: false; twice: false; line: number; near: string };

export function readText(typed: string): ReadText {
  try {
    const value = JSON.parse(typed) as SettingJson;
    return hasKeyTwice(typed, value) ? { ok: false, twice: true } : { ok: true, value };
  } catch {
    const at = endOfValid(typed);
    const near = /^[ \t]*([^\n]{0,24})/.exec(typed.slice(at))?.[1] ?? '';
    return {
      ok: false,
      twice: false,
      line: typed.slice(0, at).split('\n').length,
      near: near.trim(),
    };
  }
}

const token =
  /\s*(?:([[{])|([\]}])|([,:])|("(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** Where the first token stands that can't follow what is before it. Engines word their own errors each in its way, some without a place. */
function endOfValid(text: string): number {
  const open: string[] = [];
  let expected = 'value';
  let at = 0;
  while (true) {
    token.lastIndex = at;
    const found = token.exec(text);
    const start = at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0);
    if (found === null) return start;
    const next = follow(expected, found, open);
    if (next === null) return start;
    expected = next;
    at = token.lastIndex;
  }
}

/** What may come after this token; null: it may not stand here. Changes `open`. */
function follow(expected: string, found: RegExpExecArray, open: string[]): string | null {
  const [, opened, closed, mark, words = ''] = found;
  if (opened !== undefined) return afterOpened(expected, opened, open);
  if (closed !== undefined) return afterClosed(expected, closed, open);
  if (mark !== undefined) return afterMark(expected, mark, open);
  if (expected.startsWith('name')) return words.startsWith('"') ? 'colon' : null;
  return expected.startsWith('value') ? afterValue(open) : null;
}

function afterOpened(expected: string, opened: string, open: string[]): string | null {
  if (!expected.startsWith('value')) return null;
  open.push(opened);
  return opened === '{' ? 'name or end' : 'value or end';
}

function afterClosed(expected: string, closed: string, open: string[]): string | null {
  if (!expected.endsWith('end')) return null;
  return open.pop() === (closed === '}' ? '{' : '[') ? afterValue(open) : null;
}

function afterMark(expected: string, mark: string, open: readonly string[]): string | null {
  if (mark === ':') return expected === 'colon' ? 'value' : null;
  if (!expected.startsWith('mark')) return null;
  return open.at(-1) === '{' ? 'name' : 'value';
}

function afterValue(open: readonly string[]): string {
  return open.length === 0 ? 'nothing' : 'mark or end';
}
