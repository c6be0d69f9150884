/** `describe` on a desktop of its own, or one skipped test that says what this machine lacks for that. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { lab } from '../../app/service/network/bus-peer-fixture.ts';
import { trayFolder } from '../../build/places.mjs';

/** What must be installed, how that is checked, and the package that has it. */
const needs: [program: string, args: string[], brings: string][] = [
  ['Xvfb', ['-help'], 'xvfb'],
  ['dbus-daemon', ['--version'], 'dbus-daemon'],
  ['setpriv', ['--version'], 'util-linux'],
];
const libraries: [file: string, brings: string][] = [
  ['libgtk-3.so.0', 'libgtk-3-0'],
  ['libnss3.so', 'libnss3'],
  ['libasound.so.2', 'libasound2'],
  ['libgbm.so.1', 'libgbm1'],
];

export function describeOnDesktop(title: string, body: () => void): void {
  const reason = whyNoDesktop();
  if (reason === null) describe(title, body);
  else it(title, (context) => context.skip(reason));
}

/** The reason why there can be no desktop; null where there can. */
export function whyNoDesktop(): string | null {
  if (process.platform !== 'linux') return 'the desktop here is Linux’s';
  const reasons = missing();
  return reasons.length === 0 ? null : reasons.join('; ');
}

function missing(): string[] {
  const programs = needs.filter(
    ([program, args]) => spawnSync(program, args, { stdio: 'ignore' }).error !== undefined,
  );
  const known = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).stdout;
  const absent = libraries.filter(([file]) => !known.includes(`${file} `));
  return [
    ...programs.map(([program, , brings]) => `no ${program}: apt-get install ${brings}`),
    ...absent.map(([file, brings]) => `no ${file}: apt-get install ${brings}`),
    ...(existsSync(join(trayFolder, 'tray.cjs')) ? [] : ['the tray is not built: npm start']),
    ...(existsSync(lab) ? [] : ['sotto-lab, which plays the desktop, is not built: npm start']),
  ];
}
