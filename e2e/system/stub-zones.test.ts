/**
 * The other half of the way: unbound resolves, and reaches the authorities of a stub zone through sotto-server, over TLS. What came
 * how is counted by NSD.
 */
import { expect, test } from 'vitest';
import { describeWith, sottoServer } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, parse, rcodes } from '../rig/message.ts';
import { Nsd } from '../rig/peers/nsd.ts';
import { Unbound } from '../rig/peers/unbound.ts';
import { freePort } from '../rig/ports.ts';
import { Program } from '../rig/process.ts';
import { askUdp, type Endpoint, text } from '../rig/raw-client.ts';
import { writeZone } from '../rig/zones/zone-file.ts';

const zone = 'garden.example';
/** An address of the loopback network on which nothing else is: DNS over TLS is looked for on port 853. */
const authority = '127.53.8.53';
const found = [rcodes.NOERROR, 1];
/** sotto-server rests for half a minute from TLS that was silent. */
const withRestsMs = 200_000;

describeWith(['unbound', 'nsd', 'nsd-control'], 'stub zones behind a resolver', () => {
  const lab = labForFile();

  test('authorities with TLS get one query in cleartext, and then none', async () => {
    const ca = await CertificateAuthority.create(lab);
    const nobody = await ca.issue({ for: ['DNS:nobody.example'] });
    const nsd = await startNsd(nobody);
    const unbound = await resolveThrough(`${zone}=${text(nsd.plain)}`);

    expect(await ask(unbound, 'first')).toEqual(found);
    const clear = await nsd.counter('num.udp');
    let count = 0;
    await eventually('it has found the TLS', async () => {
      await ask(unbound, `probe${++count}`);
      // the first one is the probe, whose response may still be on its way
      return (await nsd.counter('num.tls')) > 1 ? true : null;
    });
    expect(clear, 'the first query waits for no probe').toBeGreaterThan(0);
    // Where the machine stands still for a second, the server looks elsewhere, and tries TLS again after its rest.
    await eventually(
      'twenty over TLS, and none in cleartext',
      async () => {
        const [udp, tls] = [await nsd.counter('num.udp'), await nsd.counter('num.tls')];
        for (let index = 0; index < 20; index++)
          expect(await ask(unbound, `name${++count}`)).toEqual(found);
        const isClear = (await nsd.counter('num.udp')) > udp;
        return !isClear && (await nsd.counter('num.tls')) >= tls + 20;
      },
      withRestsMs,
    );
  });

  test('an authority that has to prove itself is reached over TLS alone, or not at all', async () => {
    const ca = await CertificateAuthority.create(lab);
    const identity = await ca.issue({ for: ['DNS:ns.garden.example'] });
    const nsd = await startNsd(identity);
    const at = `dot://${text(nsd.tls)}`;
    const before = await nsd.counter('num.udp');

    const right = await resolveThrough(`${zone}=${at}#ns.garden.example`, identity.authority);
    expect(await ask(right, 'www')).toEqual(found);
    const wrong = await resolveThrough(`${zone}=${at}#other.example`, identity.authority);
    expect(await ask(wrong, 'www')).toEqual([rcodes.SERVFAIL, 0]);

    expect(await nsd.counter('num.udp')).toBe(before);
    expect(await nsd.counter('num.tls')).toBeGreaterThan(0);
  });

  let count = 0;

  async function startNsd(identity: Identity): Promise<Nsd> {
    const file = await writeZone(lab, zone, ['* A 192.0.2.1']);
    // each test has an address of its own, because port 853 is the same
    const address = authority.replace('.8.', `.${8 + count++}.`);
    const plain = { address, port: await freePort() };
    return await Nsd.start(lab, {
      at: plain,
      tls: { address, port: 853 },
      zones: [file],
      identity,
    });
  }

  async function resolveThrough(stubZone: string, trust?: string): Promise<Endpoint> {
    const port = await freePort();
    const flags = ['--stub-zone', stubZone, '--starttls', `127.0.0.1:${port}`];
    const program = lab.adopt(
      await Program.start(sottoServer, [
        ...[...flags, '--signal', 'decline', '--udp-unproven', 'full'],
        ...(trust === undefined ? [] : ['--ca', trust]),
      ]),
    );
    await program.ready(async () => program.stdout.includes('"ready"'));
    const ca = await CertificateAuthority.create(lab);
    const identity = await ca.issue({ for: ['DNS:dns.example'] });
    const stubs = { [zone]: { address: '127.0.0.1', port } };
    return (await Unbound.start(lab, { identity, stubs })).plain;
  }
});

/** The response code, and how many addresses there are. */
async function ask(resolver: Endpoint, label: string): Promise<[code: number, addresses: number]> {
  const response = parse(await askUdp(resolver, encodeQuery(`${label}.${zone}`, 'A'), 10_000));
  return [response.rcode, response.answers.length];
}
