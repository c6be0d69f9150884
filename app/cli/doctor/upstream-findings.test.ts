/** What the doctor says of an upstream that was tested. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sentences } from '../../contract/sentences/sentence.ts';
import type { Tried } from '../../contract/status/service-status.ts';
import { installed } from '../../installation.ts';
import { judgeUpstream } from '../../service/doctor/upstream-check.ts';
import { someReport, someUpstream } from '../fixtures/made-up.ts';

const summer = Date.UTC(2026, 6, 1);

describe('an upstream', () => {
  test('that answers is told with its security', () => {
    const report = someReport({ tls: { ...someUpstream().tls, pinned: true } as never });
    expect(judgeUpstream({ id: 'quad9', report, why: '' }, summer)).toMatchObject({
      check: 'upstream',
      subject: 'quad9',
      verdict: 'ok',
      text: 'quad9 answered in 31.5 ms from 192.0.2.1:853, TLS 1.3, certificate for dns.example.net, pin matches, valid until 2027-01-01.',
      remedy: null,
      action: null,
    });
  });

  test('whose certificate ends soon is to be looked at', () => {
    const now = Date.UTC(2026, 11, 28);
    expect(judgeUpstream({ id: 'a', report: someReport(), why: '' }, now)).toMatchObject({
      verdict: 'warn',
      text: expect.stringMatching(/its certificate ends in 4 d\.$/),
    });
  });

  test.each([
    ['connect-failed', /port 53/],
    ['certificate-name', /"name"/],
    ['certificate-pin', /someone may be in between/],
    ['certificate-issuer', /"ca"/],
    ['something-new', /sotto upstream test/],
  ])('that fails by %s gets its remedy', (code, remedy) => {
    const error = { code, message: '192.0.2.1:853: no' };
    const report = someReport({ ok: false, error, tls: null, chain: [] });
    expect(judgeUpstream({ id: 'a', report, why: '' }, summer)).toMatchObject({
      verdict: 'fail',
      text: 'a: 192.0.2.1:853: no.',
      remedy: expect.stringMatching(remedy),
    });
  });

  test.each([
    ['at another address', (tried: Tried) => ({ tried })],
    [
      'by the other way',
      (tried: Tried) => ({ alternative: { ...someReport(), ok: false, tried } }),
    ],
  ])('that answers, with an impostor %s, is to be looked at', (_where, found) => {
    const impostor = { address: '192.0.2.2:853', code: 'certificate-name', text: 'it is another' };
    const away = { address: '192.0.2.3:853', code: 'no-response', text: 'silent' };
    const judged = (tried: Tried) =>
      judgeUpstream({ id: 'a', report: someReport(found(tried)), why: '' }, summer);
    expect(judged([impostor, away])).toMatchObject({
      verdict: 'warn',
      text: 'a answers from 192.0.2.1:853, but not everywhere: 192.0.2.2:853: it is another.',
      remedy: expect.stringMatching(/"name"/),
    });
    expect(judged([away])).toMatchObject({ verdict: 'ok' });
  });

  test('gets a remedy of its own for each word the engine has for a failure', () => {
    const words = ['mod.rs', 'dial_error.rs', 'trust_error.rs', 'proxy_error.rs'].flatMap((file) =>
      Array.from(
        readFileSync(installed(`native/engine/src/upstream/failure/${file}`), 'utf8').matchAll(
          /=> "([a-z-]+)",/g,
        ),
        ([, code = '']) => code,
      ),
    );
    for (const word of ['still-connecting', 'no-response', 'certificate-name', 'proxy-away'])
      expect(words).toContain(word);
    expect(words.filter((code) => !Object.hasOwn(sentences, `after-${code}`))).toEqual([]);
  });

  test('that may not be used is named, not blamed', () => {
    expect(judgeUpstream({ id: 'a', report: null, why: 'it has no TLS' }, summer)).toMatchObject({
      verdict: 'warn',
      text: 'a was not tested: it has no TLS.',
    });
  });
});
