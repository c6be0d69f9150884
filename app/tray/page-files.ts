/** The built page's files, each with its type and the page's policy. */
import { readFile } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import { inlineSources } from '../page/inline-policy.ts';
import type { PageFiles } from './page-protocol.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Only its own files; only code from these files and from the document itself; no frames, no forms. */
function policyOf(document: string): string {
  const { script, style } = inlineSources(document);
  return [
    "default-src 'none'",
    `script-src 'self'${script}`,
    `style-src 'self'${style}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

export function pageFiles(folder: string): PageFiles {
  return async (path) => {
    const file = fileOf(path, folder);
    const type = types[extname(file ?? '')];
    if (file === null || type === undefined) return missing;
    try {
      const body = await readFile(file);
      return {
        status: 200,
        headers: {
          'content-type': type,
          'content-security-policy': policyOf(extname(file) === '.html' ? body.toString() : ''),
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        },
        body,
      };
    } catch {
      return missing;
    }
  };
}

/** null: the path names no file in the folder. */
function fileOf(path: string, folder: string): string | null {
  const wanted = decoded(path === '/' ? '/index.html' : path);
  if (wanted === null) return null;
  const file = resolve(folder, `.${wanted}`);
  return file.startsWith(resolve(folder) + sep) ? file : null;
}

const missing = {
  status: 404,
  headers: { 'content-type': 'text/plain', 'content-security-policy': policyOf('') },
  body: Buffer.from('not found'),
};

function decoded(path: string): string | null {
  try {
    const text = decodeURIComponent(path);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
