/** Every string of the page is in the catalogue, in every language, and the catalogue has no unused one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { de } from '../renderer/text/de.ts';
import { en } from '../renderer/text/en.ts';
import { inRoot } from './places.mjs';

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const folder = inRoot('renderer');
const sources = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.test\./.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({ path: relative(folder, path), code: readFileSync(path, 'utf8') }));

describe('the catalogue', () => {
  test('has everything in German, too, and nothing twice', () => {
    expect(keysOf(de).sort()).toEqual(keysOf(en).sort());
    expect(emptyIn(de)).toEqual([]);
    expect(emptyIn(en)).toEqual([]);
  });

  test('has the same placeholders in both languages', () => {
    const places = (text: unknown, key: string) =>
      [...String(at(text, key)).matchAll(/\{\w+\}/g)].map(String).sort();
    for (const key of keysOf(en)) expect([key, places(de, key)]).toEqual([key, places(en, key)]);
  });

  test('has no text that no page uses', () => {
    const used = sources.flatMap(({ path, code }) =>
      path.startsWith('text/') ? [] : pathsUsed(code),
    );
    const unused = keysOf(en).filter(
      (key) => !used.some((path) => key === path || key.startsWith(`${path}.`)),
    );
    expect(unused).toEqual([]);
  });
});

describe('the pages', () => {
  test.each(sources.filter(({ path }) => path.endsWith('.tsx')))(
    '$path says nothing of its own',
    ({ code }) => {
      expect(literalsIn(code)).toEqual([]);
    },
  );

  test('would be found', () => {
    expect(
      literalsIn('const a = <p title="Say">Hello {"there"} {x ? `you` : y && "us"}</p>'),
    ).toEqual(['Say', 'Hello', 'there', 'you', 'us']);
    expect(
      literalsIn('const a = <B className="x" id={`y`} kind="done">{text.a} – {" "}</B>'),
    ).toEqual([]);
    expect(
      pathsUsed('const words = text.status.network; words.on; text.frame.pages[name]'),
    ).toEqual(['status.network.on', 'frame.pages']);
  });
});

function keysOf(part: object, before = ''): string[] {
  return Object.entries(part).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null
      ? keysOf(value, `${before}${key}.`)
      : [`${before}${key}`],
  );
}

function at(text: unknown, key: string): unknown {
  return key.split('.').reduce((part, step) => (part as Record<string, unknown>)[step], text);
}

function emptyIn(text: object): string[] {
  return keysOf(text).filter((key) => at(text, key) === '');
}

/** Attributes that are neither shown nor read aloud. */
const silent =
  /^(?:className|id|type|role|href|rel|target|lang|key|name|value|page|filter|variant|kind|mark|size|by|tone|severity|of|align|d|viewBox|x|y|r|rx|cx|cy|width|height|preserveAspectRatio|autoComplete|htmlFor|scope|side|data-.*|aria-(?:autocomplete|live|hidden|controls|haspopup|keyshortcuts|expanded|current|activedescendant|labelledby|describedby))$/;

/** The strings that an expression can have as its value, by its kind. */
const outcomes: Readonly<Record<string, readonly string[]>> = {
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['left', 'right'],
  JSXExpressionContainer: ['expression'],
};

/** Words in JSX: text, attributes that people read or hear, and every string that an expression there can have as its value. */
function literalsIn(code: string): string[] {
  const found: string[] = [];
  walk(parse(code), (node, parent) => {
    if (!isCode(parent)) found.push(...wordsAt(node, parent));
  });
  return found.filter((words) => /\p{L}/u.test(words)).map((words) => words.replace(/^\s+/, ''));
}

function isCode(node: Node | null): boolean {
  if (node?.type !== 'JSXElement') return false;
  const name = nameOf((node['openingElement'] as Node)['name']);
  return name === 'code' || name === 'kbd';
}

function wordsAt(node: Node, parent: Node | null): string[] {
  switch (node.type) {
    case 'JSXText':
      return [String(node['value']).trim()];
    case 'JSXExpressionContainer':
      return parent?.type === 'JSXAttribute' ? [] : stringsOf(node);
    case 'JSXAttribute':
      return silent.test(nameOf(node['name'])) ? [] : stringsOf(node['value'] as Node | null);
    default:
      return [];
  }
}

/** Every string that an expression can turn into. */
function stringsOf(node: Node | null): string[] {
  if (node === null) return [];
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : [];
  if (node.type === 'TemplateLiteral')
    return (node['quasis'] as { value: { raw: string } }[]).map(({ value }) => value.raw);
  const branches = outcomes[node.type] ?? [];
  return branches.flatMap((branch) => stringsOf(node[branch] as Node | null));
}

/** Paths below the catalogue's name, also through other names for its parts. */
function pathsUsed(code: string): string[] {
  const names = new Map([['text', '']]);
  const used: string[] = [];
  const tree = parse(code);
  walk(tree, (node) => {
    for (const [name, path] of namesGiven(node, names)) names.set(name, path);
  });
  walk(tree, (node, parent) => {
    const path = isWithinLonger(node, parent) ? null : pathOf(node, names);
    if (path) used.push(path.split('.*')[0] ?? '');
  });
  return used;
}

/** The path goes on in the parent, or the parent gives it a name. */
function isWithinLonger(node: Node, parent: Node | null): boolean {
  if (parent?.type === 'VariableDeclarator') return true;
  return parent?.type === 'MemberExpression' && parent['object'] === node;
}

/** Null: it is no part of the catalogue; empty: the catalogue itself. */
function pathOf(node: Node, names: ReadonlyMap<string, string>): string | null {
  if (node.type === 'Identifier') return names.get(nameOf(node)) ?? null;
  if (node.type !== 'MemberExpression') return null;
  const before = pathOf(node['object'] as Node, names);
  if (before === null) return null;
  const step = node['computed'] ? '*' : nameOf(node['property']);
  return before === '' ? step : `${before}.${step}`;
}

/** Names that a declaration gives to parts of the catalogue, each with its path. */
function namesGiven(node: Node, names: ReadonlyMap<string, string>): [string, string][] {
  if (node.type !== 'VariableDeclarator' || node['init'] === null) return [];
  const path = pathOf(node['init'] as Node, names);
  if (!path) return [];
  const id = node['id'] as Node;
  if (id.type === 'Identifier') return [[nameOf(id), path]];
  if (id.type !== 'ObjectPattern') return [];
  return (id['properties'] as Node[]).map(({ key, value }) => [
    nameOf(value),
    `${path}.${nameOf(key)}`,
  ]);
}

function nameOf(node: unknown): string {
  return String((node as Node)['name']);
}

function parse(code: string): Node {
  return parseAst(code, { lang: 'tsx' }) as unknown as Node;
}

function walk(
  node: Node,
  visit: (node: Node, parent: Node | null) => void,
  parent: Node | null = null,
) {
  visit(node, parent);
  for (const child of Object.values(node).flat())
    if (typeof child === 'object' && child !== null && 'type' in child)
      walk(child as Node, visit, node);
}
