/** How the page is built: from renderer/ into target/renderer, every file named by its content. */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import type { InlineConfig } from 'vite';
import { droppable } from './droppable.ts';
import { firstFrame } from './first-frame.ts';
import { inRoot, rendererOutput } from './places.mjs';
import { precomputed } from './precomputed.ts';

const owners = new Map<string, string>();

/** Each stands in script and style, so it is short; the same wherever the repository lies. */
function scopedName(name: string, file: string): string {
  const owner = relative(inRoot('renderer'), file);
  const scoped = `${name}-${createHash('sha256').update(owner).digest('base64url').slice(0, 3)}`;
  const other = owners.get(scoped) ?? owner;
  if (other !== owner) throw new Error(`${owner} and ${other} have the same class ${scoped}`);
  owners.set(scoped, owner);
  return scoped;
}

const config: InlineConfig = {
  configFile: false,
  root: inRoot('renderer'),
  publicDir: inRoot('renderer', 'public'),
  cacheDir: inRoot('target', 'vite'),
  base: './',
  logLevel: 'warn',
  plugins: [droppable(inRoot('app', 'contract')), firstFrame(inRoot('renderer')), precomputed],
  resolve: {
    alias: {
      'react-remove-scroll': inRoot('build', 'left-out.ts'),
      'aria-hidden': inRoot('build', 'left-out.ts'),
    },
  },
  css: { modules: { generateScopedName: scopedName } },
  build: {
    outDir: rendererOutput,
    emptyOutDir: true,
    target: 'es2024',
    cssTarget: 'chrome123',
    /** The page's policy allows neither data: nor inline content. */
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      onLog(level, log, handle) {
        // "use client" matters only to frameworks that render on servers.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
};

export default config;
