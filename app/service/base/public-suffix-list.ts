/** The public suffix list takes 2 MB a thread and few settings need it, so it is loaded on first use. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function publicSuffixList(): typeof import('tldts') {
  loaded ??= require('tldts') as typeof import('tldts');
  return loaded;
}

let loaded: typeof import('tldts') | null = null;
