/** Somebody sets the clock, or the machine starts again with a wrong one: what ends at a time ends neither later nor sooner. */
import { beforeEach, expect, test } from 'vitest';
import { ann, failing, ProtectionStage } from './protection-stage.ts';
import { pauseUntil } from './switch.ts';

let stage: ProtectionStage;
beforeEach(() => {
  stage = new ProtectionStage();
  return () => stage.close();
});

const day = 86_400_000;
const minute = 60_000;

test.each([day, -day])(
  'a pause whose clock is set by %i ms lasts its minutes and no longer',
  async (ms) => {
    const protection = await stage.start({});
    await protection.turn(pauseUntil({ minutes: 10 }, stage.now, 'me'));
    stage.now += 4 * minute;
    stage.setClock(ms);
    await protection.tick();
    expect(protection.position()).toMatchObject({ until: stage.now + 6 * minute });
    expect(stage.lastLeases()).toMatchObject([{ class: 'paused', until: stage.now + 6 * minute }]);
    stage.now += 6 * minute - 1;
    await protection.tick();
    expect(protection.position().protection).toBe('paused');
    stage.now += 1;
    await protection.tick();
    expect(protection.position().protection).toBe('on');
  },
);

test.each([day, -day, -5 * minute])(
  'a clock set by %i ms while nobody runs makes a pause neither longer nor shorter',
  async (ms) => {
    await (await stage.start({})).turn(pauseUntil({ minutes: 10 }, stage.now, 'me'));
    stage.now += 4 * minute;
    stage.setClock(ms);
    stage.restart();
    const protection = await stage.start({});
    expect(protection.position()).toMatchObject({
      protection: 'paused',
      until: stage.now + 6 * minute,
    });
    stage.now += 6 * minute;
    await protection.tick();
    expect(protection.position().protection).toBe('on');
  },
);

test('a pause over a start of the machine is over when its end passed, by the clock or by the time since', async () => {
  await (await stage.start({})).turn(pauseUntil({ minutes: 10 }, stage.now, 'me'));
  stage.reboot(2 * minute);
  expect((await stage.start({})).position()).toMatchObject({ until: stage.now + 8 * minute });
  stage.reboot(9 * minute);
  expect((await stage.start({})).position().protection).toBe('on');
});

test('starts of the machine with a clock that stands still add no time to a pause', async () => {
  const begin = stage.now;
  await (await stage.start({})).turn(pauseUntil({ minutes: 10 }, stage.now, 'me'));
  for (let start = 0; start < 3; start += 1) {
    stage.reboot(begin - stage.now);
    const protection = await stage.start({});
    expect([start, protection.position().protection]).toEqual([start, 'paused']);
    for (let ticks = 0; ticks < 3; ticks += 1) {
      stage.now += minute;
      await protection.tick();
    }
  }
  stage.reboot(begin - stage.now);
  const protection = await stage.start({});
  stage.now += minute;
  await protection.tick();
  expect(protection.position().protection).toBe('on');
});

test.each([day, -day])(
  'what a person allowed lasts its minutes under a clock that is set by %i ms',
  async (ms) => {
    stage.addon.upstreams.set('a', failing);
    const protection = await stage.start({ downgrade: 'warn' });
    await protection.allow(stage.openConsentRequest(protection).id, 30, ann);
    stage.now += 10 * minute;
    stage.setClock(ms);
    await protection.tick();
    expect(stage.stateOf(protection)).toMatchObject({
      state: 'exposed',
      consent: 'allowed by ann',
    });
    expect(stage.lastLeases()).toMatchObject([{ class: 'policy', until: stage.now + 20 * minute }]);
    stage.now += 20 * minute;
    await protection.tick();
    expect(stage.lastLeases()).toEqual([]);
  },
);
