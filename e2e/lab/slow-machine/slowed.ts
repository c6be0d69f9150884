/**
 * Runs one command on a machine that is slow on purpose: each processor has a busy loop beside it, a program has the disk confirm
 * every write, and all that belongs to the command stands still for 0.1 to 3 s at random moments.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Freezer } from './freezer.ts';

export interface Slowed {
  passed: boolean;
  /** what it wrote, the end of it */
  said: string;
  seconds: number;
  stops: number;
  /** processes that were left when it had ended */
  left: number;
}

/** After so long a command is taken for hung, and ended. */
const longestSeconds = 1200;
const keptOctets = 400_000;
/** Whoever kills this process is not left with a slow machine. */
const whileWeRun = 'while kill -0 $PPID; do';

export async function slowed(
  command: string[],
  cwd: string,
  chance: () => number,
): Promise<Slowed> {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-slow-'));
  const freezer = new Freezer(`sotto-slow-${process.pid}`);
  const burdens = [
    ...Array.from({ length: availableParallelism() }, () =>
      spawn('sh', ['-c', `${whileWeRun} :; done`]),
    ),
    spawn('sh', [
      '-c',
      `${whileWeRun} dd if=/dev/zero of=${folder}/w bs=64k count=16 oflag=dsync 2>/dev/null; done`,
    ]),
  ];
  const began = performance.now();
  try {
    const [program = '', ...args] = command;
    const child = spawn(...freezer.inside(program, args), {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = collect(child);
    const ended = once(child, 'exit') as Promise<[number | null]>;
    const stopping = stopNowAndThen(freezer, ended, chance);
    const [code] = await Promise.race([ended, hung(child)]);
    const seconds = (performance.now() - began) / 1000;
    const stops = await stopping;
    return { passed: code === 0, said: said(), seconds, stops, left: (await freezer.end()).length };
  } finally {
    for (const burden of burdens) burden.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Until the command has ended; returns how often. */
async function stopNowAndThen(
  freezer: Freezer,
  ended: Promise<unknown>,
  chance: () => number,
): Promise<number> {
  let running = true;
  void ended.then(() => {
    running = false;
  });
  for (let stops = 0; ; stops++) {
    await Promise.race([ended, pause(300 + chance() * 6000)]);
    if (!running) return stops;
    freezer.freeze();
    await pause(100 + chance() * 2900);
    freezer.thaw();
  }
}

async function hung(child: ChildProcess): Promise<[number | null]> {
  await pause(longestSeconds * 1000, undefined, { ref: false });
  child.kill('SIGKILL');
  return [null];
}

function collect(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-keptOctets);
    });
  return () => said;
}
