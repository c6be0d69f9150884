import { expect, test, vi } from 'vitest';
import { followForwarders } from './follow-forwarders.ts';
import { forwarderUnits } from './forwarders.ts';

function following(answers: (string[] | null)[]) {
  const at = { time: 0, matters: true };
  const onChange = vi.fn();
  const forwarders = followForwarders(
    {
      onDnsPort() {
        const units = answers.shift() ?? null;
        return units === null ? Promise.reject(new Error('no')) : Promise.resolve(units);
      },
      matters: () => at.matters,
      now: () => at.time,
      onChange,
    },
    (error) => {
      throw error;
    },
  );
  const own = () => forwarders.units().filter((unit) => !forwarderUnits.includes(unit));
  return { forwarders, at, onChange, own };
}

test('whatever waits on port 53 asks for others, beside those that usually do', async () => {
  const { forwarders, onChange, own } = following([['b.service', 'dnsmasq.service'], null, []]);
  expect(forwarders.units()).toEqual(forwarderUnits);
  for (const [units, changes] of [
    [['b.service'], 1],
    [['b.service'], 1],
    [[], 2],
  ] as const) {
    await forwarders.look();
    expect([own(), onChange.mock.calls.length]).toEqual([units, changes]);
  }
});

test('nobody looks where nothing depends on who asks, or more often than every ten seconds', async () => {
  const answers = [['a.service'], ['b.service'], ['c.service']];
  const { forwarders, at } = following(answers);
  at.matters = false;
  forwarders.tick();
  expect(answers.length).toBe(3);
  at.matters = true;
  for (const [time, left] of [
    [0, 2],
    [9999, 2],
    [10_000, 1],
    // a clock that was set back
    [-1, 0],
  ] as const) {
    at.time = time;
    forwarders.tick();
    expect(answers.length).toBe(left);
  }
});
