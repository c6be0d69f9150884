/**
 * Two machines of an organisation, which take their profile from a real HTTPS server: ring by ring; a version that breaks their DNS,
 * and comes back by itself; and somebody on the way who blocks the new upstream, and gains nothing.
 */
import { expect, it } from 'vitest';
import { HeldThread } from '../lab/policy-matrix/held-thread.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { cafeGateway, goToCafe } from './cafe.ts';
import {
  allow,
  askedInCleartext,
  comesBackWithinMs,
  Fleet,
  strict,
  wrongAddress,
} from './fleet.ts';
import { internalDns, internalZone } from './local-network.ts';

const patient = { timeout: 4 * comesBackWithinMs };

describeInNetworks(['sotto', 'dig', 'nft', 'openssl'], 'a fleet', () => {
  it(
    'takes versions ring by ring, and comes back by itself from one that breaks its DNS',
    patient,
    async () => {
      const fleet = await Fleet.open(await labForTest());
      const { source, canary, office } = fleet;
      const at = (address: string) => ({
        upstreams: { value: [fleet.upstream(address)], lock: 'locked' },
        ...strict,
      });
      await source.publish(canary, 1, at('198.51.100.53'));
      await source.enrol(canary, '--ring', 'canary', ...allow);
      await source.enrol(office, ...allow);
      const both = async () => [await fleet.shown(canary), await fleet.shown(office)];
      const takesBoth = async () => {
        for (const service of [canary, office]) await fleet.look(service);
      };

      await source.publish(canary, 2, at('198.51.100.53'), { rollout: { ring: 'canary' } });
      await takesBoth();
      expect(await both()).toEqual([
        { serial: 2, standsIn: null },
        { serial: 1, standsIn: null },
      ]);
      await source.publish(canary, 3, at('198.51.100.53'));
      await takesBoth();
      expect(await both()).toEqual([
        { serial: 3, standsIn: null },
        { serial: 3, standsIn: null },
      ]);

      const capture = await fleet.stage.capture();
      await source.publish(canary, 4, at(wrongAddress));
      await takesBoth();
      const broken = [canary, office].map((one) => fleet.answers(one, 'broken.far.example'));
      expect(await Promise.all(broken)).toEqual([false, false]);
      for (const service of [canary, office]) {
        const isBack = async () => (await fleet.shown(service)).standsIn === 3;
        await eventually('it is back', isBack, comesBackWithinMs);
        await eventually('it answers', () => fleet.answers(service, 'back.far.example'));
      }
      expect(await both()).toEqual([
        { serial: 4, standsIn: 3 },
        { serial: 4, standsIn: 3 },
      ]);
      await expect
        .poll(async () => (await canary.status()).health.map(({ code }) => code))
        .toContain('profile-rests');

      await canary.restart();
      await eventually('it answers', () => fleet.answers(canary, 'restarted.far.example'));
      expect(await fleet.shown(canary)).toEqual({ serial: 4, standsIn: 3 });

      await source.publish(canary, 5, at('198.51.100.54'));
      await takesBoth();
      expect(await both()).toEqual([
        { serial: 5, standsIn: null },
        { serial: 5, standsIn: null },
      ]);
      for (const service of [canary, office])
        await eventually('it works', () => fleet.answers(service, 'repaired.far.example'));
      expect(await askedInCleartext(capture)).toEqual([]);
    },
  );

  it('gives nothing to somebody on the way who blocks the new upstream', patient, async () => {
    const fleet = await Fleet.open(await labForTest());
    const { source, canary } = fleet;
    const first = '198.51.100.53';
    const legacy = fleet.upstream(first, { id: 'legacy' });
    await source.publish(canary, 1, {
      upstreams: { value: [fleet.upstream(first), legacy], lock: 'locked' },
      downgrade: { value: 'warn' },
      'queryLog.mode': { value: 'full' },
    });
    await source.enrol(canary, '--allow', 'authorities,downgrade');
    const capture = await fleet.stage.capture();
    await fleet.block('198.51.100.54');
    const hardened = await source.publish(canary, 2, {
      upstreams: { value: [fleet.upstream('198.51.100.54')], lock: 'locked' },
      'queryLog.mode': { value: 'off', lock: 'locked' },
      consent: { value: 'administrator', lock: 'hidden' },
      ...strict,
    });
    await fleet.look(canary);
    const standsIn = async () => (await fleet.shown(canary)).standsIn;
    const isBack = async () => (await standsIn()) === 1;
    await eventually('the version before stands in', isBack, comesBackWithinMs);
    await eventually('it answers', () => fleet.answers(canary, 'blocked.far.example'));
    const settings = await canary.call('settings.effective', {});
    const inForce = Object.fromEntries(settings.settings.map(({ key, value }) => [key, value]));
    expect(inForce).toMatchObject({
      downgrade: 'refuse',
      consent: 'administrator',
      'queryLog.mode': 'off',
      upstreams: [{ id: 'corp', address: first }],
    });
    expect(inForce.upstreams).toHaveLength(1);
    const changed = await canary.cli('config', 'set', 'downgrade', 'fallback');
    expect(changed.stderr).toContain('locked');

    await fleet.unblock();
    await canary.cli('profile', 'update', hardened);
    const isNew = async () => (await standsIn()) === null;
    await eventually('the new one is back', isNew, comesBackWithinMs);
    await eventually('it answers', () => fleet.answers(canary, 'free.far.example'));
    expect(await askedInCleartext(capture)).toEqual([]);
  });

  it('holds what it says of a network only there, also while the service is held up', async () => {
    const lab = await labForTest();
    const fleet = await Fleet.open(lab);
    const { source, canary, stage } = fleet;
    const bypass = { value: [{ suffix: internalZone, to: [internalDns] }] };
    await source.publish(canary, 1, strict, {
      networks: [{ match: { prefix: '192.168.77.0/24' }, settings: { bypass } }],
    });
    await source.enrol(canary, '--allow', 'bypass');
    const fits = async () => {
      const { profile } = await canary.call('profile.show', {});
      return profile?.networks[0]?.fits;
    };
    await eventually('the network is confirmed', async () => {
      await fleet.answers(canary, 'far.example');
      return (await fits()) === 'yes';
    });
    const inOffice = () => fleet.answers(canary, `www.${internalZone}`);
    await eventually('the office answers', async () => {
      await inOffice();
      return stage.network.internalResolver.heard.includes(`www.${internalZone}`);
    });

    const held = await HeldThread.hold(lab, (await canary.status()).pid);
    await goToCafe(lab, stage.client);
    const capture = await stage.capture(cafeGateway);
    await fleet.answers(canary, `held.${internalZone}`);
    await held.letGo();
    await eventually('the service has noticed', async () => (await fits()) === 'no');
    await fleet.answers(canary, `later.${internalZone}`);
    const names = await askedInCleartext(capture);
    expect(names.filter((name) => name.endsWith(internalZone))).toEqual([]);
    const bypassed = async () => {
      const { settings } = await canary.call('settings.effective', {});
      return settings.find(({ key }) => key === 'bypass')?.value;
    };
    await expect.poll(bypassed).toEqual([]);
  });
});
