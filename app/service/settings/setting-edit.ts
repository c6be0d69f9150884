/**
 * Changes one setting in the text of settings.json, and nothing else: comments, order and the text of all other parts are kept.
 * Pure.
 *
 * Each single edit reads the whole text, so their number is bounded: a change that would need more of them writes the list or object
 * anew, and only its own comments are lost.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  applyEdits,
  type Edit,
  type FormattingOptions,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';
import type { SettingKey } from '../../contract/settings/settings.ts';

/** Characters that the edits of one change may read together: a hundred edits in a text of 40,000. */
const mostRead = 4_000_000;

/** `value` undefined: removes the setting from the user's file. */
export function editSetting(text: string | null, key: SettingKey, value: unknown): string {
  const path = key.split('.');
  const [mark, content] = withoutMark(text ?? '{}\n');
  const edited =
    value === undefined ? removed(content, path) : written(content, path, value, mostRead);
  return `${mark}${edited}`;
}

function withoutMark(text: string): [mark: string, content: string] {
  return text.startsWith('\uFEFF') ? ['\uFEFF', text.slice(1)] : ['', text];
}

function removed(text: string, path: JSONPath): string {
  const without = change(text, path, undefined);
  const parent = path.slice(0, -1);
  const node = parent.length === 0 ? undefined : nodeAt(without, parent);
  return node !== undefined && isBare(without, node) ? change(without, parent, undefined) : without;
}

/** An object with neither fields nor comments. */
function isBare(text: string, { offset, length }: Node): boolean {
  return /^\{\s*\}$/.test(text.slice(offset, offset + length));
}

/** As few edits as lead from the present value to `value`, which together read no more than `mayRead` characters. */
function written(text: string, path: JSONPath, value: unknown, mayRead: number): string {
  const node = nodeAt(text, path);
  if (node === undefined) return change(text, path, value);
  const before = contentOf(node);
  if (isDeepStrictEqual(before, value)) return text;
  if (isObject(before) && isObject(value)) return writeFields(text, path, before, value, mayRead);
  if (Array.isArray(before) && Array.isArray(value))
    return writeItems(text, path, before, value, mayRead);
  return change(text, path, value);
}

function writeFields(
  text: string,
  path: JSONPath,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  mayRead: number,
): string {
  const gone = Object.keys(before).filter((field) => !Object.hasOwn(after, field));
  const changed = Object.entries(after).filter(
    ([field, value]) => !isDeepStrictEqual(before[field], value),
  );
  const edits = gone.length + changed.length;
  if (isTooMuch(edits, text, after, mayRead)) return change(text, path, after);
  const kept = gone.reduce((sofar, field) => change(sofar, [...path, field], undefined), text);
  return changed.reduce(
    (sofar, [field, value]) => written(sofar, [...path, field], value, mayRead / edits),
    kept,
  );
}

/** A single edit is always done: it costs no more than to write everything anew. The text grows to what it has after the change. */
function isTooMuch(edits: number, text: string, after: unknown, mayRead: number): boolean {
  return edits > 1 && edits * (text.length + JSON.stringify(after).length) > mayRead;
}

type Items = readonly unknown[];

/** An item that moves within the list takes its own text along; new items are added, others removed. */
function writeItems(
  text: string,
  path: JSONPath,
  before: Items,
  after: Items,
  mayRead: number,
): string {
  const first = sameFrom(before, after);
  const last = sameFrom(before.slice(first).reverse(), after.slice(first).reverse());
  const old = before.slice(first, before.length - last);
  const wanted = after.slice(first, after.length - last);
  const edits = old.length + wanted.length;
  if (!isTooMuch(edits, text, after, mayRead)) {
    const edited = editItems(text, path, { first, old, wanted }, mayRead / edits);
    if (isDeepStrictEqual(itemsAt(edited, path), after)) return edited;
  }
  // Too many, or items that can't be distinguished: the list is written anew.
  return change(text, path, after);
}

/** How many items are the same in both lists, from the beginning. */
function sameFrom(one: Items, other: Items): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (!isDeepStrictEqual(one[at], other[at])) return at;
  return length;
}

/** The part of a list that differs: `old` stands in the text from the place `first`, and becomes `wanted`. */
interface Part {
  first: number;
  old: Items;
  wanted: Items;
}

