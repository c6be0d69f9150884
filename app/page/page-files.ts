/** The page's own files, read once: what is not in this list is not served, whatever path is asked for. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { inlineSources } from './inline-policy.ts';

export interface PageFile {
  headers: Record<string, string>;
  content: Buffer;
}

/** Nothing from elsewhere, nothing inline but what the file itself has, no frames around it, nothing sent anywhere but here. */
function policyOf(text: string): string {
  const { script, style } = inlineSources(text);
  return [
    "default-src 'none'",
    `script-src 'self'${script}`,
    `style-src 'self'${style}`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** By the path that asks for them. */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  if (!existsSync(folder)) return files;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const asked = relative(folder, path).split(sep).join('/');
    const content = readFileSync(path);
    files.set(asked === 'index.html' ? '/' : `/${asked}`, {
      headers: {
        ...fixed,
        'content-security-policy': policyOf(asked === 'index.html' ? content.toString() : ''),
        'content-type': type,
        'cache-control': caching(asked),
      },
      content,
    });
  }
  return files;
}

const fixed = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), clipboard-write=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Named by their content, they never change. */
function caching(path: string): string {
  return path.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'no-store';
}
