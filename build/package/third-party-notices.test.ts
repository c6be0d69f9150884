/** The notices where cargo has fetched nothing yet; this needs the registry of crates, as every first build does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { copyCargoConfiguration } from '../empty-home.ts';
import { crateNotices } from './third-party-notices.ts';

it('are complete from an empty folder of cargo, with crates that no build fetches', (context) => {
  const home = mkdtempSync(join(tmpdir(), 'sotto-cargo-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  copyCargoConfiguration(home);
  vi.stubEnv('CARGO_HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const notices = unlessUnreachable(crateNotices);
  if (notices === null) return context.skip('the registry of crates can not be reached');
  // proptest is compiled for tests alone, rustls for what is shipped.
  for (const name of ['proptest', 'rustls']) expect(notices).toContain(`${name} `);
});

function unlessUnreachable(work: () => string): string | null {
  try {
    return work();
  } catch (error) {
    if (/resolve host|connect to server|timed? ?out/i.test(`${error}`)) return null;
    throw error;
  }
}
