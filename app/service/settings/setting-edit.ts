/**
 * Changes one setting in the text of settings.json, and nothing else: comments, order and the text of all other parts are kept.
 * Pure.
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

/** `value` undefined: removes the setting from the user's file. */
export function editSetting(text: string | null, key: SettingKey, value: unknown): string {
  const path = key.split('.');
  const [mark, content] = withoutMark(text ?? '{}\n');
  const edited = value === undefined ? removed(content, path) : written(content, path, value);
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

/** As few edits as lead from the present value to `value`. */
function written(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (node === undefined) return change(text, path, value);
  const before = contentOf(node);
  if (isDeepStrictEqual(before, value)) return text;
  if (isObject(before) && isObject(value)) return writeFields(text, path, before, value);
  if (Array.isArray(before) && Array.isArray(value)) return writeItems(text, path, node, value);
  return change(text, path, value);
}

function writeFields(
  text: string,
  path: JSONPath,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): string {
  const gone = Object.keys(before).filter((field) => !Object.hasOwn(after, field));
  const kept = gone.reduce((sofar, field) => change(sofar, [...path, field], undefined), text);
  return Object.entries(after).reduce(
    (sofar, [field, value]) => written(sofar, [...path, field], value),
    kept,
  );
}

/** An item that moves within the list takes its own text along; new items are added, others removed. */
function writeItems(text: string, path: JSONPath, node: Node, after: readonly unknown[]): string {
  const before = (node.children ?? []).map(contentOf);
  const identity = (item: unknown) => (isObject(item) ? (item['id'] ?? item['suffix']) : undefined);
  const matches = (one: unknown, other: unknown) =>
    isDeepStrictEqual(one, other) ||
    (identity(one) !== undefined && identity(one) === identity(other));

  const goneAt = before.flatMap((item, index) =>
    after.some((other) => matches(item, other)) ? [] : [index],
  );
  let edited = goneAt.reduceRight((sofar, index) => withoutItem(sofar, path, index), text);
  const left = itemsAt(edited, path);
  const wantedOrder = after.filter((item) => left.some((other) => matches(item, other)));
  if (left.length === wantedOrder.length) {
    edited = reorder(edited, path, wantedOrder, matches);
    after.forEach((item, index) => {
      const there = itemsAt(edited, path)[index];
      edited =
        there !== undefined && matches(there, item)
          ? written(edited, [...path, index], item)
          : insert(edited, [...path, index], item);
    });
    if (isDeepStrictEqual(itemsAt(edited, path), after)) return edited;
  }
  // Items that can't be distinguished: the list is written anew.
  return change(text, path, after);
}

/** Each place gets the text of the item that belongs there. */
function reorder(
  text: string,
  path: JSONPath,
  wanted: readonly unknown[],
  matches: (one: unknown, other: unknown) => boolean,
): string {
  const nodes = nodeAt(text, path)?.children ?? [];
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
  const formattingOptions = formattingOf(text);
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: true }));
}

function change(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: formattingOf(text) }));
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
