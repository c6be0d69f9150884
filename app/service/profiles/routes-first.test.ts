/** The system's DNS is taken only together with what says where internal names go; through the whole service. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Grant } from '../../contract/settings/profile-methods.ts';
import { dot } from '../service-stage.ts';
import { ProfileStage } from './profile-stage.ts';

const take = { 'systemDns.take': { value: true, lock: 'locked' } };
const rule = { suffix: 'corp.example', to: ['192.0.2.53'] };
const bypass = { bypass: { value: [rule] } };
const pin = `${'A'.repeat(43)}=`;
const upstreams = (more: object) => ({ upstreams: { value: [{ ...dot, ...more }], lock: true } });
const grouped = {
  upstreams: { value: [dot, { ...dot, id: 'b', group: 'work' }] },
  groups: { value: { work: { names: ['corp.example'] } } },
};
const office = { match: { domain: 'corp.example' } };

let stage: ProfileStage;
beforeEach(() => {
  stage = new ProfileStage();
});
afterEach(() => stage.close());

const takes = async () => (await stage.inForce('systemDns.take'))?.value;

describe('a take waits', () => {
  const cases: [string, object, object, string, Grant | null][] = [
    ['for pins of an upstream', upstreams({ pins: [pin] }), {}, 'upstreams', 'authorities'],
    ['for an identity', upstreams({ identity: 'laptop' }), {}, 'upstreams', 'identities'],
    [
      'for an upstream in cleartext',
      upstreams({ transport: 'udp', name: undefined }),
      {},
      'upstreams',
      'downgrade',
    ],
    ['for groups', grouped, {}, 'groups', 'downgrade'],
    ['for bypass rules', bypass, {}, 'bypass', 'bypass'],
    [
      'for bypass rules of a network',
      {},
      { networks: [{ ...office, settings: bypass }] },
      'bypass',
      'bypass',
    ],
    [
      'for bypass rules that can not be read',
      { bypass: { value: [{ suffix: 1 }] } },
      {},
      'bypass',
      null,
    ],
    ['for a key that may have been meant for one', { bypas: { value: [rule] } }, {}, 'bypas', null],
  ];
  test.each(cases)('%s, and comes with them', async (_what, settings, more, behind, grant) => {
    await stage.startWith();
    const first = stage.signed(1, { ...take, ...settings }, more);
    const enrolled = await stage.enrol(first);
    const waiting = enrolled.ok ? enrolled.value.profile.waiting : [];
    expect(waiting).toContainEqual(
      expect.objectContaining({ key: 'systemDns.take', grant, behind, holds: false }),
    );
    expect(await takes()).toBe(false);
    await stage.stop();
    await stage.begin();
    expect(await takes(), 'nor after a restart').toBe(false);
    if (grant === null) return;
    const approved = await stage.service.call('profile.approve', { serial: 1 });
    expect(approved).toMatchObject({ value: { profile: { waiting: [] } } });
    expect(await takes()).toBe(true);
    await stage.service.call('profile.leave', {});
    await stage.enrol(stage.signed(2, { ...take, ...settings }, more), [grant]);
    expect(await takes()).toBe(true);
  });

  test('on a network as well, and what else the version says holds', async () => {
    await stage.startWith();
    const networks = [{ ...office, settings: { ...take, 'cache.entries': { value: 7 } } }];
    expect(await stage.enrol(stage.signed(1, bypass, { networks }))).toMatchObject({
      value: {
        profile: {
          waiting: [{ key: 'bypass' }, { key: 'systemDns.take', network: 'domain corp.example' }],
          networks: [{ settings: ['cache.entries'] }],
        },
      },
    });
  });

  test('for upstreams whose authority is not on this machine, also where that is allowed', async () => {
    await stage.startWith();
    const ca = stage.file('corp.pem');
    const version = stage.signed(1, { ...take, ...upstreams({ ca }) });
    expect(await stage.enrol(version, ['authorities'])).toMatchObject({
      value: {
        profile: { waiting: [{ key: 'systemDns.take', behind: 'upstreams', grant: null }] },
      },
    });
    expect(await takes()).toBe(false);
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    const files = ['-nodes', '-keyout', stage.file('corp.key'), '-out', ca, '-subj', '/CN=corp'];
    execFileSync('openssl', [...made, ...files], { stdio: 'ignore' });
    expect(await stage.update(version)).toMatchObject({ value: { profile: { waiting: [] } } });
    expect(await takes()).toBe(true);
  });
});

describe('while upstreams wait', () => {
  const corp = upstreams({ pins: [pin] });
  const waitingFor = async (version: ReturnType<typeof stage.signed>, grants: Grant[] = []) => {
    const enrolled = await stage.service.call('profile.show', {});
    const isNew = enrolled.ok && enrolled.value.profile === null;
    const taken = await (isNew ? stage.enrol(version, grants) : stage.update(version));
    return taken.ok ? taken.value.profile.waiting.map(({ key }) => key) : taken;
  };

  test('rules of the version before stay, which its next one says nothing of', async () => {
    await stage.startWith();
    await waitingFor(stage.signed(1, { ...upstreams({}), ...bypass }), ['bypass']);
    expect(await waitingFor(stage.signed(2, corp))).toEqual(['upstreams', 'bypass']);
    expect(await stage.inForce('bypass')).toMatchObject({ value: [rule] });
    expect(await waitingFor(stage.signed(3, corp))).toEqual(['upstreams', 'bypass']);
    expect(await stage.inForce('bypass'), 'nor later').toMatchObject({ value: [rule] });
    expect(await stage.service.call('profile.approve', { serial: 3 })).toMatchObject({
      value: { profile: { waiting: [] } },
    });
    expect(await stage.inForce('bypass')).toMatchObject({ value: [] });
  });

  test('rules of the person stay, and what is learned from links', async () => {
    await stage.startWith({ bypass: [rule] });
    const fewer = { bypass: { value: [], lock: true }, learnRules: { value: 'off', lock: true } };
    expect(await waitingFor(stage.signed(1, { ...corp, ...fewer }))).toEqual([
      'upstreams',
      'bypass',
      'learnRules',
    ]);
    expect(await stage.inForce('bypass')).toMatchObject({ value: [rule] });
    expect(await stage.inForce('learnRules')).toMatchObject({ value: 'vpn' });
  });

  test('no names are sent to other upstreams, also where their kind was allowed', async () => {
    await stage.startWith();
    const names = {
      'crossCheck.names': { value: ['wiki.corp.example'] },
      forwardSpecial: { value: ['internal'] },
    };
    expect(await waitingFor(stage.signed(1, { ...corp, ...names }), ['probes', 'bypass'])).toEqual([
      'upstreams',
      'forwardSpecial',
      'crossCheck.names',
    ]);
    expect(await stage.inForce('crossCheck.names')).toMatchObject({ value: [] });
    expect(await stage.inForce('forwardSpecial')).toMatchObject({ value: [] });
  });

  test('rules of a network stay as well', async () => {
    await stage.startWith();
    const networks = [{ ...office, settings: bypass }];
    await waitingFor(stage.signed(1, upstreams({}), { networks }), ['bypass']);
    expect(await waitingFor(stage.signed(2, corp, { networks: [] }))).toEqual([
      'upstreams',
      'bypass',
    ]);
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: { networks: [{ match: 'domain corp.example', settings: ['bypass'] }] } },
    });
  });

  test('more rules come, where they are allowed', async () => {
    await stage.startWith();
    expect(await waitingFor(stage.signed(1, { ...corp, ...bypass }), ['bypass'])).toEqual([
      'upstreams',
    ]);
    expect(await stage.inForce('bypass')).toMatchObject({ value: [rule] });
  });
});

describe('while rules for internal names wait, the upstreams of before hold', () => {
  const quad = { ...dot, id: 'quad9', address: '192.0.2.9' };
  const elsewhere = { upstreams: { value: [quad], lock: 'locked' }, ...bypass };
  const wanted = { key: 'upstreams', grant: 'bypass', behind: 'bypass' };
  const holdsOn = async (changed: Awaited<ReturnType<ProfileStage['enrol']>>) => {
    expect(changed).toMatchObject({
      value: {
        profile: {
          waiting: expect.arrayContaining([expect.objectContaining(wanted)]),
          takeWithoutRoutes: 'holds',
        },
      },
    });
    expect(await stage.inForce('upstreams')).toMatchObject({ value: [dot] });
    const { serial } = changed.ok ? changed.value.profile : { serial: 0 };
    expect(await stage.service.call('profile.approve', { serial })).toMatchObject({
      value: { profile: { waiting: [], takeWithoutRoutes: 'no' } },
    });
    expect(await stage.inForce('upstreams')).toMatchObject({ value: [quad] });
  };

  test('those of the version before', async () => {
    await stage.startWith({ systemDns: { take: true } });
    await stage.enrol(stage.signed(1, upstreams({})));
    await holdsOn(await stage.update(stage.signed(2, elsewhere)));
  });

  test("the machine's own, where it takes the system's DNS already", async () => {
    await stage.startWith({ systemDns: { take: true }, upstreams: [dot] });
    await holdsOn(await stage.enrol(stage.signed(1, elsewhere)));
  });

  test('also where the version chooses none, so that the program would', async () => {
    await stage.startWith({ upstreams: [dot] });
    await stage.enrol(
      stage.signed(1, { upstreams: { value: [], lock: 'locked' }, ...bypass, ...take }),
    );
    expect(await stage.inForce('upstreams')).toMatchObject({ value: [dot] });
  });

  test('also where it has fewer of them, chooses among them otherwise, or has groups', async () => {
    const own = [dot, { ...quad, group: 'work' }];
    const work = (name: string) => ({ work: { names: [name] } });
    await stage.startWith({ upstreams: own, groups: work('corp.example') });
    const settings = {
      ...bypass,
      upstreams: { value: [quad], lock: true },
      groups: { value: work('other.example') },
      strategy: { value: 'spread', lock: true },
    };
    const enrolled = await stage.enrol(stage.signed(1, settings), ['downgrade']);
    expect(enrolled).toMatchObject({
      value: { profile: { takeWithoutRoutes: 'no', gaveWay: [] } },
    });
    expect(await stage.inForce('upstreams')).toMatchObject({ value: own });
    expect(await stage.inForce('groups')).toMatchObject({ value: work('corp.example') });
    expect(await stage.inForce('strategy')).toMatchObject({ value: 'ordered' });
  });
});

describe('a take does not wait', () => {
  test('where everything that routes names holds', async () => {
    await stage.startWith();
    const log = { 'queryLog.mode': { value: 'full' } };
    await stage.enrol(stage.signed(1, { ...take, ...upstreams({}), ...log }));
    expect(await takes()).toBe(true);
  });

  test('where it held before, and the upstreams of before hold on', async () => {
    await stage.startWith();
    await stage.enrol(stage.signed(1, { ...take, ...upstreams({}) }));
    expect(
      await stage.update(stage.signed(2, { ...take, ...upstreams({ pins: [pin] }) })),
    ).toMatchObject({
      value: { profile: { waiting: [{ key: 'upstreams' }] } },
    });
    expect(await takes()).toBe(true);
  });

  test('where the machine takes it without the profile', async () => {
    await stage.startWith({ systemDns: { take: true } });
    expect(await stage.enrol(stage.signed(1, { ...take, ...bypass }))).toMatchObject({
      value: { profile: { waiting: [{ key: 'bypass' }] } },
    });
    expect(await stage.inForce('systemDns.take')).toMatchObject({ value: true, locked: true });
  });
});

describe('what requires all of a version', () => {
  test('enrols nothing where a part would wait, and says all that is missing', async () => {
    await stage.startWith();
    const settings = { ...take, ...bypass, ...upstreams({ pins: [pin], identity: 'laptop' }) };
    const version = stage.signed(1, settings);
    const enrolling = { ...version, key: stage.publicKey(), require: true };
    const allow: Grant[] = ['bypass', 'authorities', 'identities'];
    expect(await stage.service.call('profile.enrol', { ...enrolling, grants: [] })).toMatchObject({
      failure: { code: 'profile-waits', remedy: expect.stringContaining(allow.join(',')) },
    });
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: null },
    });
    expect(
      await stage.service.call('profile.enrol', { ...enrolling, grants: allow }),
    ).toMatchObject({ value: { profile: { waiting: [] } } });
    const next = stage.signed(2, { ...settings, downgrade: { value: 'fallback' } });
    expect(await stage.service.call('profile.update', { ...next, require: true })).toMatchObject({
      failure: { code: 'profile-waits' },
    });
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: { serial: 1 } },
    });
  });
});

describe('what contradicts other settings', () => {
  const nowhere = () => stage.signed(1, upstreams({ ca: stage.file('nowhere.pem') }));

  test('is required to hold as well', async () => {
    await stage.startWith();
    const enrolling = { ...nowhere(), key: stage.publicKey(), grants: ['authorities' as const] };
    expect(
      await stage.service.call('profile.enrol', { ...enrolling, require: true }),
    ).toMatchObject({
      failure: { code: 'profile-waits', message: expect.stringContaining('nowhere.pem') },
    });
    expect(await stage.service.call('profile.show', {})).toMatchObject({
      value: { profile: null },
    });
  });

  test('is told for as long as something else holds, and to the audit log', async () => {
    await stage.startWith({ upstreams: [dot], systemDns: { take: true } });
    await stage.enrol(nowhere(), ['authorities']);
    const shown = { profile: { gaveWay: ['upstreams'], takeWithoutRoutes: 'holds' } };
    expect(await stage.service.call('profile.show', {})).toMatchObject({ value: shown });
    const audit = await stage.service.call('audit.list', { limit: 10 });
    expect(audit).toMatchObject({
      value: {
        records: expect.arrayContaining([
          expect.objectContaining({
            event: 'profile-enrolled',
            fields: expect.objectContaining({ gaveWay: ['upstreams'] }),
          }),
        ]),
      },
    });
    await stage.stop();
    await stage.begin();
    expect(await stage.service.call('profile.show', {})).toMatchObject({ value: shown });
  });
});

test('what is refused reaches the journal with its reason, and so does what is not for this machine', async () => {
  await stage.startWith();
  await stage.enrol(stage.signed(2, take), [], stage.key, 'office');
  const noted = (word: string) =>
    stage.lines.flatMap((line) => {
      const { event, by, why } = JSON.parse(line) as Record<string, string>;
      return event === word ? [[by, why]] : [];
    });
  await stage.update(stage.signed(1, take));
  const { signature } = stage.signed(3, take);
  await stage.update({ ...stage.signed(3, {}), signature });
  await stage.update(stage.signed(3, { downgrad: { value: 1 } }, { strict: true }));
  await stage.update(stage.signed(3, take, { rollout: { ring: 'canary' } }));
  expect(noted('profile-refused')).toEqual([
    ['update', expect.stringContaining('does not come after')],
    ['update', 'it is not what was signed'],
    ['update', 'the file has an error'],
  ]);
  expect(noted('profile-not-yet')).toEqual([
    ['update', 'it is for the ring "canary", and this machine is in "office"'],
  ]);
});

test("nor is the system's DNS taken where the authority is no certificate", async () => {
  await stage.startWith();
  const ca = stage.file('corp.pem');
  writeFileSync(ca, 'no certificate');
  await stage.enrol(stage.signed(1, { ...take, ...upstreams({ ca }) }), ['authorities']);
  expect(await takes()).toBe(false);
});
