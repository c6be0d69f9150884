/** Programs from Debian packages: found, or installed where that is allowed, without starting any service. */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { findProgram, run, succeed } from '../e2e/rig/process.ts';

const servicePolicy = '/usr/sbin/policy-rc.d';
/** the exit code by which invoke-rc.d starts no service */
const forbidden = 101;
const patience = { timeoutMs: 300_000, env: { DEBIAN_FRONTEND: 'noninteractive' } };

let refreshed = false;

/** The bare name where the program is not found, so that the attempt to start it says so. */
export function programPath(name: string): string {
  return findProgram(name) ?? name;
}

/** Null when the program is installed; otherwise the reason why it is not. */
export async function fromDebian(program: string, name: string): Promise<string | null> {
  if (findProgram(program) !== undefined) return null;
  const remedy = `apt-get install ${name}`;
  if (findProgram('apt-get') === undefined) return `no ${program}, and no apt-get to install it`;
  if (process.getuid?.() !== 0) return `no ${program}, and only root can install it: ${remedy}`;
  console.log(`installing ${name} (its service is not started) …`);
  const complaint = await withoutServices(() => install(name));
  if (complaint !== null) return `${remedy}: ${complaint}`;
  return findProgram(program) === undefined ? `${remedy} brought no ${program}` : null;
}

async function install(name: string): Promise<string | null> {
  if (!refreshed) {
    const { code, stderr } = await run('apt-get', ['update', '-q'], patience);
    if (code !== 0) return `apt-get update ended with ${code}: ${lastLine(stderr)}`;
    refreshed = true;
  }
  const options = ['install', '-q', '-y', '--no-install-recommends'];
  const { code, stderr } = await run('apt-get', [...options, name], patience);
  if (code !== 0) return `ended with ${code}: ${lastLine(stderr)}`;
  await leaveOffAtBoot(name);
  return null;
}

/** The package enabled its service for the next boot, which a person who runs a benchmark does not expect. */
async function leaveOffAtBoot(service: string): Promise<void> {
  for (const [switcher, ...args] of [
    ['systemctl', '--root=/', 'disable', `${service}.service`],
    ['update-rc.d', service, 'disable'],
  ] as const)
    if (findProgram(switcher) !== undefined) await run(switcher, args);
}

async function withoutServices(install: () => Promise<string | null>): Promise<string | null> {
  if (existsSync(servicePolicy)) {
    const { code } = await run(servicePolicy, ['any', 'start']);
    if (code !== forbidden) return `${servicePolicy} would let the service start`;
    return await install();
  }
  await writeFile(servicePolicy, `#!/bin/sh\nexit ${forbidden}\n`, { mode: 0o755 });
  try {
    return await install();
  } finally {
    await rm(servicePolicy);
  }
}

/** The version from dpkg, because the program's own version is often not that of the release. */
export async function packageVersion(name: string): Promise<string> {
  const [, version = 'unknown'] = (await succeed('dpkg-query', ['-W', name])).trim().split('\t');
  return version;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
