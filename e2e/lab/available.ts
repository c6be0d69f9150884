/** What the lab borrows from the machine beyond programs: root, and a kernel that lets it make networks. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { describeWith, type Need, repository } from '../rig/available.ts';

export const sottoLab = join(repository, 'target/release/sotto-lab');
export const ip = '/usr/sbin/ip';
export const tshark = '/usr/bin/tshark';

/** `describeWith` for tests that make network namespaces and capture on them. */
export function describeInLab(needs: readonly Need[], title: string, body: () => void): void {
  const reason = whyNoLab();
  if (reason === null) describeWith(['dumpcap', ...needs], title, body);
  else it(title, (context) => context.skip(reason));
}

/** Null where the lab can be set up. */
export function whyNoLab(): string | null {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces and raw sockets need root';
  if (!existsSync(ip)) return 'no ip: apt-get install iproute2';
  if (!existsSync(tshark)) return 'no tshark: apt-get install tshark';
  if (!existsSync(sottoLab))
    return 'sotto-lab is not built: cargo build --release --manifest-path native/Cargo.toml -p sotto-lab';
  const probe = `sotto-${process.pid}-probe`;
  const made = spawnSync(ip, ['netns', 'add', probe], { encoding: 'utf8' });
  if (made.status !== 0) return `this kernel makes no network namespaces: ${made.stderr.trim()}`;
  spawnSync(ip, ['netns', 'delete', probe]);
  return null;
}
