/** Every way to change a file of the audit log is found, and told apart from what a crash leaves. */
import { expect, test } from 'vitest';
import { judgeChain, noRecords, sha256, writeRecord } from './chain.ts';

const time = '2026-11-01T08:00:00.000Z';

/** Lines of so many records, each behind the one before. */
function lines(count: number, before = noRecords): string[] {
  let { records, hash: prev } = before;
  return Array.from({ length: count }, (_, index) => {
    records += 1;
    const fields = { profile: 'example-corp', serial: index };
    const event = 'profile-accepted';
    const line = writeRecord({ seq: records, time, event, who: 1000, fields, prev });
    prev = sha256(line);
    return line;
  });
}

const file = (all: readonly string[]) => Buffer.from(all.map((line) => `${line}\n`).join(''));
const judge = (all: readonly string[]) => judgeChain(file(all));

test('a chain that was written so holds, and its head is the hash of the last line', () => {
  const whole = lines(5);
  const { broken, torn, head, before, records } = judge(whole);
  expect([broken, torn, before]).toEqual([null, 0, noRecords]);
  expect(head).toEqual({ records: 5, hash: sha256(whole[4] ?? '') });
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
});

test('a file that goes on behind an older one says which record was before it', () => {
  const older = lines(3);
  const before = { records: 3, hash: sha256(older[2] ?? '') };
  const { broken, before: named } = judge(lines(2, before));
  expect([broken, named]).toEqual([null, before]);
  expect(judge([...older, ...lines(2, before)]).broken).toBeNull();
});

const five = lines(5);
const [one = '', two = '', three = '', four = '', fiveth = ''] = five;
test.each([
  ['a field is changed', [one, two.replace('"serial":1', '"serial":7'), three, four, fiveth], 3],
  ['the account is changed', [one, two, three.replace('1000', '1001'), four, fiveth], 4],
  ['a line is cut out', [one, two, four, fiveth], 3],
  ['two lines change places', [one, three, two, four, fiveth], 2],
  ['a line is there twice', [one, two, two, three, four, fiveth], 3],
  ['a record of somebody else is put in', [one, two, lines(1)[0] ?? '', three, four, fiveth], 3],
  ['what is no record is put in', [one, two, 'nothing', three, four, fiveth], 4],
  ['an empty line is put in', [one, '', two, three, four, fiveth], 3],
  ['a line is written in another way', [one, two.replace('"who":', '"who": '), three, four], 3],
  ['a line has one more field', [one, two.replace('{"seq"', '{"x":1,"seq"'), three, four], 3],
])('found at its line: %s', (_name, changed, line) => {
  expect(judge(changed).broken).toMatchObject({ line });
});

test('any one bit that is changed before the last line is found', () => {
  const octets = file(five);
  const last = octets.length - fiveth.length - 1;
  for (let index = 0; index < last; index += 1) {
    const changed = Buffer.from(octets);
    changed.writeUInt8((octets[index] ?? 0) ^ 1, index);
    const { broken, torn } = judgeChain(changed);
    expect([index, broken !== null || torn > 0]).toEqual([index, true]);
  }
});

test('the last line alone can be changed or cut unseen, which is what a head kept elsewhere is for', () => {
  const { head } = judge(five);
  const cut = judge([one, two, three, four]);
  expect([cut.broken, cut.hashes.get(5)]).toEqual([null, undefined]);
  const changed = judge([one, two, three, four, fiveth.replace('1000', '0')]);
  expect(changed.broken).toBeNull();
  expect(changed.hashes.get(5)).not.toBe(head.hash);
});

test('what a crash left is no break where the next record tells it, and only then', () => {
  const torn = '{"seq":6,"time":"2026-11';
  const prev = sha256(fiveth);
  const whole = { octets: torn.length + 1, sha256: sha256(`${torn}\n`) };
  const tell = (fields: { octets: number; sha256: string }) =>
    writeRecord({ seq: 6, time, event: 'interrupted', who: null, fields, prev });
  expect(judge([...five, torn, tell(whole)])).toMatchObject({ broken: null, torn: 0 });
  for (const wrong of [
    { ...whole, octets: 3 },
    { ...whole, sha256: prev },
  ])
    expect(judge([...five, torn, tell(wrong)]).broken).toMatchObject({ line: 7 });
  const many = Array.from({ length: 20 }, () => 'x');
  const said = { octets: 40, sha256: sha256('x\n'.repeat(20)) };
  expect(judge([...five, ...many, tell(said)]).broken).not.toBeNull();
});

test('a record that lacks nothing but the end of its line is one', () => {
  const unended = judgeChain(Buffer.from(five.join('\n')));
  expect(unended).toMatchObject({ broken: null, torn: 0, head: { records: 5 } });
  const cut = judgeChain(Buffer.from(five.join('\n').slice(0, -1)));
  expect(cut).toMatchObject({ broken: null, torn: fiveth.length - 1, head: { records: 4 } });
});

test('octets of any kind are judged, and nothing of them counts as a record', () => {
  for (const octets of [Buffer.alloc(0), Buffer.alloc(4096), Buffer.from([0xff, 0x0a, 0xfe])])
    expect(judgeChain(octets)).toMatchObject({ head: noRecords, torn: octets.length });
});
