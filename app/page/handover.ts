/**
 * Hands the one-time code to a browser: every account could read an argument of a command, so a file that only its owner can
 * read sends the browser to the page.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Handover {
  /** the page with the code: the first client that has it is let in */
  url: string;
  file: string;
  /** the file, as an address for a browser */
  fileUrl: string;
}

export async function openHandover(address: string, code: string): Promise<Handover> {
  const url = `${address}#code=${code}`;
  // The folder is its owner's alone (0700), so that no other account can replace the file.
  const folder = await mkdtemp(join(process.env['XDG_RUNTIME_DIR'] || tmpdir(), 'sotto-page-'));
  const file = join(folder, 'open.html');
  await writeFile(file, redirectTo(url), { mode: 0o600, flag: 'wx' });
  return { url, file, fileUrl: pathToFileURL(file).href };
}

export async function closeHandover({ file }: Handover): Promise<void> {
  await rm(dirname(file), { recursive: true, force: true });
}

/** Both parts of the address are made here, of letters that mean nothing in HTML. */
function redirectTo(url: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>Sotto</title>
<a href="${url}">Sotto</a>
`;
}
