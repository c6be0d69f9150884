/**
 * A resolver of the catalogue has one address where no server answers and one where an impostor answers, in both orders, on a
 * network of its own. Every report must first say that an impostor answered, and name every address that was tried.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { ResponseOfOne } from '../../app/contract/probing/ask-each.ts';
import type { ProbeReport } from '../../app/contract/probing/probe-report.ts';
import type { MeasuredResolver } from '../../app/contract/settings/upstream-methods.ts';
import type { Finding } from '../../app/contract/status/finding.ts';
import { describeInLab } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { expectText } from '../ui/expect-page.ts';
import { FirstRunPage } from '../ui/pages/first-run-page.ts';
import { uiStage } from '../ui/stage.ts';

/** The default upstream's addresses, in its order; here they belong to the network namespace. */
const addresses = ['9.9.9.9', '149.112.112.112'] as const;
const [first, second] = addresses;

describeInLab(['sotto', 'sotto-server'], 'an impostor', () => {
  const stage = uiStage();

  describe.each([
    ['before an address where nobody is', first, second],
    ['after an address where nobody is', second, first],
  ])('%s', (_order, impostor, away) => {
    let service: SottoService;
    beforeAll(async () => {
      const network = await Namespace.create(stage.lab, 'impostor');
      for (const address of addresses) await network.ip('addr', 'add', address, 'dev', 'lo');
      await SottoServer.start(stage.lab, { on: network, addresses: [impostor] });
      service = await SottoService.start(stage.lab, {}, undefined, { on: network });
      await service.cli('query', 'host.example');
    });

    const reason = `${impostor}:853: the certificate's issuer is not trusted`;

    function expectBoth(text: string | undefined): void {
      expect(text).toMatch(new RegExp(`^(quad9: |Quad9: )?${escaped(reason)}`));
      expect(text).toContain(`${away}:853: can't connect`);
    }

    function expectTried({ tried = [] }: { tried?: ProbeReport['tried'] }): void {
      expect(tried[0]).toMatchObject({ address: `${impostor}:853`, code: 'certificate-issuer' });
      expect(tried).toContainEqual(
        expect.objectContaining({ address: `${away}:853`, code: 'connect-failed' }),
      );
    }

    it('is reported by the state and the status', async () => {
      const { protection, upstreams } = await eventually('it is refused', async () => {
        const status = await service.status();
        const isTold = status.health.some(
          ({ code, subject }) => code === 'certificate-wrong' && subject === 'quad9',
        );
        return status.protection.state === 'refusing' && isTold && status;
      });
      expectBoth(protection.state === 'refusing' ? protection.why : '');
      const lastError = upstreams[0]?.lastError;
      expect(lastError?.code).toBe('certificate-issuer');
      expectBoth(lastError?.text);
      expectTried(lastError ?? {});
      const { stdout } = await service.cli('status');
      expect(stdout).toContain(reason);
      expect(stdout).toContain(`${away}:853: can't connect`);
    });

    it('is reported by a test of the upstream', async () => {
      const report = await service.json<ProbeReport>('upstream', 'test', 'quad9');
      expect(report).toMatchObject({ ok: false, error: { code: 'certificate-issuer' } });
      expectBoth(report.error?.message);
      expectTried(report);
      expect((await service.cli('upstream', 'test', 'quad9')).stdout).toContain(
        `quad9 failed: ${reason}`,
      );
    });

    it('is reported where every upstream gets the query side by side', async () => {
      const { stdout } = await service.cli('query', 'host.example', '--each', '--json');
      const { error } = JSON.parse(stdout) as ResponseOfOne;
      expectBoth(error?.text);
      expectTried(error ?? {});
    });

    it('is reported by a measurement of the catalogue', async () => {
      const { stdout } = await service.cli('upstream', 'catalogue', '--measure', '--json');
      const measured = stdout.split('\n').filter(Boolean);
      const quad9 = measured
        .map((line) => JSON.parse(line) as MeasuredResolver)
        .find(({ resolver }) => resolver === 'quad9');
      expect(quad9).toMatchObject({ ok: false, address: `${impostor}:853` });
      expectBoth(quad9?.error?.message);
      expectTried(quad9 ?? {});
    });

    it('is reported by the measurement of the first run, in both languages', async () => {
      const english = new FirstRunPage(await stage.open(service));
      await english.unfold('More');
      await english.press('Measure from here');
      await english.unfold('could not be reached', 'Quad9');
      await expectText(english.content, reason);
      await expectText(english.content, `${away}:853: can't connect`);
      const german = new FirstRunPage(await stage.open(service, { locale: 'de-DE' }));
      await german.unfold('Mehr');
      await german.press('Von hier aus messen');
      await german.unfold('nicht erreichbar', 'Quad9');
      await expectText(
        german.content,
        `${impostor}:853: das Zertifikat kommt von keiner vertrauten Ausgabestelle; `,
      );
      await expectText(german.content, `${away}:853: keine Verbindung möglich`);
    });

    it('is reported by the doctor, with a service and without', async () => {
      const withService = await examined();
      await service.stop();
      for (const finding of [withService, await examined()]) {
        expect(finding).toMatchObject({ verdict: 'fail', subject: 'quad9' });
        expectBoth(finding?.text);
        expect(finding?.says.text[0]?.params['cause']).toMatch(
          new RegExp(
            `^${escaped(impostor)}:853 certificate-issuer, .*${escaped(away)}:853 connect-failed`,
          ),
        );
      }
    });

    async function examined(): Promise<Finding | undefined> {
      const { stdout } = await service.cli('doctor', '--json');
      const findings = stdout.split('\n').filter(Boolean);
      return findings
        .map((line) => JSON.parse(line) as Finding)
        .find(({ check }) => check === 'upstream');
    }
  });
});

function escaped(text: string): string {
  return text.replace(/[.()]/g, '\\$&');
}
