import { describe, expect, it, test } from 'vitest';
import { clean, exitCode, found, unasked } from './answer.ts';
import { readCargoDeny } from './cargo-deny.ts';
import { isAllowed, readLicences } from './licences.ts';
import { readAdvisories, readSignatures } from './npm-audit.ts';

test.each([
  [[clean(''), clean('')], 0],
  [[clean(''), unasked('no network')], 3],
  [[unasked('no network'), found('one'), clean('')], 1],
])('%j ends with %i', (answers, code) => {
  expect(exitCode(answers)).toBe(code);
});

test.each([
  ['MIT', true],
  ['(MIT OR Apache-2.0)', true],
  ['GPL-3.0-only OR MIT', true],
  ['MIT AND GPL-3.0-only', false],
  ['ISC AND (Apache-2.0 OR GPL-2.0-only)', true],
  ['GPL-2.0-only OR GPL-3.0-only AND MIT', false],
  ['(GPL-2.0-only OR MIT) AND MIT', true],
  ['(MIT', false],
  ['MIT)', false],
  ['MIT Apache-2.0', false],
  ['GPL-3.0-only', false],
  ['SEE LICENSE IN LICENSE.txt', false],
  ['not said', false],
  ['', false],
])('%j may be part of the program: %j', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});

test('names a package whose licence is not allowed', () => {
  const mine = { name: 'mine', version: '1.0.0', license: 'MIT' };
  const theirs = { name: 'theirs', version: '2.0.0', license: 'GPL-3.0-only' };
  expect(readLicences([mine])).toEqual(clean('1 packages'));
  expect(readLicences([mine, theirs])).toEqual(found('theirs 2.0.0  GPL-3.0-only'));
});

describe('cargo deny', () => {
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const summary = line({ type: 'summary', fields: { licenses: { errors: 0 } } });
  const rejected = line({
    type: 'diagnostic',
    fields: {
      severity: 'error',
      message: 'failed to satisfy license requirements',
      graphs: [{ Krate: { name: 'theirs', version: '2.0.0' } }],
    },
  });
  const ofNobody = line({
    type: 'diagnostic',
    fields: { severity: 'error', message: 'banned', graphs: [{ Feature: { name: 'theirs' } }] },
  });
  const warning = line({ type: 'diagnostic', fields: { severity: 'warning', message: 'unused' } });
  const fetched = 'failed to fetch advisory database https://example.invalid/advisory-db';
  const unreachable = line({ type: 'log', fields: { level: 'ERROR', message: fetched } });

  it.each([
    [
      'what it found',
      4,
      rejected + summary,
      found('failed to satisfy license requirements  theirs 2.0.0'),
    ],
    ['what it found, and not of whom', 2, ofNobody + summary, found('banned')],
    ['nothing', 0, warning + summary, clean('')],
    ['that its database can’t be had', 1, unreachable, unasked(fetched)],
    ['nothing at all', 0, '', unasked('')],
    ['what nobody can read', 101, 'a panic', unasked('a panic')],
  ])('says %s', (_, code, text, answer) => {
    expect(readCargoDeny(code, text)).toEqual(answer);
  });
});

describe('npm audit', () => {
  const refused = { message: '405 Method Not Allowed', error: { summary: '', detail: '' } };
  const offline = { error: { code: 'ENOTFOUND', summary: 'request failed, reason: ENOTFOUND' } };
  const vulnerable = {
    vulnerabilities: {
      theirs: {
        severity: 'high',
        range: '<2.0.0',
        via: [{ title: 'It leaks', url: 'https://example.invalid/1' }, 'other'],
      },
    },
  };

  it.each([
    [{ vulnerabilities: {} }, clean('')],
    [vulnerable, found('theirs <2.0.0  high: It leaks  https://example.invalid/1; other')],
    [refused, unasked('405 Method Not Allowed')],
    [offline, unasked('request failed, reason: ENOTFOUND')],
    ['', unasked('npm said nothing')],
    ['not JSON', unasked('not JSON')],
  ])('of %j: %j', (said, answer) => {
    expect(readAdvisories(typeof said === 'string' ? said : JSON.stringify(said))).toEqual(answer);
  });

  it.each([
    [{ invalid: [], missing: [] }, 'clean'],
    [{ invalid: [{ name: 'theirs', version: '2.0.0' }], missing: [] }, 'found'],
    [{ invalid: [], missing: [{ name: 'theirs', version: '2.0.0' }] }, 'found'],
    [offline, 'unasked'],
    [{}, 'unasked'],
  ])('signatures of %j: %s', (said, kind) => {
    expect(readSignatures(JSON.stringify(said)).kind).toBe(kind);
  });
});
