import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { desktopApplications, desktopFolders } from './desktop-applications.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-desktop-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const firefox = `#!/usr/bin/env xdg-open
[Desktop Entry]
Name[de]=Feuerfuchs
Name = Firefox Web Browser
Icon=firefox

[Desktop Action new-window]
Name=New Window
Icon=window-new
`;

test('the entry itself counts, not its translations and actions', () => {
  writeFileSync(join(folder, 'firefox.desktop'), firefox);
  const of = desktopApplications([folder]);
  expect(of('firefox')).toEqual({ name: 'Firefox Web Browser', icon: 'firefox' });
});

test('a snap has its name twice in its file', () => {
  writeFileSync(join(folder, 'chromium_chromium.desktop'), '[Desktop Entry]\nName=Chromium\n');
  expect(desktopApplications([folder])('chromium')).toEqual({ name: 'Chromium', icon: '' });
});

test('programs are found by what their applications are called', () => {
  writeFileSync(join(folder, 'org.mozilla.firefox.desktop'), firefox);
  writeFileSync(join(folder, 'chromium_chromium.desktop'), '[Desktop Entry]\nName=Web\n');
  writeFileSync(join(folder, 'web.desktop'), '[Desktop Entry]\nName=Epiphany\n');
  const { programsNamed } = desktopApplications([folder]);
  expect(programsNamed('firefox web browser')).toEqual(['org.mozilla.firefox']);
  expect(programsNamed('firefox*')).toEqual(['org.mozilla.firefox']);
  expect(programsNamed('*')).toHaveLength(3);
  expect(programsNamed('web')).toEqual([]);
  expect(programsNamed('curl')).toEqual([]);
});

test('a program without a file has no name, and a path is no program', () => {
  const of = desktopApplications([join(folder, 'below')]);
  mkdirSync(join(folder, 'below'));
  writeFileSync(join(folder, 'secret.desktop'), firefox);
  for (const program of ['curl', '', '../secret', '.', 'a/b']) expect(of(program).name).toBe('');
});

test('a new file is found after ten minutes', () => {
  let now = 0;
  const of = desktopApplications([folder], () => now);
  expect(of('firefox').name).toBe('');
  writeFileSync(join(folder, 'firefox.desktop'), firefox);
  now = 599_999;
  expect(of('firefox').name).toBe('');
  now = 600_000;
  expect(of('firefox').name).toBe('Firefox Web Browser');
});

test('the folders are those of the person, of the system, of Flatpak and of Snap', () => {
  expect(desktopFolders({ HOME: '/home/ann', XDG_DATA_DIRS: '/usr/share:relative' })).toEqual([
    '/home/ann/.local/share/applications',
    '/home/ann/.local/share/flatpak/exports/share/applications',
    '/usr/share/applications',
    '/var/lib/flatpak/exports/share/applications',
    '/var/lib/snapd/desktop/applications',
  ]);
});
