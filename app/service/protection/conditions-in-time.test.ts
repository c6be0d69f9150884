/** Rules, groups and refusals for other hours come and go with the time, and with the clock. */
import { beforeEach, expect, test } from 'vitest';
import { corpDot, dot, ProtectionStage } from './protection-stage.ts';

let stage: ProtectionStage;
beforeEach(() => {
  stage = new ProtectionStage();
  return () => stage.close();
});

const night = { hours: [{ from: '22:00', to: '06:00' }] };
const at = (time: string) => new Date(`2026-11-23T${time}`).getTime();
const inForce = () => stage.addon.applied.at(-1);

test('a rule has its permission while its hours last, whichever way the clock is set', async () => {
  const rule = { suffix: 'corp.example', to: ['192.0.2.9'], when: night };
  const word = 'corp.example when hours 22:00-06:00';
  stage.now = at('21:59:59');
  const protection = await stage.start({ bypass: [rule] });
  expect([inForce()?.bypass, stage.entries()]).toEqual([[], []]);
  stage.now = at('22:00:00');
  await protection.tick();
  expect(inForce()).toMatchObject({
    bypass: [{ rule: word, when: null }],
    leases: [{ rule: word }],
  });
  expect(stage.entries()).toMatchObject([{ rule: word, class: 'bypass', closed: null }]);
  stage.now = at('12:00:00');
  await protection.tick();
  expect(inForce()).toMatchObject({ bypass: [], leases: [] });
  expect(stage.entries()).toMatchObject([
    { rule: word, closed: expect.stringContaining('its rule is gone') },
  ]);
});

test('a group has neither names nor upstreams outside its hours', async () => {
  stage.now = at('12:00:00');
  const protection = await stage.start({
    upstreams: [dot, corpDot],
    groups: { corp: { names: ['corp.example'], when: night } },
  });
  const ids = () =>
    [inForce()?.groups, inForce()?.upstreams].map((all) => all?.map(({ id }) => id));
  expect(ids()).toEqual([[''], [dot.id]]);
  stage.now = at('23:00:00');
  await protection.tick();
  expect(ids()).toEqual([
    ['', 'corp'],
    [dot.id, corpDot.id],
  ]);
});

test('a refusal holds on its network before anything has proved that network', async () => {
  stage.now = at('12:00:00');
  const { id } = stage.network.stay().identity;
  const protection = await stage.start({
    refuseFor: [{ network: [id], user: [7] }, { network: ['elsewhere'] }, night],
  });
  expect(stage.network.confirmed()).toBe(false);
  expect(inForce()?.refuseFor).toMatchObject([{ users: [7] }]);
  stage.now = at('23:00:00');
  await protection.tick();
  expect(inForce()?.refuseFor).toMatchObject([{ users: [7] }, { users: null, units: null }]);
});
