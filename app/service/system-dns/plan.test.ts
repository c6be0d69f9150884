import { expect, test } from 'vitest';
import type { Decision } from './decide.ts';
import { type Held, planOf } from './plan.ts';

const eth0 = { index: 2, name: 'eth0' };
const wlan0 = { index: 3, name: 'wlan0' };
const servers = [{ address: '127.0.0.1', port: 53 }];
const held = (changes: Partial<Held> = {}): Held => ({
  mechanism: 'resolved',
  link: eth0,
  servers,
  search: null,
  since: 1,
  inPlace: true,
  before: { servers: [], domains: [] },
  ...changes,
});
const take: Exclude<Decision, { kind: 'wait' }> = {
  kind: 'take',
  otherwise: null,
  mechanism: 'resolved',
  targets: [
    { link: eth0, search: null },
    { link: wlan0, search: null },
  ],
  servers,
};

test('what stands is left alone, what is missing is taken', () => {
  expect(planOf([held()], take)).toEqual({
    giveBack: [],
    take: [{ mechanism: 'resolved', link: wlan0, search: null, changedByOthers: false }],
  });
  expect(planOf([held({ inPlace: null }), held({ link: wlan0 })], take)).toEqual({
    giveBack: [],
    take: [],
  });
});

test('what others have changed, and what names other addresses of ours, is taken anew', () => {
  const old = held({ link: wlan0, servers: [{ address: '::1', port: 53 }] });
  expect(planOf([held({ inPlace: false }), old], take).take).toEqual([
    { mechanism: 'resolved', link: eth0, search: null, changedByOthers: true },
    { mechanism: 'resolved', link: wlan0, search: null, changedByOthers: false },
  ]);
});

test('what the network lets search now is told, and is nobody’s change', () => {
  const target = { link: eth0, search: ['corp.example'] };
  const searched = { ...take, targets: [target] };
  expect(planOf([held()], searched).take).toEqual([
    { mechanism: 'resolved', ...target, changedByOthers: false },
  ]);
  expect(planOf([held({ search: ['corp.example'] })], searched).take).toEqual([]);
});

test('what is held by another way, or of a link that is not wanted, is given back', () => {
  const file = held({ mechanism: 'file', link: null });
  const reborn = held({ link: { index: 7, name: 'eth0' } });
  const gone = held({ link: { index: 8, name: 'tun0' } });
  expect(planOf([file, gone, reborn, held()], take).giveBack).toEqual([file, gone, reborn]);
  const all = [file, held()];
  expect(planOf(all, { kind: 'give-back', why: 'off' })).toEqual({ giveBack: all, take: [] });
});

test('what holds over a boot stays with its way, also without a link, and goes with everything else', () => {
  const overBoot = held({ link: null, overBoot: true });
  const elsewhere = held({ link: null, overBoot: true, mechanism: 'resolvconf' });
  expect(planOf([overBoot, elsewhere, held()], take).giveBack).toEqual([elsewhere]);
  const back = (why: 'no-link' | 'off' | null) =>
    planOf([held(), overBoot], { kind: 'give-back', why }).giveBack;
  expect(back('no-link')).toEqual([held()]);
  expect(back('off')).toEqual([held(), overBoot]);
  expect(back(null)).toEqual([held(), overBoot]);
});
