/** The paths that a document names, and which of them lead nowhere. Pure. */

/** Text in backticks: `app/service/main.ts`, `policy/`, `tdns.rs`; it may be a path of ours or something else. */
const quoted = /`([^`\s]+)`/g;
const fence = /^```.*?^```/gms;
const link = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
const source = /^[\w./-]+\.(ts|tsx|rs|mjs|md|c|css)$/;
const folder = /^[\w./-]+\/$/;

/** Paths of the machine, paths made by a build, and patterns. */
const isNone = /^[/~.$]|^(target|dist)\/|[*]|NAME/;

/** `files`: every file there is, from the root; `at`: the document. */
export function deadPaths(text: string, at: string, files: readonly string[]): string[] {
  const places = placesOf(files);
  const here = at.split('/').slice(0, -1);
  const top = new Set(files.map((file) => file.split('/')[0]));

  const isOurs = (path: string) => path.includes('/') && top.has(path.split('/')[0]);
  const exists = (path: string) => places.has(path.replace(/^\.\//, '').replace(/\/$/, ''));
  const linked = [...text.matchAll(link)]
    .map(([, path = '']) => path)
    .filter((path) => !/^[a-z]+:/.test(path) && !exists(resolve(here, path)));

  const prose = text.replace(fence, '');
  const named = [...prose.matchAll(quoted)].map(([, path = '']) => path.replace(/:\d+$/, ''));
  const drawn = [...text.matchAll(fence)].flatMap(([block]) => block.split(/[\s();,`]+/));
  const wanted = [...named, ...drawn].filter(
    (path) => !isNone.test(path) && (source.test(path) || folder.test(path) || isOurs(path)),
  );
  return [...new Set([...linked, ...wanted.filter((path) => !exists(path))])];
}

/** Files and folders by every end of their path, because a document may name only `tdns.rs`. */
function placesOf(files: readonly string[]): Set<string> {
  const places = new Set<string>();
  for (const file of files) {
    const parts = file.split('/');
    for (let end = parts.length; end > 0; end--)
      for (let start = 0; start < end; start++) places.add(parts.slice(start, end).join('/'));
  }
  return places;
}

function resolve(folderParts: readonly string[], path: string): string {
  const parts = [...folderParts];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
