/**
 * Modules whose exports are computed while something is built, so that it contains their values and not their code. JSON, because
 * V8 reads it faster than the same text as a script.
 */
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';
import { inRoot } from './places.mjs';

const files: readonly string[] = [inRoot('app', 'contract', 'fitting', 'contract-schemas.ts')];

export const precomputed: Plugin & { enforce: 'pre' } = {
  name: 'precomputed',
  enforce: 'pre',
  async load(id) {
    if (!files.includes(id)) return null;
    const values: Record<string, unknown> = await import(pathToFileURL(id).href);
    const lines = Object.entries(values).map(
      ([name, value]) =>
        `export const ${name} = /* @__PURE__ */ JSON.parse(${JSON.stringify(JSON.stringify(value))});`,
    );
    return lines.join('\n');
  },
};
