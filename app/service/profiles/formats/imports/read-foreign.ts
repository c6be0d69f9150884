/**
 * YAML and TOML of other programs as values that know their lines. A stranger may have written the text: it is bounded, and what
 * stands for more than it says (aliases, merge keys, tags) is refused. Pure.
 */
import { getStaticTOMLValue, ParseError, parseTOML, type AST as Toml } from 'toml-eslint-parser';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { asText } from '../../../settings/policy-file.ts';

export type Scalar = string | number | boolean | null;

export type Located =
  | { kind: 'scalar'; line: number; value: Scalar }
  | { kind: 'list'; line: number; items: Located[] }
  | { kind: 'map'; line: number; fields: Map<string, Located> };

/** What stops the reading of a whole file. */
export class Unreadable extends Error {
  readonly line: number | null;

  constructor(reason: string, line: number | null = null) {
    super(reason);
    this.line = line;
  }
}

/** No file of these programs that a person wrote is as large. */
export const mostForeignOctets = 1_048_576;
const mostLevels = 32;
const tooDeep = 'it is nested too deeply';

/** Throws Unreadable. */
export function readForeignText(octets: Buffer): string {
  if (octets.length > mostForeignOctets)
    throw new Unreadable(`it is larger than ${mostForeignOctets} octets`);
  const read = asText(octets);
  if ('reason' in read) throw new Unreadable(read.reason, read.line);
  const nul = read.text.indexOf('\0');
  if (nul !== -1) throw new Unreadable('it is no text: it has a NUL', lineOf(read.text, nul));
  return read.text.replace(/^\uFEFF/, '');
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Throws Unreadable. */
export function readYaml(text: string): Located {
  const lines = new LineCounter();
  return shallow(text, () => {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
    });
    const [error] = document.errors;
    if (error?.code === 'RESOURCE_EXHAUSTION') throw new Unreadable(tooDeep);
    if (error !== undefined)
      throw new Unreadable(`not valid YAML: ${error.message}`, lines.linePos(error.pos[0]).line);
    if (document.contents === null) throw new Unreadable('the file is empty', 1);
    return fromYaml(document.contents, lines, 0);
  });
}

function fromYaml(node: Node | null, lines: LineCounter, level: number): Located {
  const line = lines.linePos(node?.range?.[0] ?? 0).line;
  if (level > mostLevels) throw new Unreadable(tooDeep, line);
  if (isAlias(node))
    throw new Unreadable('an alias (*) is not followed; write the value out', line);
  if (isSeq<Node>(node))
    return { kind: 'list', line, items: node.items.map((one) => fromYaml(one, lines, level + 1)) };
  if (isMap<Node, Node | null>(node)) return fromYamlMap(node, lines, level);
  return { kind: 'scalar', line, value: asScalar(isScalar(node) ? node.value : null) };
}

function fromYamlMap(map: YAMLMap<Node, Node | null>, lines: LineCounter, level: number): Located {
  const lineAt = (node: Node | null) => lines.linePos(node?.range?.[0] ?? 0).line;
  const fields = new Map<string, Located>();
  for (const { key, value } of map.items) {
    if (!isScalar(key)) throw new Unreadable('a key is no plain text', lineAt(map));
    const found = fromYaml(value, lines, level + 1);
    fields.set(String(key.value), value === null ? { ...found, line: lineAt(key) } : found);
  }
  return { kind: 'map', line: lineAt(map), fields };
}

function asScalar(value: unknown): Scalar {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return value === null || value === undefined ? null : String(value);
}

/** Throws Unreadable. */
export function readToml(text: string): Located {
  return shallow(text, () => {
    const tree = readTomlTree(text);
    const root: Located = { kind: 'map', line: 1, fields: new Map() };
    for (const part of tree.body[0].body)
      if (part.type === 'TOMLTable') addTable(root, part);
      else addPair(root, part);
    return root;
  });
}

function readTomlTree(text: string): Toml.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    if (error instanceof ParseError)
      throw new Unreadable(`not valid TOML: ${error.message}`, error.lineNumber);
    throw error;
  }
}

function addTable(root: LocatedMap, table: Toml.TOMLTable): void {
  const place = within(root, table.resolvedKey.map(String), table.loc.start.line);
  for (const pair of table.body) addPair(place, pair);
}

type LocatedMap = Extract<Located, { kind: 'map' }>;

function within(root: LocatedMap, path: readonly string[], line: number): LocatedMap {
  let at = root;
  for (const key of path) {
    const there = at.fields.get(key);
    if (there?.kind === 'map') {
      at = there;
      continue;
    }
    const made: LocatedMap = { kind: 'map', line, fields: new Map() };
    at.fields.set(key, made);
    at = made;
  }
  return at;
}

function addPair(place: LocatedMap, { key, value, loc }: Toml.TOMLKeyValue): void {
  const path = key.keys.map((one) => (one.type === 'TOMLBare' ? one.name : one.value));
  const line = loc.start.line;
  within(place, path.slice(0, -1), line).fields.set(path.at(-1) ?? '', fromToml(value, 0));
}

function fromToml(node: Toml.TOMLContentNode, level: number): Located {
  const line = node.loc.start.line;
  if (level > mostLevels) throw new Unreadable(tooDeep, line);
  if (node.type === 'TOMLArray')
    return { kind: 'list', line, items: node.elements.map((one) => fromToml(one, level + 1)) };
  if (node.type === 'TOMLInlineTable') {
    const map: LocatedMap = { kind: 'map', line, fields: new Map() };
    for (const pair of node.body) addPair(map, pair);
    return map;
  }
  return { kind: 'scalar', line, value: asScalar(getStaticTOMLValue(node)) };
}

/** Parsers go down as deep as the text does; what is deep for certain does not even begin. */
function shallow(text: string, read: () => Located): Located {
  if (opened(text) > mostOpened || /(?:-[ \t]){100}/.test(text)) throw new Unreadable(tooDeep);
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable(tooDeep);
    throw error;
  }
}

/** Some stand in strings and comments, so the bound is wide. */
const mostOpened = 1000;

/** How many brackets are open at once. */
function opened(text: string): number {
  let [now, most] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    now = bracket === '[' || bracket === '{' ? now + 1 : Math.max(0, now - 1);
    most = Math.max(most, now);
  }
  return most;
}
