/** The client gets what the upstream sent, octet by octet, except id, flags, TTL and OPT. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { comparable, encodeQuery, parse, rcodes, type TypeName } from '../rig/message.ts';
import { askTcp, askUdp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden } from '../rig/zones/garden.ts';
import { vault, vaultZone } from '../rig/zones/signed.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

const needs = ['sotto', 'nsd', 'unbound', 'openssl', 'ldns-keygen', 'ldns-signzone'] as const;

const queries: [name: string, type: TypeName][] = [
  [`gold.${vault}`, 'A'],
  [`gold.${vault}`, 'TXT'],
  [`alias.${vault}`, 'A'],
  [`anything.wild.${vault}`, 'A'],
  [`unknown.${vault}`, 'TYPE65280'],
  [`shop.${vault}`, 'HTTPS'],
  [String.raw`\000\255box.${vault}`, 'TXT'],
  [`missing.${vault}`, 'A'],
  [`gold.${vault}`, 'MX'],
  [vault, 'DNSKEY'],
  [vault, 'SOA'],
  [`chain1.${garden}`, 'A'],
  [`chain1.${garden}`, 'AAAA'],
  [garden, 'MX'],
  [`shop.${garden}`, 'HTTPS'],
  [`_dns.${garden}`, 'SVCB'],
  [`_853._tcp.${garden}`, 'TLSA'],
  [`certified.${garden}`, 'CAA'],
  [`routed.${garden}`, 'NAPTR'],
  [`sited.${garden}`, 'LOC'],
  [`unknown.${garden}`, 'TYPE65280'],
  [String.raw`\000\001\255binary.${garden}`, 'TXT'],
  [String.raw`dotted\.label.${garden}`, 'TXT'],
  [`texts.${garden}`, 'TXT'],
  [`nothing.${garden}`, 'A'],
];

/** Its name exists or does not: a failure says that a resolver on the way was not answered in time. */
async function inTime(ask: () => Promise<Buffer>): Promise<Buffer> {
  return await eventually('an answer in time', async () => {
    const answer = await ask();
    return parse(answer).rcode !== rcodes.SERVFAIL && answer;
  });
}

describeWith(needs, 'an answer', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab, [await vaultZone(lab)]);
    service = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
    });
  });

  for (const [name, type] of queries) {
    it(`is passed on unchanged, and kept unchanged: ${name} ${type}`, async () => {
      for (const dnssecOk of [true, false]) {
        const query = encodeQuery(name, type, { dnssecOk });
        const direct = await inTime(() => askTcp(stage.unbound.plain, query));
        const carried = await inTime(() => askTcp(service.v4, query));
        const kept = await askUdp(service.v6, query);
        expect(comparable(carried)).toBe(comparable(direct));
        expect(parse(carried).rcode).toBe(parse(direct).rcode);
        if (!parse(kept).truncated) expect(comparable(kept)).toBe(comparable(direct));
      }
    });
  }

  it('has the case of its query, whatever case an earlier query had', async () => {
    const loud = encodeQuery(`GoLd.${vault}`, 'A');
    const carried = await inTime(() => askUdp(service.v4, loud));
    expect(carried.includes(Buffer.from('GoLd'))).toBe(true);
  });

  it('has no OPT where the query had none', async () => {
    const plain = parse(
      await askUdp(service.v4, encodeQuery(`gold.${vault}`, 'A', { edns: null })),
    );
    expect(plain.records.map(({ type }) => type)).not.toContain(41);
  });
});
