/** Only the right server may respond; any other is refused with the reason. */
import { beforeAll, expect, it } from 'vitest';
import type { ProbeReport } from '../../app/contract/probing/probe-report.ts';
import { describeWith } from '../rig/available.ts';
import { CertificateAuthority, type Identity, selfSigned, tbsHash } from '../rig/certificates.ts';
import type { DigResponse } from '../rig/dig.ts';
import { labForFile } from '../rig/lab.ts';
import { Nsd } from '../rig/peers/nsd.ts';
import { text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { gardenZone, plant, plantAddress } from '../rig/zones/garden.ts';
import { digInTime, serverName, type UpstreamSetting, upstream } from './stage.ts';

const zeroPin = `${'A'.repeat(43)}=`;

describeWith(['sotto', 'nsd', 'openssl', 'dig'], 'a server', () => {
  const lab = labForFile();
  let service: SottoService;
  let ca: CertificateAuthority;
  let foreignCa: CertificateAuthority;
  let good: Identity;
  let expired: Identity;
  let self: Identity;
  let goodHash: string;
  let servers: { good: Nsd; foreign: Nsd; expired: Nsd; self: Nsd };

  beforeAll(async () => {
    ca = await CertificateAuthority.create(lab);
    good = await ca.issue({ for: [`DNS:${serverName}`, 'IP:127.0.0.1'] });
    goodHash = await tbsHash(good);
    expired = await ca.issue({ for: [`DNS:${serverName}`], expired: true });
    self = await selfSigned(lab, { for: [`DNS:${serverName}`] });
    foreignCa = await CertificateAuthority.create(lab);
    const foreign = await foreignCa.issue({ for: [`DNS:${serverName}`] });
    const zones = [await gardenZone(lab)];
    servers = {
      good: await Nsd.start(lab, { zones, identity: good }),
      foreign: await Nsd.start(lab, { zones, identity: foreign }),
      expired: await Nsd.start(lab, { zones, identity: expired }),
      self: await Nsd.start(lab, { zones, identity: self }),
    };
    service = await SottoService.start(lab, {
      upstreams: [
        upstream('start', 'dot', servers.good.tls, { name: serverName, ca: ca.certificate }),
      ],
    });
  });

  let asked = 0;
  async function askThrough(
    setting: UpstreamSetting,
  ): Promise<{ response: DigResponse; number: number }> {
    await service.apply({ upstreams: [setting] });
    const number = ++asked;
    return { response: await digInTime(service.v4, plant(number)), number };
  }

  const strangers: { title: string; says: RegExp; code: string; setting: () => UpstreamSetting }[] =
    [
      {
        title: 'whose authority is unknown',
        says: /issuer is not trusted/,
        code: 'certificate-issuer',
        setting: () =>
          upstream('stranger', 'dot', servers.foreign.tls, {
            name: serverName,
            ca: ca.certificate,
          }),
      },
      {
        title: 'with a self-signed certificate',
        says: /self-signed|issuer is not trusted/,
        code: 'certificate-issuer',
        setting: () =>
          upstream('selfmade', 'dot', servers.self.tls, { name: serverName, ca: ca.certificate }),
      },
      {
        title: 'without a CA file, whose authority the system does not know',
        says: /issuer is not trusted/,
        code: 'certificate-issuer',
        setting: () => upstream('unrooted', 'dot', servers.good.tls, { name: serverName }),
      },
      {
        title: 'with another name',
        says: /not for other\.lab\.example/,
        code: 'certificate-name',
        setting: () =>
          upstream('misnamed', 'dot', servers.good.tls, {
            name: 'other.lab.example',
            ca: ca.certificate,
          }),
      },
      {
        title: 'with another key',
        says: /not pinned/,
        code: 'certificate-pin',
        setting: () =>
          upstream('mispinned', 'dot', servers.good.tls, {
            name: serverName,
            ca: ca.certificate,
            pins: [zeroPin],
          }),
      },
      {
        title: 'with none of the pinned certificates',
        says: /no certificate of the chain is pinned/,
        code: 'certificate-unpinned',
        setting: () =>
          upstream('unpinned', 'dot', servers.good.tls, {
            name: serverName,
            ca: ca.certificate,
            certificatePins: [zeroPin],
          }),
      },
      {
        title: 'with an expired certificate',
        says: /expired on \d{4}-\d\d-\d\d/,
        code: 'certificate-expired',
        setting: () =>
          upstream('expired', 'dot', servers.expired.tls, { name: serverName, ca: ca.certificate }),
      },
    ];

  for (const { title, says, code, setting } of strangers) {
    it(`${title} is refused, and dig shows the reason`, async () => {
      const { response, number } = await askThrough(setting());
      expect(response).toMatchObject({
        status: 'SERVFAIL',
        extendedError: { code: 22, text: expect.stringMatching(says) },
      });
      await expect
        .poll(() => service.logged(plant(number)))
        .toMatchObject({
          outcome: 'refused',
          rcode: 'SERVFAIL',
          clear: 'none',
          reason: expect.stringMatching(says),
        });
    });

    it(`${title} fails "sotto upstream test" with the same reason`, async () => {
      const { id } = setting();
      await service.apply({ upstreams: [setting()] });
      const test = async () => {
        const tested = await service.cli('upstream', 'test', id, '--json');
        return { code: tested.code, report: JSON.parse(tested.stdout) };
      };
      const error = { code, message: expect.stringMatching(says) };
      await expect.poll(test).toMatchObject({ code: 1, report: { id, ok: false, error } });
    });
  }

  const acquaintances: { title: string; setting: () => UpstreamSetting }[] = [
    {
      title: 'known by pin alone',
      setting: () => upstream('pinned', 'dot', servers.self.tls, { pins: [self.pin] }),
    },
    {
      title: 'known by one of several pins, by name and by authority',
      setting: () =>
        upstream('all', 'dot', servers.good.tls, {
          name: serverName,
          ca: ca.certificate,
          pins: [zeroPin, good.pin],
        }),
    },
    {
      title: 'that has one of several pinned certificates',
      setting: () =>
        upstream('certified', 'dot', servers.good.tls, {
          name: serverName,
          ca: ca.certificate,
          certificatePins: [zeroPin, goodHash],
        }),
    },
    {
      title: 'that has one of several names',
      setting: () =>
        upstream('names', 'dot', servers.good.tls, {
          name: ['old.lab.example', serverName],
          ca: ca.certificate,
        }),
    },
    {
      title: 'whose name is an address',
      setting: () =>
        upstream('address', 'dot', servers.good.tls, { name: '127.0.0.1', ca: ca.certificate }),
    },
    {
      title: 'whose own certificate is given as the authority',
      setting: () =>
        upstream('self', 'dot', servers.self.tls, { name: serverName, ca: self.certificate }),
    },
  ];

  for (const { title, setting } of acquaintances) {
    it(`${title} is used`, async () => {
      const { response, number } = await askThrough(setting());
      expect(response).toMatchObject({ status: 'NOERROR', answers: [`A ${plantAddress(number)}`] });
      await expect
        .poll(() => service.json<ProbeReport>('upstream', 'test', setting().id))
        .toMatchObject({ ok: true, error: null });
    });
  }

  it('of an authority of its own is added by "sotto upstream add --ca", and responds', async () => {
    await service.apply({
      upstreams: [
        upstream('expired', 'dot', servers.expired.tls, { name: serverName, ca: ca.certificate }),
      ],
    });
    const own = ['--as', 'own', '--at', '1', '--name', serverName, '--ca', foreignCa.certificate];
    const added = await service.cli('upstream', 'add', text(servers.foreign.tls), ...own);
    expect([added.code, added.stdout]).toEqual([0, 'own is added.\n']);
    const number = ++asked;
    expect(await digInTime(service.v4, plant(number))).toMatchObject({
      status: 'NOERROR',
      answers: [`A ${plantAddress(number)}`],
    });
    await expect
      .poll(() => service.logged(plant(number)))
      .toMatchObject({ upstream: 'own', transport: 'dot' });
  });

  it('receives no query before it is authenticated', async () => {
    await askThrough(
      upstream('misnamed', 'dot', servers.good.tls, {
        name: 'other.lab.example',
        ca: ca.certificate,
      }),
    );
    const { upstreams } = await service.status();
    expect(upstreams).toMatchObject([{ id: 'misnamed', answered: 0, tls: null }]);
  });
});
