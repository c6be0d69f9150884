/** Tests of the fixtures: each peer responds over TLS without anything of ours in front of it. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { CertificateAuthority, type Identity, selfSigned } from '../rig/certificates.ts';
import { ask } from '../rig/dig.ts';
import { labForFile } from '../rig/lab.ts';
import { comparable, encodeQuery, parse, types } from '../rig/message.ts';
import { Dnsdist } from '../rig/peers/dnsdist.ts';
import { KnotResolver } from '../rig/peers/knot-resolver.ts';
import { Nsd } from '../rig/peers/nsd.ts';
import { recorded, StarttlsShim } from '../rig/peers/starttls-shim.ts';
import { Unbound } from '../rig/peers/unbound.ts';
import { askStarttls, askTls, askUdp } from '../rig/raw-client.ts';
import { garden, gardenZone, plant, plantAddress } from '../rig/zones/garden.ts';
import { vault, vaultZone } from '../rig/zones/signed.ts';

const name = 'dns.lab.example';

describeWith(['nsd', 'openssl', 'ldns-keygen', 'ldns-signzone'], 'peers', () => {
  const lab = labForFile();
  let ca: CertificateAuthority;
  let identity: Identity;
  let nsd: Nsd;

  beforeAll(async () => {
    ca = await CertificateAuthority.create(lab);
    identity = await ca.issue({ for: [`DNS:${name}`, 'IP:127.0.0.1'] });
    nsd = await Nsd.start(lab, { zones: [await gardenZone(lab), await vaultZone(lab)], identity });
  });

  it('NSD serves the signed zone with its signatures and unknown types', async () => {
    const answer = parse(
      await askUdp(nsd.plain, encodeQuery(`unknown.${vault}`, 'TYPE65280', { dnssecOk: true })),
    );
    expect(answer.answers.map((record) => record.type)).toEqual([types.TYPE65280, 46]);
  });

  it('NSD serves 64 kB over TLS', async () => {
    const answer = await askTls(
      nsd.tls,
      encodeQuery(`big.${garden}`, 'TXT'),
      await readFile(ca.certificate),
      name,
    );
    expect(parse(answer).answers).toHaveLength(240);
    expect(answer.length).toBeGreaterThan(64_000);
  });

  it('a self-signed certificate of openssl is a CA certificate', async () => {
    const { certificate } = await selfSigned(lab, { for: [`DNS:${name}`] });
    expect(new X509Certificate(await readFile(certificate)).ca).toBe(true);
  });

  describeWith(['unbound', 'kdig'], 'unbound', () => {
    let unbound: Unbound;
    beforeAll(async () => {
      unbound = await Unbound.start(lab, { identity, stubs: { [garden]: nsd.plain } });
    });

    it('responds to kdig over TLS', async () => {
      const reply = await askOverTls(unbound.tls);
      expect(reply.answers).toEqual([`A ${plantAddress(1)}`]);
      expect(await unbound.counter('num.query.tls')).toBe(1);
    });

    it('responds through the shim after the recorded octets', async () => {
      const shim = await StarttlsShim.start(lab, unbound.tls);
      const query = encodeQuery(plant(2), 'A');
      const { reply, answer } = await askStarttls(
        shim.endpoint,
        recorded.hello,
        query,
        await readFile(ca.certificate),
        name,
      );
      expect(reply).toEqual(recorded.accept);
      expect(comparable(answer)).toBe(comparable(await askUdp(unbound.plain, query)));
      expect(shim.visits).toEqual([
        { clear: Buffer.concat([Buffer.from([0, 37]), recorded.hello]), firstAfterReply: 0x16 },
      ]);
    });
  });

  describeWith(['dnsdist', 'kdig'], 'dnsdist', () => {
    it('responds to kdig over TLS and counts the connection', async () => {
      const dnsdist = await Dnsdist.start(lab, { identity, backend: nsd.plain, probe: plant(0) });
      const before = await dnsdist.tlsCounter('dnsdist_frontend_tlsnewsessions');
      const reply = await askOverTls(dnsdist.tls);
      expect(reply.answers).toEqual([`A ${plantAddress(1)}`]);
      expect(await dnsdist.tlsCounter('dnsdist_frontend_tlsnewsessions')).toBe(before + 1);
    });
  });

  describeWith(['kresd', 'kdig'], 'Knot Resolver', () => {
    it('responds to kdig over TLS', async () => {
      const resolver = await KnotResolver.start(lab, {
        identity,
        backend: nsd.plain,
        probe: plant(0),
      });
      const reply = await askOverTls(resolver.tls);
      expect(reply.answers).toEqual([`A ${plantAddress(1)}`]);
    });
  });

  async function askOverTls(to: { address: string; port: number }) {
    return await ask('kdig', to, plant(1), 'A', {
      flags: [`+tls-ca=${ca.certificate}`, `+tls-hostname=${name}`],
    });
  }
});
