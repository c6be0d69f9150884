/** Which file of a crate imports from which other file of it, read from its `use` lines and paths. Pure. */

/** A crate's sources by their path below `src/`. */
export type Sources = ReadonlyMap<string, string>;
type Imports = Map<string, Set<string>>;

/** Each file with the files from which it imports; imports in a file's own tests do not count. */
export function importsOf(sources: Sources): Imports {
  const modules = new Map([...sources.keys()].map((file) => [moduleOf(file), file]));
  const imports: Imports = new Map();
  for (const [file, text] of sources) {
    if (isTest(file)) continue;
    const taken = pathsIn(withoutTests(text), moduleOf(file))
      .map((path) => fileOf(path, modules))
      .filter((other) => other !== undefined && other !== file && !isTest(other));
    imports.set(file, new Set(taken as string[]));
  }
  return imports;
}

/** Groups of files that lead back to themselves, each sorted. */
export function circles(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = new Map([...imports.keys()].map((file) => [file, reachedFrom(file, imports)]));
  const leadsTo = (one: string, other: string) => reach.get(one)?.has(other) ?? false;
  const groups = [...imports.keys()]
    .filter((file) => leadsTo(file, file))
    .map((file) =>
      [...imports.keys()].filter((other) => leadsTo(file, other) && leadsTo(other, file)),
    )
    .map((group) => group.sort());
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}

/**
 * Imports of a lower floor from a higher one. `floors`: files, or folders with a slash at their end, the highest first; files on
 * no floor are ignored.
 */
export function upward(imports: Imports, floors: readonly string[]): string[] {
  const stands = (file: string, one: string) =>
    file === one || (one.endsWith('/') && file.startsWith(one));
  const floor = (file: string) => floors.findIndex((one) => stands(file, one));
  const arrows = [...imports].flatMap(([from, all]) => [...all].map((to) => [from, to] as const));
  return arrows
    .filter(([from, to]) => floor(from) >= 0 && floor(to) >= 0 && floor(to) < floor(from))
    .map(([from, to]) => `${from} -> ${to}`)
    .sort();
}

const isTest = (file: string) => /(^|\/)tests(\.rs$|\/)/.test(file);

/** `upstream/pool/apart.rs` → `upstream::pool::apart`. */
function moduleOf(file: string): string {
  const parts = file.replace(/\.rs$/, '').split('/');
  if (['mod', 'lib', 'main'].includes(parts.at(-1) ?? '')) parts.pop();
  return parts.join('::');
}

function withoutTests(text: string): string {
  return text
    .replace(/#\[cfg\((all\()?test[^\n]*\n(#\[[^\n]*\n)*mod \w+ \{[\s\S]*?\n\}\n?/g, '')
    .replace(/\/\/[^\n]*/g, '');
}

/**
 * Every path that begins with `crate`, `super`, `self` or a module of the file's own, with braces expanded, from the crate's
 * root.
 */
function pathsIn(text: string, module: string): string[] {
  const own = [...text.matchAll(/\bmod (\w+);/g)].map(([, name]) => name);
  const start = `(?:${['crate', 'super', 'self', ...own].join('|')})`;
  const used = [...text.matchAll(new RegExp(`\\buse\\s+(${start}\\b[^;]*);`, 'g'))];
  const trees = used.flatMap(([, tree = '']) => opened(tree.replace(/\s+/g, ' ').trim()));
  const rest = text.replace(/\buse\s+[^;]*;/g, '');
  const inline = [...rest.matchAll(new RegExp(`(?<![:\\w])${start}(?:::\\w+)+`, 'g'))];
  const paths = [...trees, ...inline.map(([path]) => path)];
  return paths.map((path) => absolute(path, module));
}

/** `a::{b, c::{d, e}}` → `a::b`, `a::c::d`, `a::c::e`. */
function opened(tree: string): string[] {
  const at = tree.indexOf('{');
  if (at < 0) return [tree.replace(/ as \w+$/, '').trim()];
  const before = tree.slice(0, at).trim();
  const inside = tree.slice(at + 1, tree.lastIndexOf('}'));
  return branches(inside).flatMap((branch) => opened(`${before}${branch.trim()}`));
}

/** Splits at commas outside inner braces. */
function branches(text: string): string[] {
  const all = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (letter === ',' && depth === 0) all.push('');
    else all[all.length - 1] += letter;
  }
  return all.filter((branch) => branch.trim() !== '');
}

function absolute(path: string, module: string): string {
  const parts = path.split('::').map((part) => part.trim());
  // a root's module is empty, and a path that begins with a module of the file itself is relative
  let base = parts[0] === 'crate' || module === '' ? [] : module.split('::');
  while (['crate', 'self', 'super'].includes(parts[0] ?? '')) {
    if (parts.shift() === 'super') base = base.slice(0, -1);
  }
  return [...base, ...parts].filter((part) => part !== 'self').join('::');
}

/** The file of the longest module with which the path begins; the root contains only modules. */
function fileOf(path: string, modules: ReadonlyMap<string, string>): string | undefined {
  const parts = path.split('::');
  for (let length = parts.length; length > 0; length -= 1) {
    const file = modules.get(parts.slice(0, length).join('::'));
    if (file !== undefined) return file;
  }
  return undefined;
}

function reachedFrom(file: string, imports: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [...(imports.get(file) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(imports.get(next) ?? []));
  }
  return reached;
}
