/**
 * The page is painted before it is loaded: index.html contains a first frame with its styles and script inline, because fetched
 * ones would wait behind all other files. The styles of the page come after the frame, and its script is fetched meanwhile and
 * started by first-frame.js once the frame is painted.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const styles = ['tokens.css', 'base.css', 'first-frame.css'];
const pageScript = /<script type="module" crossorigin src="([^"]+)"><\/script>/;
const pageStyles = /\s*<link rel="stylesheet" crossorigin [^>]+>/g;

/** @param folder of the page's sources */
export function firstFrame(folder: string): Plugin {
  return {
    name: 'first-frame',
    transformIndexHtml: { order: 'post', handler: (html) => paintedFirst(html, folder) },
  };
}

function paintedFirst(html: string, folder: string): string {
  if (!pageScript.test(html)) throw new Error('index.html has no script of its own');
  const style = styles.map((name) => read(folder, 'styles', name)).join('');
  const first = `<style>${style}</style>\n    <script>${read(folder, 'first-frame.js')}</script>`;
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
