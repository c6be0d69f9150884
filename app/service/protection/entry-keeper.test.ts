/** Entries and their counts on a full disk: a real disk, as small as it can be. */

import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultSettings } from '../../contract/settings/settings.ts';
import { nest } from '../../contract/settings/settings-shape.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import type { EngineLease } from '../engine/boundary.ts';
import { compileConfig } from '../engine/compile-config.ts';
import { type EngineDriver, startEngine } from '../engine/engine-driver.ts';
import { type FakeEngine, fakeEngine } from '../engine/fake-engine.ts';
import { createHealthRegistry } from '../health/health-registry.ts';
import { createEntryKeeper, type EntryKeeper } from './entry-keeper.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { Permission } from './permissions.ts';

const bypass: Permission = {
  class: 'bypass',
  network: 'cafe',
  networkLabel: 'the café',
  group: '',
  rule: 'corp.example',
  reason: 'bypass rule',
  who: 'your settings',
  until: null,
};

let folder: TestFolder;
let disk: string;
let ledger: Ledger | null;
let addon: FakeEngine;
let engine: EngineDriver;
let now: number;
let mounted: boolean;

beforeEach(() => {
  folder = testFolder();
  disk = join(folder.path, 'disk');
  mkdirSync(disk);
  mounted = false;
  now = 100;
  addon = fakeEngine();
  engine = startEngine(addon, { onEvents: () => {}, onChange: () => {} });
  ledger = null;
});
afterEach(() => {
  ledger?.release();
  if (mounted) execFileSync('umount', [disk]);
  folder.remove();
});

/** Returns a reason where this user may not make a disk. */
function mountSmallDisk(): string | null {
  if (process.getuid?.() !== 0) return 'run as root, to mount a disk that can be full';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  mounted = true;
  return null;
}

function fill(): void {
  const file = openSync(join(disk, 'filler'), 'a');
  for (const octets of [4096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(octets, 1));
    } catch {
      // it is full
    }
  }
  closeSync(file);
}

function keeper(): { ledger: Ledger; entries: EntryKeeper } {
  const opened = openLedger(join(disk, 'ledger.sqlite'), () => now);
  ledger = opened;
  const health = createHealthRegistry(
    () => now,
    () => {},
  );
  return {
    ledger: opened,
    entries: createEntryKeeper({ engine, ledger: opened, health, now: () => now }),
  };
}

async function lease(entry: number): Promise<void> {
  const leases: EngineLease[] = [
    { entry, class: 'bypass', rule: 'corp.example', group: '', until: null },
  ];
  await engine.apply(
    compileConfig({
      settings: nest(defaultSettings),
      certificates: new Map(),
      notInCleartext: new Set(),
      mode: 'private',
      network: 'cafe',
      networkChanges: 0,
      leases,
      rules: [],
      refuseFor: [],
      forwarders: [],
      groups: [],
      networkResolvers: [],
      identities: new Map(),
      onBattery: false,
      portal: null,
    }),
  );
}

test('an entry that could not be closed is used no more, and closed with its count and its end', async (context) => {
  const why = mountSmallDisk();
  if (why !== null) return context.skip(why);
  const { ledger, entries } = keeper();
  const [first] = entries.open([bypass]);
  if (first === undefined) throw new Error('nothing was permitted');
  await lease(first.id);
  addon.sent.set(first.id, 3);
  entries.syncCounts();
  expect(addon.counted).toEqual(new Map([[first.id, 3]]));

  addon.sent.set(first.id, 5);
  fill();
  now = 200;
  entries.closeOthers([], () => 'the rule is gone');
  expect(ledger.standing()).toMatchObject([{ id: first.id, count: 3 }]);
  expect(addon.counted.get(first.id), 'the engine keeps what is not on disk').toBe(3);
  expect(entries.matching([]), 'it permits nothing').toEqual([]);
  expect(entries.open([bypass]), 'and what can’t be written down is not permitted').toEqual([]);

  rmSync(join(disk, 'filler'));
  now = 300;
  const [second] = entries.open([bypass]);
  expect(second).toMatchObject({ id: first.id + 1, count: 0 });
  entries.syncCounts();
  expect(addon.counted.get(first.id)).toBe(5);
  expect(ledger.list({ limit: 9 })).toMatchObject([
    { id: first.id + 1, closed: null },
    { id: first.id, count: 5, closed: 'the rule is gone', until: 200 },
  ]);
});

test('a service that dies before there is room leaves the count to the next', async (context) => {
  const why = mountSmallDisk();
  if (why !== null) return context.skip(why);
  const before = keeper();
  const [first] = before.entries.open([bypass]);
  if (first === undefined) throw new Error('nothing was permitted');
  await lease(first.id);
  addon.sent.set(first.id, 5);
  fill();
  before.entries.closeOthers([], () => 'the rule is gone');
  expect(addon.counted.size).toBe(0);
  before.ledger.release();
  rmSync(join(disk, 'filler'));
  ledger = openLedger(
    join(disk, 'ledger.sqlite'),
    () => 400,
    () => new Map(addon.sent),
  );
  expect(ledger.list({ limit: 9 })).toMatchObject([
    { id: first.id, count: 5, closed: 'interrupted', until: 400 },
  ]);
});