function editItems(
  text: string,
  path: JSONPath,
  { first, old, wanted }: Part,
  mayRead: number,
): string {
  const goneAt = old.flatMap((item, index) =>
    wanted.some((other) => matches(item, other)) ? [] : [first + index],
  );
  const without = goneAt.reduceRight((sofar, index) => withoutItem(sofar, path, index), text);
  const left = old.length - goneAt.length;
  const stay = wanted.filter((item) => old.some((other) => matches(item, other)));
  if (left !== stay.length) return without;
  const inOrder = reorder(without, path, first, stay);
  return wanted.reduce<string>((sofar, item, index) => {
    const place = [...path, first + index];
    const there = nodeAt(sofar, place);
    const isThere = there !== undefined && matches(contentOf(there), item);
    return isThere ? written(sofar, place, item, mayRead) : insert(sofar, place, item);
  }, inOrder);
}

function matches(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  return identity(one) !== undefined && identity(one) === identity(other);
}

function identity(item: unknown): unknown {
  return isObject(item) ? (item['id'] ?? item['suffix']) : undefined;
}

/** Each place from `first` gets the text of the item that belongs there. */
function reorder(text: string, path: JSONPath, first: number, wanted: Items): string {
  const nodes = (nodeAt(text, path)?.children ?? []).slice(first, first + wanted.length);
  const edits = wanted.flatMap((item, index): Edit[] => {
    const place = nodes[index];
    const source = nodes.find((node) => matches(contentOf(node), item));
    if (place === undefined || source === undefined || place === source) return [];
    const content = text.slice(source.offset, source.offset + source.length);
    return [{ offset: place.offset, length: place.length, content }];
  });
  return applyEdits(text, edits);
}

/** For the last item of a list, jsonc-parser expects a line break before the "]". */
function withoutItem(text: string, path: JSONPath, index: number): string {
  const list = nodeAt(text, path);
  const items = list?.children ?? [];
  const previous = items[index - 1];
  if (list === undefined || previous === undefined || index !== items.length - 1)
    return change(text, [...path, index], undefined);
  const from = previous.offset + previous.length;
  const removed = text.slice(from, list.offset + list.length - 1).trimEnd();
  return text.slice(0, from) + text.slice(from + removed.length);
}

function itemsAt(text: string, path: JSONPath): unknown[] {
  return (nodeAt(text, path)?.children ?? []).map(contentOf);
}

function insert(text: string, path: JSONPath, value: unknown): string {
  return put(text, path, value, { isArrayInsertion: true });
}

function change(text: string, path: JSONPath, value: unknown): string {
  return put(text, path, value, {});
}

/** jsonc-parser copies the text for each line that it formats, so it gets a place alone, and the value goes there as a whole. */
function put(
  text: string,
  path: JSONPath,
  value: unknown,
  how: { isArrayInsertion?: boolean },
): string {
  const formattingOptions = formattingOf(text);
  const isWhole = typeof value === 'object' && value !== null;
  const place = isWhole ? null : value;
  const edited = applyEdits(
    text,
    modify(text, path, place, hasLongLines(text) ? how : { ...how, formattingOptions }),
  );
  const node = isWhole ? nodeAt(edited, path) : undefined;
  if (node === undefined) return edited;
  const { insertSpaces = true, tabSize = 2, eol = '\n' } = formattingOptions;
  const [indent] = /^[ \t]*/.exec(edited.slice(lineStart(edited, node.offset))) ?? [''];
  const content = JSON.stringify(value, null, insertSpaces ? tabSize : '\t')
    .split('\n')
    .join(`${eol}${indent}`);
  return edited.slice(0, node.offset) + content + edited.slice(node.offset + node.length);
}

/** Written by a program: to put one value in order there would put the whole line in order, and read the text for each of its parts. */
function hasLongLines(text: string): boolean {
  return text.split('\n').some(({ length }) => length > 2000);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** In the style of the file. */
function formattingOf(text: string): FormattingOptions {
  const [, indent = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  const insertSpaces = !indent.startsWith('\t');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const tree = parseTree(text);
  return tree === undefined ? undefined : findNodeAtLocation(tree, path);
}

function contentOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(contentOf);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children }) => {
      const [key, value] = children ?? [];
      return [key?.value, value === undefined ? undefined : contentOf(value)];
    }),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
