/** AdGuard's dnsproxy, built from its released module with the machine's Go. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, Program, run, succeed } from '../../e2e/rig/process.ts';
import { cacheEntries, type Peer, type Place } from '../peer.ts';
import { workshop } from '../places.ts';

const modulePath = 'github.com/AdguardTeam/dnsproxy';
/** newest first; the first that can be built is used */
const releases = ['v0.84.0', 'v0.75.0'];
export const dnsproxyCommand = join(workshop, 'dnsproxy');
/** Octets of an entry's key and response in these benchmarks, with a reserve, because this cache is limited in octets. */
const octetsPerEntry = 512;

export const dnsproxy: Peer = {
  id: 'dnsproxy',
  title: 'AdGuard dnsproxy',
  kind: 'peer',
  caches: true,
  forwards: true,
  setup: 'a Go thread per processor (default); cache raised from 64 kB so that 100,000 answers fit',
  provide,
  version: builtVersion,
  async start(place) {
    const file = join(place.directory, 'dnsproxy.yaml');
    await writeFile(file, dnsproxySettings(place));
    const env = { SSL_CERT_FILE: place.upstream.ca };
    return await Program.start(dnsproxyCommand, [`--config-path=${file}`], { env });
  },
};

export function dnsproxySettings({ port, upstream }: Place): string {
  const settings = {
    'listen-addrs': ['127.0.0.1'],
    'listen-ports': [port],
    upstream: [`tls://${upstream.address}:${upstream.port}`],
    cache: true,
    'cache-size': cacheEntries * octetsPerEntry,
  };
  // JSON is YAML.
  return JSON.stringify(settings);
}

async function provide(): Promise<string | null> {
  if (existsSync(dnsproxyCommand)) return null;
  const go =
    findProgram('go') ?? (existsSync('/usr/local/go/bin/go') ? '/usr/local/go/bin/go' : null);
  if (go === null) return 'not built, and no Go to build it with';
  const complaints: string[] = [];
  for (const release of releases) {
    console.log(`building dnsproxy ${release}; a minute or two …`);
    const complaint = await build(go, release);
    if (complaint === null) return null;
    complaints.push(`${release}: ${complaint}`);
  }
  return complaints.join('; ');
}

/**
 * It is built in a module of our own that names the release, because `go install` also needs a list of all releases, which is not
 * always available.
 */
async function build(go: string, release: string): Promise<string | null> {
  const directory = join(workshop, `dnsproxy-${release}`);
  await mkdir(directory, { recursive: true });
  await writeFile(
    join(directory, 'go.mod'),
    `module bench\n\ngo 1.24\n\nrequire ${modulePath} ${release}\n`,
  );
  const { code, stderr } = await run(go, ['build', '-mod=mod', '-o', dnsproxyCommand, modulePath], {
    cwd: directory,
    env: { GOTOOLCHAIN: 'local' },
    timeoutMs: 600_000,
  });
  return code === 0 ? null : (stderr.trim().split('\n').at(-1) ?? `go ended with ${code}`);
}

async function builtVersion(): Promise<string> {
  const go = findProgram('go') ?? '/usr/local/go/bin/go';
  const said = await succeed(go, ['version', '-m', dnsproxyCommand]);
  return said.match(/^\tmod\t\S+\t(\S+)/m)?.[1] ?? 'unknown';
}
