/** Tries the rule of biome.json on files that break it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inRoot } from './places.mjs';

const biome = inRoot('node_modules', '@biomejs', 'biome', 'bin', 'biome');
const folder = mkdtempSync(join(tmpdir(), 'sotto-lint-'));
const {
  vcs: _vcs,
  $schema: _schema,
  ...rules
} = JSON.parse(readFileSync(inRoot('biome.json'), 'utf8'));
writeFileSync(join(folder, 'biome.json'), JSON.stringify(rules));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The linter's output for a file at this place with this import. */
function lint(file: string, imported: string): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import * as other from '${imported}';\nother;\n`);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [biome, 'lint', '--only=noRestrictedImports', file],
    { cwd: folder, encoding: 'utf8' },
  );
  const said = stdout + stderr;
  expect(said).toContain('Checked 1 file');
  return said;
}

test.each([
  ['app/contract/errors.ts', '../service/main.ts'],
  ['app/contract/settings/settings.ts', '../../service/main.ts'],
  ['app/service/main.ts', '../cli/main.ts'],
  ['app/service/control/server.ts', '../../../renderer/state/store.ts'],
  ['app/cli/commands/status.ts', '../../service/query-log/store.ts'],
  ['app/cli/main.ts', '../tray/tray.ts'],
  ['app/service-client/connect.ts', '../service/control/server.ts'],
  ['app/page/page-server.ts', '../service/control/server.ts'],
  ['app/page/page-server.ts', '../cli/terminal.ts'],
  ['app/service/main.ts', '../page/page-server.ts'],
  ['renderer/state/session.ts', '../../app/service-client/service-client.ts'],
  ['renderer/main.tsx', '../app/page/page-server.ts'],
  ['renderer/features/home/home-page.tsx', '../../../app/service/main.ts'],
])('%s may not import %s', (file, imported) => {
  expect(lint(file, imported)).toContain('noRestrictedImports');
});

test.each([
  ['app/contract/settings/settings.ts', '../dns/socket-address.ts'],
  ['app/service/main.ts', '../contract/settings/settings.ts'],
  ['app/cli/commands/status.ts', '../../contract/service-api.ts'],
  ['app/cli/commands/status.ts', '../../service-client/connect.ts'],
  ['app/page/page-server.ts', '../service-client/service-client.ts'],
  ['renderer/state/session.ts', '../../app/contract/errors.ts'],
])('%s may import %s', (file, imported) => {
  expect(lint(file, imported)).not.toContain('noRestrictedImports');
});
