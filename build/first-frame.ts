/**
 * The page is painted before it is loaded: index.html contains a first frame with its styles and script inline, because fetched
 * ones would wait behind all other files. The styles of the page come after the frame, and its script is fetched meanwhile and
 * started by first-frame.js once the frame is painted.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { inRoot } from './places.mjs';

const styles = ['tokens.css', 'base.css', 'first-frame.css'];
const pageScript = /<script type="module" crossorigin src="([^"]+)"><\/script>/;
const pageStyles = /\s*<link rel="stylesheet" crossorigin [^>]+>/g;

/** @param folder of the page's sources */
export function firstFrame(folder: string): Plugin {
  return {
    name: 'first-frame',
    buildStart() {
      this.emitFile({ type: 'asset', fileName: font.name, source: font.content });
    },
    transformIndexHtml: { order: 'post', handler: (html) => paintedFirst(html, folder) },
  };
}

/**
 * The Latin part of Inter, under the SIL Open Font License. It is wanted before the first paint: what is not there by then is not
 * swapped in later, so that no text moves.
 */
const font = readFont('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');

function readFont(path: string): { name: string; content: Buffer } {
  const content = readFileSync(inRoot('node_modules', path));
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return { name: `assets/inter-${digest}.woff2`, content };
}

const fontFace = `@font-face {
  font-family: Inter;
  font-weight: 100 900;
  font-display: optional;
  src: url("./${font.name}") format("woff2");
}
`;
const fontLink = `<link rel="preload" as="font" type="font/woff2" crossorigin href="./${font.name}">`;

function paintedFirst(html: string, folder: string): string {
  if (!pageScript.test(html)) throw new Error('index.html has no script of its own');
  const style = styles.map((name) => read(folder, 'styles', name)).join('');
  const first = `${fontLink}\n    <style>${fontFace}${style}</style>\n    <script>${read(folder, 'first-frame.js')}</script>`;
  const later = html.match(pageStyles) ?? [];
  return html
    .replace(pageScript, '<link rel="modulepreload" crossorigin data-start href="$1">')
    .replaceAll(pageStyles, '')
    .replace('</title>', () => `</title>\n    ${first}`)
    .replace('</body>', `${later.join('')}\n  </body>`);
}

/** Without its comments. */
function read(...path: string[]): string {
  return readFileSync(join(...path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/\n?|^\s*\/\/.*\n/gm, '');
}
