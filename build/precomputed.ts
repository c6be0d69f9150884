/** Modules whose exports are computed while the page is built, so that it contains their values and not their code. */
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

export function precomputed(...files: readonly string[]): Plugin {
  return {
    name: 'precomputed',
    enforce: 'pre',
    async load(id) {
      if (!files.includes(id)) return null;
      const values: Record<string, unknown> = await import(pathToFileURL(id).href);
      const lines = Object.entries(values).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
      );
      return lines.join('\n');
    },
  };
}
