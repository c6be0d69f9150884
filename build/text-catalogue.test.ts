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
  /^(?:className|id|type|role|href|rel|target|lang|key|name|value|page|filter|variant|kind|tone|severity|of|align|d|viewBox|x|y|r|rx|cx|cy|width|height|preserveAspectRatio|autoComplete|htmlFor|scope|side|data-.*|aria-(?:live|hidden|controls|haspopup|keyshortcuts|expanded|current|activedescendant|labelledby|describedby))$/;

/** The strings that an expression can have as its value, by its kind. */
const outcomes: Readonly<Record<string, readonly string[]>> = {
  ConditionalExpression: ['consequent', 'alternate'],
  LogicalExpression: ['left', 'right'],
  JSXExpressionContainer: ['expression'],
};

/** Words in JSX: text, attributes that people read or hear, and every string that an expression there can have as its value. */
function literalsIn(code: string): string[] {
  const found: string[] = [];
  const say = (words: string) =>
    /\p{L}/u.test(words) && found.push(words.trim() === '' ? words : words.replace(/^\s+/, ''));
  const value = (node: Node | null): void => {
    if (node?.type === 'Literal' && typeof node['value'] === 'string') say(node['value']);
    if (node?.type === 'TemplateLiteral')
      for (const part of node['quasis'] as { value: { raw: string } }[]) say(part.value.raw);
    const branches = outcomes[node?.type ?? ''] ?? [];
    for (const branch of branches) value(node?.[branch] as Node | null);
  };
  walk(parse(code), (node, parent) => {
    if (parent?.type === 'JSXElement' && (parent['openingElement'] as Node)['name']) {
      const name = ((parent['openingElement'] as Node)['name'] as Node)['name'];
      if (name === 'code' || name === 'kbd') return;
    }
    if (node.type === 'JSXText') say(String(node['value']).trim());
    if (node.type === 'JSXExpressionContainer' && parent?.type !== 'JSXAttribute') value(node);
    if (node.type === 'JSXAttribute' && !silent.test(String((node['name'] as Node)['name'])))
      value(node['value'] as Node | null);
  });
  return found;
}

/** Paths below the catalogue's name, also through other names for its parts. */
function pathsUsed(code: string): string[] {
  const names = new Map([['text', '']]);
  const used: string[] = [];
  const pathOf = (node: Node): string | null => {
    if (node.type === 'Identifier') return names.get(String(node['name'])) ?? null;
    if (node.type !== 'MemberExpression') return null;
    const before = pathOf(node['object'] as Node);
    if (before === null) return null;
    const step = node['computed'] ? '*' : String((node['property'] as Node)['name']);
    return before === '' ? step : `${before}.${step}`;
  };
  walk(parse(code), (node) => {
    if (node.type !== 'VariableDeclarator' || node['init'] === null) return;
    const path = pathOf(node['init'] as Node);
    if (path === null || path === '') return;
    const id = node['id'] as Node;
    if (id.type === 'Identifier') names.set(String(id['name']), path);
    if (id.type === 'ObjectPattern')
      for (const property of id['properties'] as Node[])
        names.set(
          String((property['value'] as Node)['name']),
          `${path}.${String((property['key'] as Node)['name'])}`,
        );
  });
  walk(parse(code), (node, parent) => {
    if (parent?.type === 'MemberExpression' && parent['object'] === node) return;
    if (parent?.type === 'VariableDeclarator') return;
    const path = pathOf(node);
    if (path !== null && path !== '') used.push(path.split('.*')[0] ?? '');
  });
  return used;
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
