/** The public suffix list takes 2 MB a thread and few settings ask for it: it is loaded by the first question. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function publicSuffixList(): typeof import('tldts') {
  return require('tldts');
}
