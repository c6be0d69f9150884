import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { followTimeZone } from './time-zone.ts';

const chosen = process.env.TZ;
const directory = mkdtempSync(join(tmpdir(), 'sotto-zone-'));
const link = join(directory, 'localtime');
const noonInWinter = new Date('2026-01-15T12:00:00Z');

function point(zone: string): void {
  rmSync(link, { force: true });
  symlinkSync(`/usr/share/zoneinfo/${zone}`, link);
}

beforeEach(() => {
  delete process.env.TZ;
});

afterEach(() => {
  if (chosen === undefined) delete process.env.TZ;
  else process.env.TZ = chosen;
});

test("the machine's zone is followed while the process runs", () => {
  point('Europe/Berlin');
  const zone = followTimeZone(link);
  point('Asia/Tokyo');
  zone.follow();
  expect(noonInWinter.getHours()).toBe(21);
  point('America/New_York');
  zone.follow();
  expect(noonInWinter.getHours()).toBe(7);
});

test('a zone that somebody chose for the process stays', () => {
  process.env.TZ = 'UTC';
  point('Europe/Berlin');
  const zone = followTimeZone(link);
  point('Asia/Tokyo');
  zone.follow();
  expect(noonInWinter.getHours()).toBe(12);
});

test('a link that is gone says nothing', () => {
  point('Asia/Tokyo');
  const zone = followTimeZone(link);
  rmSync(link);
  zone.follow();
  expect(process.env.TZ).toBeUndefined();
});
