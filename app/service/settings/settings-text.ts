/** JSON text to a value in which nothing was silently overwritten, and from a path back to its line. */
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { type Path, writePath } from '../../contract/settings/validation-issues.ts';
import { strictJson } from '../../contract/text/strict-json.ts';

/** One error in one file. */
export interface Problem {
  file: string;
  /** "upstreams[0].address"; empty for the file as a whole */
  path: string;
  /** from 1; null when the text has no place for it */
  line: number | null;
  reason: string;
}

export interface ParsedText {
  value: unknown;
  problems: Problem[];
  problem(path: Path, reason: string): Problem;
}

/** Of one kind in one file: the person who corrects it needs no more at once, and each takes a line of the journal. */
export const mostProblems = 20;

/**
 * Comments are allowed; duplicate keys are not, because the first would silently lose. `least`: what an empty file should say.
 */
export function parseSettingsText(file: string, text: string, least = '{}'): ParsedText {
  const content = text.replace(/^\uFEFF/, '');
  const withPlaces = () => parseWithPlaces(file, content, least);
  // What is written by programs has neither comments nor errors, and is read many times faster so.
  const strict = strictJson(content);
  if (strict === null) return orTooDeep(file, withPlaces);
  let places: ParsedText | null = null;
  return {
    ...{ value: strict.value, problems: [] },
    problem(path, reason) {
      places ??= orTooDeep(file, withPlaces);
      return places.problem(path, reason);
    },
  };
}

function orTooDeep(file: string, parse: () => ParsedText): ParsedText {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = { file, path: '', line: null, reason: 'it is nested too deeply' };
    return { value: undefined, problems: [problem], problem: () => problem };
  }
}

/** Throws a RangeError where the text has more levels than the stack. */
function parseWithPlaces(file: string, content: string, least: string): ParsedText {
  const errors: ParseError[] = [];
  const tree = parseTree(content, errors, { allowTrailingComma: false });
  const lineAt = lineReader(content);

  function problem(path: Path, reason: string): Problem {
    const node = tree === undefined ? undefined : nearestNode(tree, path);
    return { file, path: writePath(path), line: node ? lineAt(node.offset) : null, reason };
  }

  if (content.trim() === '') {
    const reason = `the file is empty; write at least ${least}`;
    return { value: undefined, problems: [{ file, path: '', line: 1, reason }], problem };
  }
  const problems: Problem[] = errors.slice(0, mostProblems).map(({ error, offset }) => ({
    file,
    path: '',
    line: lineAt(offset),
    reason: `not valid JSON: ${sayParseError(printParseErrorCode(error))}`,
  }));
  if (tree === undefined) return { value: undefined, problems, problem };
  const value = toValue(tree, [], (path, first, second) => {
    if (problems.length >= mostProblems) return;
    problems.push({
      file,
      path: writePath(path),
      line: lineAt(second.offset),
      reason: `the key is there twice (first in line ${lineAt(first.offset)}); remove one`,
    });
  });
  return { value, problems, problem };
}

/** From an offset to its line. The text is read once, however many problems there are. */
function lineReader(content: string): (offset: number) => number {
  let ends: number[] | null = null;
  return (offset) => {
    ends ??= Array.from(content.matchAll(/\n/g), ({ index }) => index);
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

type Duplicate = (path: Path, first: Node, second: Node) => void;

function toValue(node: Node, path: Path, duplicate: Duplicate): unknown {
  if (node.type === 'array')
    return (node.children ?? []).map((child, index) => toValue(child, [...path, index], duplicate));
  return node.type === 'object' ? toObject(node, path, duplicate) : node.value;
}

/** Keys are defined, not assigned: "__proto__" is a field like any other, and an unknown one. */
function toObject(node: Node, path: Path, duplicate: Duplicate): object {
  const object = {};
  const seen = new Map<string, Node>();
  for (const { children } of node.children ?? []) {
    const [keyNode, valueNode] = children ?? [];
    if (keyNode === undefined || valueNode === undefined) continue;
    const key = keyNode.value as string;
    const first = seen.get(key);
    if (first !== undefined) duplicate([...path, key], first, keyNode);
    seen.set(key, first ?? keyNode);
    const value = toValue(valueNode, [...path, key], duplicate);
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

/** A missing field is reported where its parent begins. */
function nearestNode(tree: Node, path: Path): Node | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node.parent?.type === 'property' ? node.parent : node;
  }
  return undefined;
}

/** "PropertyNameExpected" to "property name expected" */
function sayParseError(code: string): string {
  return code.replace(/(?<!^)([A-Z])/g, ' $1').toLowerCase();
}
