/**
 * index.html has a few styles and a few lines of script in itself, so that it is painted before anything else has come
 * (build/first-frame.ts). The page's policy lets in exactly those, by what they are (CSP Level 3, hash-source).
 */
import { createHash } from 'node:crypto';

/** What stands behind 'self' in the policy of this document; empty where nothing is inline. */
export function inlineSources(html: string): { script: string; style: string } {
  return {
    script: hashesOf(html, /<script>([\s\S]*?)<\/script>/g),
    style: hashesOf(html, /<style>([\s\S]*?)<\/style>/g),
  };
}

function hashesOf(html: string, inline: RegExp): string {
  return Array.from(html.matchAll(inline), ([, text = '']) => {
    const hash = createHash('sha256').update(text).digest('base64');
    return ` 'sha256-${hash}'`;
  }).join('');
}
