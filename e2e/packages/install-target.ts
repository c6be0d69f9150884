/**
 * A computer to install on: this machine's own files under an overlay, in namespaces of its own. All changes are in memory and
 * end with it.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { type Finished, Program, run, succeed } from '../rig/process.ts';

/** The repository, as seen from inside. */
export const sources = '/srv/sotto';

const namespaces = ['--mount', '--net', '--pid', '--propagation', 'private'];
export const mountRoot = `
  mount -t overlay -o "lowerdir=/,upperdir=$0/changes,workdir=$0/work" overlay "$0/root"`;
export const makeRoot = `
  mount -t tmpfs -o mode=0755 tmpfs "$0"
  mkdir "$0/changes" "$0/work" "$0/root"${mountRoot}`;
const furnish = `
  mount --rbind /dev "$0/root/dev"
  mount -t proc proc "$0/root/proc"
  mount --rbind /sys "$0/root/sys"
  mount -t tmpfs -o mode=0755 tmpfs "$0/root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$0/root/tmp"
  mkdir -p "$0/root${sources}"
  mount --bind "$1" "$0/root${sources}"
  ip link set lo up
  rm -f "$0/root/var/lib/man-db/auto-update" "$0/root/etc/resolv.conf"
  cp "$2" "$0/root/etc/resolv.conf"
  exec chroot "$0/root" sleep infinity`;

/** Longer than any command takes, also an installation on a busy machine. */
const commandMs = 200_000;

const cleanEnvironment = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8'];

/** The reason why there can't be such a machine here; null: there can. */
export function whyNoInstallTarget(): string | null {
  if (process.getuid?.() !== 0) return 'only root can make a computer to install on';
  const place = mkdtempSync(join(tmpdir(), 'sotto-overlay-'));
  const made = spawnSync('unshare', [...namespaces, '--fork', '/bin/sh', '-ec', makeRoot, place]);
  rmSync(place, { recursive: true });
  return made.status === 0 ? null : 'no overlays in namespaces of our own here';
}

export class InstallTarget {
  readonly #holder: Program;
  readonly #pid: number;
  readonly #changes: string;

  static async create(lab: Lab, resolvConf: string): Promise<InstallTarget> {
    const place = join(lab.directory, 'machine');
    mkdirSync(place);
    chmodSync(lab.directory, 0o755);
    const before = join(lab.directory, 'resolv.conf');
    await writeFile(before, resolvConf);
    chmodSync(before, 0o644);
    const holder = await Program.start('unshare', [
      ...namespaces,
      '--fork',
      '--kill-child',
      ...['/bin/sh', '-ec', `${makeRoot}${furnish}`, place, root, before],
    ]);
    lab.adoptUndying(holder);
    const pid = await holder.ready(async () => {
      const [child] = childrenOf(holder.pid);
      const program = child === undefined ? '' : await readFile(`/proc/${child}/comm`, 'utf8');
      return program.trim() === 'sleep' && child;
    });
    return new InstallTarget(holder, pid, join(place, 'changes'));
  }

  /** `pid`: of a process inside; `holder` keeps it there, and sees at `changes` what differs from this machine. */
  constructor(holder: Program, pid: number, changes = '') {
    this.#holder = holder;
    this.#pid = pid;
    this.#changes = changes;
  }

  /** As root; `who` is a user's name. */
  inside(words: readonly string[], who = 'root'): [string, string[]] {
    const become = who === 'root' ? [] : ['runuser', '--user', who, '--'];
    const enter = ['--target', `${this.#pid}`, '--mount', '--net', '--pid', '--root', '--wd'];
    return ['nsenter', [...enter, '--', ...cleanEnvironment, ...become, ...words]];
  }

  async run(words: readonly string[], who?: string): Promise<Finished> {
    return await run(...this.inside(words, who), { timeoutMs: commandMs });
  }

  /** Its output; throws where it fails. */
  async succeed(words: readonly string[], who?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, who);
    if (code === 0) return stdout;
    throw new Error(`${words.join(' ')} ended with ${code}\n${stdout}${stderr}`);
  }

  /** Files that are only here. What other programs do to this machine meanwhile shows through, and is none of them. */
  async ownFiles(): Promise<string[]> {
    const changes = `/proc/${this.#holder.pid}/root${this.#changes}`;
    // a device stands for a file that was removed here
    const found = await succeed('find', [
      `${changes}/`,
      '-xdev',
      '!',
      '-type',
      'c',
      '-printf',
      '/%P\\n',
    ]);
    return found.split('\n').filter((path) => path !== '' && !existsSync(path));
  }

  async start(lab: Lab, words: readonly string[], who?: string): Promise<Program> {
    return lab.adopt(await Program.start(...this.inside(words, who)));
  }

  async read(path: string): Promise<string> {
    return await readFile(this.#path(path), 'utf8');
  }

  async write(path: string, text: string): Promise<void> {
    mkdirSync(join(this.#path(path), '..'), { recursive: true });
    await writeFile(this.#path(path), text);
  }

  async copyIn(file: string, path: string): Promise<void> {
    mkdirSync(join(this.#path(path), '..'), { recursive: true });
    await copyFile(file, this.#path(path));
  }

  #path(path: string): string {
    return join(`/proc/${this.#pid}/root`, path);
  }

  async untilListening(port: number): Promise<void> {
    const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
    const file = `/proc/${this.#pid}/net/udp`;
    await eventually(`somebody listens on ${port}`, () =>
      readFileSync(file, 'utf8').includes(wanted),
    );
  }

  stop(): Promise<unknown> {
    return this.#holder.stop();
  }
}

export function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}
