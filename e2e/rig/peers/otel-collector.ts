/** A real collector of OpenTelemetry, built once by Go from its published packages. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRoot } from '../../../build/places.mjs';
import type { Lab } from '../lab.ts';
import { findProgram, Program, run } from '../process.ts';

const source = new URL('./otel-collector/', import.meta.url).pathname;
const built = inRoot('target', 'peers', `otel-collector-${digestOf('main.go', 'go.mod')}`);
/** A minute and a half on two cores, most of it for packages that come from elsewhere. */
export const patienceMs = 900_000;

/** Null where it is there; builds it once, for who names the tests that need it. What Go downloads and compiles for it takes 1.5 GB, and is removed again. */
export async function whyNoOtelCollector(): Promise<string | null> {
  if (existsSync(built)) return null;
  const go = findProgram('go');
  if (go === undefined)
    return 'no Go, which builds an OpenTelemetry collector: apt-get install golang-go';
  if (process.env['SOTTO_TESTS_NAMED'] !== 'yes')
    return 'no OpenTelemetry collector, which takes Go minutes to build: npm test -- e2e/system/fleet-view';
  await mkdir(inRoot('target', 'peers'), { recursive: true });
  const folder = await mkdtemp(`${built}-`);
  try {
    await cp(source, folder, { recursive: true });
    const [path, cache] = [join(folder, 'path'), join(folder, 'cache')];
    const words = ['build', '-mod=mod', '-modcacherw', '-o', 'collector', '.'];
    const { code, stderr } = await run(go, words, {
      cwd: folder,
      env: { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOPATH: path, GOCACHE: cache },
      timeoutMs: patienceMs,
    });
    if (code !== 0)
      return `the OpenTelemetry collector was not built: ${stderr.trim().split('\n').at(-1)}`;
    await rename(join(folder, 'collector'), built);
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function digestOf(...files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(source, file)));
  return hash.digest('hex').slice(0, 8);
}

/** `config`: its YAML. */
export async function startOtelCollector(lab: Lab, config: string): Promise<Program> {
  const file = join(await mkdtemp(join(lab.directory, 'collector-')), 'collector.yml');
  await writeFile(file, config);
  return lab.adopt(await Program.start(built, ['--config', `file:${file}`]));
}
