/** Responses as large as DNS allows, and as small as a client demands. */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { ask } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { comparable, encodeQuery, parse, rcodes } from '../rig/message.ts';
import { askTcp, askUdp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden } from '../rig/zones/garden.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

const big = `big.${garden}`;

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'a response of 64 kB', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
    service = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
    });
  });

  it('arrives complete over TCP', async () => {
    const answer = await eventually('an answer in time', async () => {
      const said = await askTcp(service.v4, encodeQuery(big, 'TXT'));
      return parse(said).rcode !== rcodes.SERVFAIL && said;
    });
    expect(answer.length).toBeGreaterThan(64_000);
    expect(comparable(answer)).toBe(
      comparable(await askTcp(stage.unbound.plain, encodeQuery(big, 'TXT'))),
    );
  });

  for (const size of [null, 512, 1232, 4096]) {
    it(`is truncated over UDP for a client with ${size === null ? 'no EDNS' : `${size} octets`}`, async () => {
      const answer = parse(await askUdp(service.v4, encodeQuery(big, 'TXT', { edns: size })));
      expect(answer.truncated).toBe(true);
      expect(answer.octets.length).toBeLessThanOrEqual(size ?? 512);
      expect(answer.records.some(({ section }) => section === 'additional')).toBe(size !== null);
    });
  }

  it('makes dig use TCP by itself', async () => {
    const response = await ask('dig', service.v6, big, 'TXT');
    expect(response.text).toContain('Truncated, retrying in TCP mode');
    expect(response.answers).toHaveLength(240);
  });

  it('does not delay small responses on the same connection', async () => {
    const [large, small] = await eventually('both in time', async () => {
      const both = await Promise.all([
        askTcp(service.v4, encodeQuery(big, 'TXT')),
        askUdp(service.v4, encodeQuery(`plant1.${garden}`, 'A')),
      ]);
      return both.every((answer) => parse(answer).rcode !== rcodes.SERVFAIL) && both;
    });
    expect(parse(large).answers).toHaveLength(240);
    expect(parse(small).answers).toHaveLength(1);
  });
});
