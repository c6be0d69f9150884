/** Attempts against pause codes: guesses, repetitions, wrong clocks, restarts, full disks, and keys that others can read. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type PauseRequest, readChallenge } from '../../contract/protection/pause-code.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { openPauseCodes, type PauseCodes } from './pause-codes.ts';
import {
  keyFromSecret,
  type MachineKey,
  makeSecret,
  responseTo,
  writeMachineKey,
} from './pause-key.ts';

const minute = 60_000;
let folder: TestFolder;
let clock = { wall: 0, sinceBoot: 0, boot: '' };
let key: MachineKey;
const file = (name: string) => `${folder.path}/${name}`;

beforeEach(() => {
  folder = testFolder();
  onTestFinished(() => folder.remove());
  clock = { wall: Date.UTC(2026, 10, 1), sinceBoot: 1000 * minute, boot: 'first' };
  key = keyFromSecret(makeSecret(), 'K7QM2XVD') as MachineKey;
  writeFileSync(file('pause.key'), writeMachineKey(key), { mode: 0o600 });
});

function open(): PauseCodes {
  return openPauseCodes({
    keyFile: file('pause.key'),
    attemptsFile: file('attempts.json'),
    clock: { wall: () => clock.wall, sinceBoot: () => clock.sinceBoot, boot: clock.boot },
  });
}

function pass(milliseconds: number): void {
  clock.wall += milliseconds;
  clock.sinceBoot += milliseconds;
}

function ask(codes: PauseCodes, minutes = 30): PauseRequest {
  const asked = codes.challenge(minutes);
  return readChallenge(asked.ok ? asked.value.challenge : '') as PauseRequest;
}

const answer = (request: PauseRequest) => responseTo(request, key);
const wrongFor = (request: PauseRequest) => responseTo({ ...request, minutes: 1 }, key);

function why(codes: PauseCodes, code: string): string {
  const redeemed = codes.redeem(code);
  return redeemed.ok ? `opens ${redeemed.value.minutes}` : redeemed.failure.message;
}

test('the response opens once, for the minutes of its challenge', () => {
  const codes = open();
  const code = answer(ask(codes));
  expect(why(codes, `${code.slice(0, 4).toLowerCase()}-${code.slice(4)}`)).toBe('opens 30');
  expect(why(codes, code)).toBe('no challenge is open');
  ask(codes);
  expect(why(codes, code)).toContain('not the code for this challenge');
});

test('the same challenge is shown again, and another number of minutes ends it', () => {
  const codes = open();
  const first = ask(codes);
  expect(ask(codes)).toEqual(first);
  const second = ask(codes, 60);
  expect(second.nonce).not.toBe(first.nonce);
  expect(why(codes, answer(first))).toContain('not the code');
});

test.each([
  ['15 minutes pass', () => pass(15 * minute), 'no challenge is open'],
  ['almost 15 minutes pass', () => pass(15 * minute - 1), 'opens 30'],
  [
    'the clock is set back',
    () => {
      clock.wall -= 1;
    },
    'no challenge is open',
  ],
  [
    'the clock is set forward',
    () => {
      clock.wall += 15 * minute;
    },
    'no challenge is open',
  ],
  [
    'time passes while the clock is kept',
    () => {
      clock.sinceBoot += 15 * minute;
    },
    'no challenge is open',
  ],
])('%s', (_name, happen, said) => {
  const codes = open();
  const code = answer(ask(codes));
  happen();
  expect(why(codes, code)).toBe(said);
});

test('a restart of the service ends the challenge', () => {
  const code = answer(ask(open()));
  expect(why(open(), code)).toBe('no challenge is open');
});

test('after each wrong code the next one has to wait longer, also the right one', () => {
  const codes = open();
  const request = ask(codes);
  for (const seconds of [5, 10, 20]) {
    expect(why(codes, wrongFor(request))).toContain('not the code');
    pass(seconds * 1000 - 1);
    expect(why(codes, answer(request))).toContain('a moment ago');
    pass(1);
  }
  expect(why(codes, answer(request))).toBe('opens 30');
  expect(why(codes, wrongFor(ask(codes)))).toContain('not the code');
  pass(5000);
  expect(why(codes, answer(ask(codes)))).toBe('opens 30');
});

test('five wrong codes end the challenge, and the wait goes on over the next one', () => {
  const codes = open();
  const request = ask(codes);
  for (let index = 0; index < 4; index += 1) {
    expect(why(codes, wrongFor(request))).toContain('not the code');
    pass(80_000);
  }
  expect(why(codes, wrongFor(request))).toContain('5 times');
  expect(why(codes, answer(request))).toBe('no challenge is open');
  expect(why(codes, answer(ask(codes)))).toContain('a moment ago');
});

test('a restart of the service, or of the machine, and a clock that is set shorten no wait', () => {
  const codes = open();
  why(codes, wrongFor(ask(codes)));
  clock.wall += 60 * minute;
  const next = open();
  expect(why(next, answer(ask(next)))).toContain('a moment ago');
  clock = { ...clock, sinceBoot: 4_999, boot: 'second' };
  const booted = open();
  expect(why(booted, answer(ask(booted)))).toContain('a moment ago');
  clock.sinceBoot = 5_000;
  expect(why(booted, answer(ask(booted)))).toBe('opens 30');
});

test('the wait is an hour at the most', () => {
  writeFileSync(
    file('attempts.json'),
    JSON.stringify({ wrong: 5000, at: clock.sinceBoot, boot: clock.boot }),
  );
  const codes = open();
  pass(60 * minute - 1);
  expect(why(codes, answer(ask(codes)))).toContain('a moment ago');
  pass(1);
  expect(why(codes, answer(ask(codes)))).toBe('opens 30');
});

test('an attempt is on the disk before it is compared, and without a disk nothing opens', () => {
  const codes = open();
  const request = ask(codes);
  mkdirSync(file('attempts.json.new'));
  const redeemed = codes.redeem(answer(request));
  expect(redeemed).toMatchObject({ ok: false, failure: { code: 'state-unwritable' } });
  rmSync(file('attempts.json.new'), { recursive: true });
  expect(why(codes, wrongFor(request))).toContain('not the code');
  expect(JSON.parse(readFileSync(file('attempts.json'), 'utf8'))).toMatchObject({ wrong: 1 });
});

test('attempts that can not be read count as many', () => {
  folder.write('attempts.json', '{');
  const codes = open();
  expect(why(codes, answer(ask(codes)))).toContain('a moment ago');
});

test('what is no code is no attempt', () => {
  const codes = open();
  const request = ask(codes);
  for (const text of ['', 'what', '12345678 90', '\u202e2345678'])
    expect(why(codes, text)).toBe('a code has eight letters and digits');
  expect(why(codes, answer(request))).toBe('opens 30');
});

test('without a key, or with one that others can read, there is no challenge and nothing opens', () => {
  const codes = open();
  const code = answer(ask(codes));
  for (const [spoil, said] of [
    [() => chmodSync(file('pause.key'), 0o640), 'others may read it'],
    [() => writeFileSync(file('pause.key'), 'x', { mode: 0o600 }), 'others may read it'],
    [() => chmodSync(file('pause.key'), 0o600), 'it is no key'],
    [() => rmSync(file('pause.key')), 'there is no such file'],
  ] as const) {
    spoil();
    expect(codes.challenge(30)).toMatchObject({
      ok: false,
      failure: { code: 'no-pause-key' },
    });
    expect(why(codes, code)).toContain(said);
  }
});

test('of two clients that give the code at once, one opens', async () => {
  const codes = open();
  const code = answer(ask(codes));
  const both = await Promise.all([code, code].map(async (one) => why(codes, one)));
  expect(both.sort()).toEqual(['no challenge is open', 'opens 30']);
});
