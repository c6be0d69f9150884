import { expect, test } from 'vitest';
import { someEvent } from '../fixtures/made-up.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { displayWidth } from '../terminal/terminal-text.ts';
import { EventLines } from './event.ts';

function lines(columns: number | null): EventLines {
  const stream = columns === null ? {} : { isTTY: true, columns };
  return new EventLines(
    openTerminal({ write: () => {}, ...stream }, { write: () => {} }, {}),
    someEvent().at,
  );
}

const long = someEvent({ name: `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com` });

test('columns keep their places while names grow', () => {
  const view = lines(null);
  const rendered = [someEvent(), long, someEvent()].map((event) => view.render(event));
  expect(rendered[1]).toContain(long.name);
  const placeOf = (line: string | undefined) => line?.indexOf('forwarded');
  expect(placeOf(rendered[2])).toBe(placeOf(rendered[1]));
});

test('on a terminal a line fits, and a long name keeps the end that says whose it is', () => {
  const [line = ''] = [lines(100).render(long)];
  expect(displayWidth(line)).toBeLessThanOrEqual(100);
  expect(line).toMatch(/…b+\.example\.com/);
});

test.each([
  ['failed', someEvent({ outcome: 'failed' }), '\u001b[31m'],
  ['in cleartext', someEvent({ clear: 'off' }), '\u001b[33m'],
  ['cached', someEvent({ outcome: 'cached' }), '\u001b[2m'],
  ['forwarded', someEvent(), ''],
])('%s has the colour it deserves', (_what, event, start) => {
  const rendered = lines(200).render(event);
  expect(rendered.startsWith('\u001b[') ? rendered.slice(0, start.length) : '').toBe(start);
});

test('a query without a name is still a query', () => {
  expect(lines(null).render(someEvent({ name: '' }))).toMatch(/ A {6}– +forwarded/);
});

test('nothing from the wire is obeyed', () => {
  const hostile = '\u001b[2J\u202e\n';
  const rendered = lines(null).render(
    someEvent({
      name: hostile,
      type: hostile,
      upstream: hostile,
      reason: hostile,
      outcome: 'refused',
    }),
  );
  expect(rendered).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('dates are shown from the first query on that is not of today', () => {
  const at = new Date(2026, 0, 31, 23, 59, 59, 412).getTime();
  const events = [at - 86_400_000, at].map((moment) => someEvent({ at: moment }));
  const view = lines(null);
  view.prepare(events);
  // someEvent is of another day than these.
  expect(events.map((event) => view.render(event).slice(0, 23))).toEqual([
    '2026-01-30 23:59:59.412',
    '2026-01-31 23:59:59.412',
  ]);
  const today = new EventLines(openTerminal({ write: () => {} }, { write: () => {} }, {}), at);
  expect(today.render(someEvent({ at }))).toMatch(/^23:59:59\.412 /);
  expect(today.render(someEvent({ at: at + 1000 })), 'followed past midnight').toMatch(
    /^2026-02-01 00:00:00\.412 /,
  );
});
