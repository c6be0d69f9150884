/** Three real servers, one of which denies or diverts a name that the others answer for: what is found, told, and not sent. */
import { copyFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import type { ResponseOfOne } from '../../app/contract/probing/ask-each.ts';
import type { CrossChecked } from '../../app/contract/probing/cross-check.ts';
import { describeWith } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoServer, serverName } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { writeZone } from '../rig/zones/zone-file.ts';

const zone = 'bank.example';
const bank = `www.${zone}`;
const internal = `printer.corp.example`;

describeWith(['sotto', 'sotto-server', 'openssl'], 'upstreams that are compared', () => {
  const lab = labForFile();
  let identity: Identity;
  let service: SottoService;
  let odd: { server: SottoServer; rewrite(...lines: string[]): Promise<void> };
  beforeAll(async () => {
    // One that outlives restarts: whoever can't prove who it is says nothing.
    identity = await (await CertificateAuthority.create(lab)).issue({ for: [`DNS:${serverName}`] });
    const one = await serving('www A 198.51.100.1');
    const other = await serving('www A 203.0.113.7', 'www A 203.0.113.8');
    odd = await serving('www A 198.51.100.1');
    service = await SottoService.start(lab, {
      upstreams: [
        one.server.upstream('one'),
        other.server.upstream('other'),
        odd.server.upstream('odd'),
      ],
      bypass: [{ suffix: 'corp.example', to: ['192.0.2.53'] }],
      crossCheck: { names: [bank, internal] },
    });
  });

  async function serving(...lines: string[]): Promise<typeof odd> {
    const { file } = await writeZone(lab, zone, lines);
    const server = await SottoServer.start(lab, { answers: file, identity });
    return {
      server,
      async rewrite(...next) {
        const { file: written } = await writeZone(lab, zone, next);
        await copyFile(written, file);
        await server.restart();
      },
    };
  }

  async function checked(): Promise<CrossChecked[]> {
    const { stdout } = await service.cli('upstream', 'cross-check', '--json');
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as CrossChecked);
  }

  /** Once every upstream answers again, what the check says of the bank's A record. */
  async function judged() {
    return await eventually('all three are compared', async () => {
      const found = (await checked()).find(({ name, type }) => name === bank && type === 'A');
      return found?.comparison?.compared.length === 3 && found.comparison;
    });
  }

  const issues = async () =>
    (await service.status()).health.filter(({ code }) => code === 'upstreams-disagree');

  /** The first issue, once two checks in a row found the same of all three. */
  const issue = () =>
    eventually('the issue', async () => {
      await judged();
      return (await issues())[0];
    });

  it('other addresses are no disagreement, and a name of a bypass rule is not sent', async () => {
    expect(await judged()).toMatchObject({ is: 'agreement' });
    expect((await checked()).filter(({ name }) => name === internal)).toMatchObject([
      { comparison: null, skipped: { message: expect.stringContaining('bypass rule') } },
      { comparison: null },
    ]);
    expect(await issues()).toEqual([]);
  });

  it('one that denies the name is alone, becomes an issue without the name, and ends it when it answers', async () => {
    await odd.rewrite('else A 198.51.100.1');
    expect(await judged()).toMatchObject({
      is: 'no-answer',
      sides: [['one', 'other'], ['odd']],
      alone: 'odd',
    });
    const told = await issue();
    expect(told.text).toMatch(
      /odd is alone: one, other give an answer, and odd says that there is none\.$/,
    );
    expect(JSON.stringify(told)).not.toContain(zone);
    expect(service.output).not.toContain(zone);
    await odd.rewrite('www A 203.0.113.7');
    expect(await judged()).toMatchObject({ is: 'agreement' });
    expect(await issues()).toEqual([]);
  });

  it('one that leads to no public address is told, also to a person who asks for one name', async () => {
    await odd.rewrite('www A 0.0.0.0');
    expect(await judged()).toMatchObject({ is: 'blocking-address', alone: 'odd' });
    const last = async () => {
      const { code, stdout } = await service.cli('query', bank, '--each');
      return { code, said: stdout.trimEnd().split('\n').at(-1) };
    };
    // Of one that does not respond in time, nothing is said.
    await expect.poll(last).toEqual({
      code: 0,
      said: expect.stringMatching(
        /^odd is alone: one, other give public addresses, and odd gives only addresses that block/,
      ),
    });
    const inJson = async () => {
      const { stdout } = await service.cli('query', bank, '--each', '--json');
      const told = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as ResponseOfOne);
      return told.map(({ comparison }) => comparison?.is ?? null);
    };
    await expect.poll(inJson).toEqual([null, null, 'blocking-address']);
  });

  it('the issue ends when the name is removed from the setting', async () => {
    await issue();
    expect((await service.cli('config', 'unset', 'crossCheck.names')).code).toBe(0);
    expect(await issues()).toEqual([]);
    expect(await checked()).toEqual([]);
  });
});
