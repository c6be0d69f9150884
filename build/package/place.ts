/** Copies files to their places, with folders and permissions as an installation has them, whatever the umask is. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { whyNotLocked } from '../shipped-lock.mjs';

/** A file, or a folder with everything in it. */
export function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true });
}

export function write(file: string, text: string | Buffer, mode = 0o644): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

export function link(target: string, place: string): void {
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place);
}

/** One that we compiled, without its symbols for debuggers. */
export function copyProgram(from: string, to: string): void {
  copy(from, to);
  chmodSync(to, to.endsWith('.node') ? 0o644 : 0o755);
  output('strip', ['--strip-debug', to]);
}

/** Changes the shipped copy, not its source. */
export function requireLocked(part: Parameters<typeof whyNotLocked>[0], file: string): void {
  const why = whyNotLocked(part, file);
  if (why !== null) throw new Error(why);
}

/** The output of a program; throws where it fails. */
export function output(program: string, words: readonly string[], cwd?: string): string {
  const ended = spawnSync(program, words, { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${program} ${words[0]}: ${ended.error?.message ?? ended.stderr.trim()}`);
}

/** Makes everything readable for all, writable for its owner only, and gives all files one time (unix seconds). */
export function settle(folder: string, moment: number): void {
  for (const name of readdirSync(folder)) {
    const place = join(folder, name);
    const found = lstatSync(place);
    if (found.isDirectory()) settle(place, moment);
    else if (found.isFile()) chmodSync(place, (found.mode & 0o111) === 0 ? 0o644 : 0o755);
    lutimesSync(place, moment, moment);
  }
  if (statSync(folder).isDirectory()) chmodSync(folder, 0o755);
  lutimesSync(folder, moment, moment);
}
