import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { CacheEntry } from '../../contract/status/cache-entry.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';
import { someCache } from '../fixtures/made-up.ts';

function someEntry(changes: Partial<CacheEntry> = {}): CacheEntry {
  return {
    name: 'www.example.com',
    type: 'A',
    class: 'IN',
    rcode: 'NOERROR',
    answers: 2,
    ttlLeft: 3599,
    stale: false,
    dnssecOk: false,
    checkingDisabled: false,
    upstream: 'quad9',
    authenticated: true,
    octets: 90,
    negative: false,
    ...changes,
  };
}

test('cache stats says how full it is and how often it answers', async () => {
  const cache = someCache({ octets: 22_000_000 });
  const home = await serve({ 'cache.stats': () => succeed(cache) });
  const { code, out } = await runCommand(home, 'cache', 'stats');
  expect(code).toBe(0);
  expect(out).toContain('Kept        55 responses, 22.0 MB of at most 38.4 MB\n');
  expect(out).toContain('Answered    59.4% of what it was asked: 60 of 101\n');
  expect(JSON.parse((await runCommand(home, 'cache', 'stats', '--json')).out)).toEqual(cache);
});

test('cache show tells type, result, time left, source and marks', async () => {
  const asked: unknown[] = [];
  const entries = [
    someEntry(),
    someEntry({ type: 'AAAA', rcode: 'NXDOMAIN', answers: 0, negative: true, ttlLeft: 60 }),
    someEntry({
      type: 'TXT',
      ttlLeft: -90,
      stale: true,
      dnssecOk: true,
      checkingDisabled: true,
      authenticated: false,
      upstream: 'x\u001b[2J',
    }),
  ];
  const home = await serve({
    'cache.show': (params) => {
      asked.push(params);
      return succeed({ entries });
    },
  });
  const { code, out } = await runCommand(home, 'cache', 'show', 'www.bücher.example', 'aaaa');
  expect(code).toBe(0);
  expect(asked).toEqual([{ name: 'www.xn--bcher-kva.example', type: 'AAAA' }]);
  expect(out.trimEnd().split('\n')).toEqual(
    [
      'type  result    records  expires           from        size  marks',
      'A     NOERROR         2  in 59 min 59 s    quad9       90 B',
      'AAAA  NXDOMAIN        0  in 1 min          quad9       90 B  negative',
      'TXT   NOERROR         2  1 min 30 s ago    x\\x1b[2J   90 B  stale, do, cd, not authenticated',
    ].map((text) => expect.stringMatching(new RegExp(`^${escaped(text)}$`))),
  );
  const json = await runCommand(home, 'cache', 'show', 'www.example.com', '--json');
  expect(JSON.parse(json.out)).toEqual({ entries });
});

/** Allows any number of blanks between columns. */
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ {2,}/g, ' +');
}

test('a name of which nothing is kept: exit code 1, and said to people only', async () => {
  const home = await serve({ 'cache.show': () => succeed({ entries: [] }) });
  expect(await runCommand(home, 'cache', 'show', 'a.example', 'txt')).toEqual({
    code: 1,
    out: '',
    errors: 'Nothing is kept of a.example TXT.\n',
  });
  expect(await runCommand(home, 'cache', 'show', 'a.example', '--json')).toEqual({
    code: 1,
    out: '{"entries":[]}\n',
    errors: '',
  });
});

test('cache flush forgets all, a name or a suffix, and says how many answers that were', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'cache.flush': (params) => {
      asked.push(params);
      if (params.name === 'a..b') return fail('bad-query', 'a label is empty', 'correct the name');
      return succeed({ removed: params.name === undefined ? 12 : 1 });
    },
  });
  expect((await runCommand(home, 'cache', 'flush')).out).toBe('12 responses forgotten.\n');
  expect((await runCommand(home, 'cache', 'flush', '--name', 'bücher.example')).out).toBe(
    '1 response forgotten.\n',
  );
  expect((await runCommand(home, 'cache', 'flush', '--suffix', 'example', '--json')).out).toBe(
    '{"removed":12}\n',
  );
  expect(asked).toEqual([{}, { name: 'xn--bcher-kva.example' }, { suffix: 'example' }]);
  expect((await runCommand(home, 'cache', 'flush', '--name', 'a..b')).code).toBe(2);
  const both = await runCommand(home, 'cache', 'flush', '--name', 'a', '--suffix', 'b');
  expect(both.code).toBe(2);
  expect(both.errors).toMatch(/'--suffix <suffix>' cannot be used with option '--name <name>'/);
  expect(asked).toHaveLength(4);
});

test.concurrent.each(['stats', 'show', 'flush'])('help of cache %s teaches', async (command) => {
  const { code, out } = await runCommand('/nonexistent', 'cache', command, '--help');
  expect(code).toBe(0);
  expect(out).toContain(`\nExamples:\n  sotto cache ${command}`);
});
