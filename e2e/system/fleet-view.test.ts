/**
 * What other programs make of Sotto's figures and queries: Prometheus and promtool, the reader of OpenMetrics that Prometheus's
 * authors keep, the schema of OTLP and a collector, and readers of dnstap. Settings and commands are those of docs/admin/metrics.md.
 */

import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { readUnit } from '../packages/unit.ts';
import { describeWith, locate } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { decodeOtlp, whyNoOtlpSchema } from '../rig/otlp-schema.ts';
import { patienceMs, startOtelCollector, whyNoOtelCollector } from '../rig/peers/otel-collector.ts';
import { freePort } from '../rig/ports.ts';
import { Program, run, succeed } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

/** They are sent a few seconds after the setting, then about once a minute. */
const withinMs = 200_000;

const page = readFileSync(inRoot('docs', 'admin', 'metrics.md'), 'utf8');

/** The first block of the page that holds this, without its fence. */
function told(language: string, start: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.find(([, kind, text]) => kind === language && text?.includes(start));
  if (found?.[2] === undefined) throw new Error(`docs/admin/metrics.md has no block ${start}`);
  return found[2];
}

/** What a command of the page writes into a file. */
function written(file: string): string {
  const [, text] = new RegExp(`^cat > ${file} <<'END'\\n([\\s\\S]*?)^END$`, 'm').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/admin/metrics.md writes no ${file}`);
  return text;
}

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'the fleet view', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
    service = await SottoService.start(lab, {
      upstreams: [upstream('own', 'dot', stage.unbound.tls, trusting(stage))],
    });
    await digInTime(service.v4, plant(1));
    await eventually('it is in the log', async () => {
      return (await service.log({ name: plant(1), outcome: 'forwarded' })).length > 0;
    });
  });

  const inHome = (name: string) => join(service.home, name);

  /** What the page tells, with places of this test in those of the page. */
  async function set(command: string, places: Record<string, string>): Promise<void> {
    const line = page
      .split('\n')
      .find((one) => one.startsWith(`sudo sotto config set ${command} `));
    const words = Object.entries(places).reduce(
      (text, [a, b]) => text.replaceAll(a, b),
      line ?? '',
    );
    expect(words, command).not.toBe('');
    const { code, stderr } = await service.cli(...words.split(' ').slice(2));
    expect([code, stderr]).toEqual([0, '']);
  }

  async function metricsAt(): Promise<string> {
    const port = await freePort();
    await set('metrics.listen', { '127.0.0.1:9653': `127.0.0.1:${port}` });
    await eventually('metrics are served', () =>
      fetch(`http://127.0.0.1:${port}/metrics`).then(({ ok }) => ok),
    );
    return `127.0.0.1:${port}`;
  }

  async function scrape(at: string, accept = '*/*'): Promise<string> {
    const curl = ['--silent', '--fail', '--show-error', '--header', `Accept: ${accept}`];
    return await succeed(locate('curl'), [...curl, `http://${at}/metrics`]);
  }

  /** Figures of the query log are left out while its disk takes long. */
  async function scrapeAll(at: string, accept?: string): Promise<string> {
    return await eventually('the figures of the query log', async () => {
      const text = await scrape(at, accept);
      return text.includes('sotto_query_duration_seconds_count') && text;
    });
  }

  describeWith(['promtool', 'prometheus', 'curl'], 'Prometheus', () => {
    it('fetches the figures by the configuration of the page, and promtool finds no fault', async () => {
      const at = await metricsAt();
      const fetching = told('sh', 'sotto config set metrics.listen').split('\n')[2] ?? '';
      expect(fetching).toContain('promtool check metrics');
      const checked = await run('bash', [
        '-o',
        'pipefail',
        '-c',
        fetching.replaceAll('127.0.0.1:9653', at),
      ]);
      expect(checked).toEqual({ code: 0, stdout: '', stderr: '' });

      const config = written('prometheus.yml').replaceAll('127.0.0.1:9653', at);
      await writeFile(inHome('prometheus.yml'), config.replace('15s', '1s'));
      await writeFile(inHome('sotto.rules.yml'), written('sotto.rules.yml'));
      const checks = await run('bash', ['-e', '-c', told('sh', 'promtool check config')], {
        cwd: service.home,
      });
      expect(checks.code, checks.stderr).toBe(0);
      expect(checks.stdout).toContain('SUCCESS: 4 rules found');

      const port = await freePort();
      const serving = [`--web.listen-address=127.0.0.1:${port}`, '--storage.tsdb.path=data'];
      const prometheus = lab.adopt(
        await Program.start(locate('prometheus'), ['--config.file=prometheus.yml', ...serving], {
          cwd: service.home,
        }),
      );
      const ask = async (query: string) => {
        const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
        const { data } = (await (await fetch(url)).json()) as {
          data: { result: { metric: Record<string, string>; value: [number, string] }[] };
        };
        return data.result;
      };
      await eventually('Prometheus has fetched', async () => {
        const [up] = await ask('up{job="sotto"}');
        return up?.value[1] === '1';
      });
      // Where one fetch takes longer than its second, there are no figures until the next one.
      const first = async (query: string) => (await ask(query))[0];
      const forwarded = async () =>
        Number((await first('sotto_queries_total{outcome="forwarded"}'))?.value[1]);
      await expect.poll(forwarded).toBeGreaterThanOrEqual(1);
      await expect
        .poll(() => first('sotto_upstream_up{upstream="own"}'))
        .toMatchObject({ metric: { transport: 'dot' }, value: [expect.any(Number), '1'] });
      const { version } = await service.status();
      await expect
        .poll(() => first('sotto_build_info'))
        .toMatchObject({ metric: expect.objectContaining({ version }) });
      await prometheus.stop();
    });

    it('reads the same figures as "sotto stats" and "sotto status" tell', async () => {
      const at = await metricsAt();
      const text = await scrapeAll(at);
      const value = (series: string) => {
        const line = text.split('\n').find((one) => one.startsWith(`${series} `));
        return Number(line?.split(' ')[1]);
      };
      const { outcomes, cache } = await service.status();
      expect(outcomes.forwarded).toBeGreaterThan(0);
      expect(value('sotto_queries_total{outcome="forwarded"}')).toBe(outcomes.forwarded);
      expect(value('sotto_cache_misses_total')).toBe(cache.misses);
      expect(value('sotto_query_duration_seconds_count')).toBe(outcomes.forwarded);
      await eventually('it shows the state', async () =>
        (await scrape(at)).includes('sotto_protection_state{state="private"} 1.0'),
      );
      await eventually('it shows how far the audit log goes', async () => {
        const { records, hash } = JSON.parse(await scrapedHead()) as {
          records: number;
          hash: string;
        };
        const head = `sotto_audit_head_info{records="${records}",hash="${hash}"} 1.0`;
        return (await scrape(at)).includes(head);
      });
      expect(text).not.toContain('garden');
    });

    async function scrapedHead(): Promise<string> {
      const { stdout } = await service.cli('audit', 'head', '--json');
      return stdout;
    }

    it('reads OpenMetrics where it asks for it', async (context) => {
      const reader = 'import prometheus_client.openmetrics.parser';
      const python = '/usr/bin/python3';
      const isThere = existsSync(python) && (await run(python, ['-c', reader])).code === 0;
      if (!isThere)
        context.skip('no python3-prometheus-client: apt-get install python3-prometheus-client');
      const text = await scrapeAll(
        await metricsAt(),
        'application/openmetrics-text; version=1.0.0',
      );
      const script = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
for family in read(sys.stdin.read()):
    print(family.name, family.type, family.unit)
`;
      await writeFile(inHome('read.py'), script);
      await writeFile(inHome('metrics.txt'), text);
      const families = await succeed('bash', ['-c', `${python} read.py < metrics.txt`], {
        cwd: service.home,
      });
      expect(families.split('\n')).toEqual(
        expect.arrayContaining([
          'sotto_queries counter ',
          'sotto_build info ',
          'sotto_query_duration_seconds histogram seconds',
          'sotto_memory_bytes gauge bytes',
        ]),
      );
    });
  });

  it('sends figures that the schema of OTLP reads, under the number that the page tells', async (context) => {
    const missing = await whyNoOtlpSchema();
    if (missing !== null) context.skip(missing);
    const bodies: { url: string | undefined; body: string }[] = [];
    const collector = createServer(async (request: IncomingMessage, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      bodies.push({ url: request.url, body });
      response.end('{}');
    });
    await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void collector.close().closeAllConnections());
    const { port } = collector.address() as AddressInfo;
    await set('metrics.collector', { '127.0.0.1:4318': `127.0.0.1:${port}` });
    const { url, body } = await eventually(
      'figures came, those of the query log, too',
      () => bodies.find(({ body }) => body.includes('sotto_query_duration')),
      withinMs,
    );
    await service.cli('config', 'set', 'metrics.collector', 'off');
    expect(url).toBe('/v1/metrics');
    const [sent] = (await decodeOtlp(body)).resourceMetrics;
    const metrics = sent?.scopeMetrics[0]?.metrics ?? [];
    const named = (name: string) => metrics.find((one) => one.name === name);
    expect(named('sotto_queries')?.sum?.isMonotonic).toBe(true);
    const duration = named('sotto_query_duration');
    expect(duration?.unit).toBe('s');
    expect(Number(duration?.histogram?.dataPoints[0]?.count)).toBeGreaterThanOrEqual(1);
    expect(body).not.toContain('garden');
    await expect(decodeOtlp(body.replace('asInt', 'asInteger'))).rejects.toThrow('asInteger');

    const number = told('sh', "printf 'sotto metrics'");
    const printed = await succeed('bash', ['-o', 'pipefail', '-c', number]);
    expect(sent?.resource.attributes).toContainEqual({
      key: 'service.instance.id',
      value: { stringValue: printed.slice(0, 32) },
    });
  });

  it(
    'sends figures that a collector takes by the configuration of the page, and hands on',
    async (context) => {
      const missing = await whyNoOtelCollector();
      if (missing !== null) context.skip(missing);
      const [receives, shows] = [await freePort(), await freePort()];
      const config = told('yaml', 'receivers:')
        .replace('0.0.0.0:4318', `127.0.0.1:${receives}`)
        .replace('127.0.0.1:9464', `127.0.0.1:${shows}`)
        // on this machine, it takes plain HTTP
        .replace(/^ *tls: .*\n/m, '');
      // It shows its own figures at a port that is always the same.
      const quiet = '  telemetry: { metrics: { level: none } }\n';
      const collector = await startOtelCollector(lab, config + quiet);
      await collector.ready(async () => collector.stderr.includes('Everything is ready'));
      await set('metrics.collector', { '127.0.0.1:4318': `127.0.0.1:${receives}` });
      const text = await eventually('the collector shows figures', async () => {
        const page = await succeed(locate('curl'), ['-sf', `http://127.0.0.1:${shows}/metrics`]);
        return page.includes('sotto_queries') && page;
      });
      await service.cli('config', 'set', 'metrics.collector', 'off');
      expect(text).toMatch(/^# TYPE sotto_queries_total counter$/m);
      expect(text).toMatch(/^sotto_query_duration_seconds_count\{.*\} [1-9]/m);
      expect(text).not.toContain('garden');
    },
    patienceMs,
  );

  describeWith(['fstrm_capture', 'dnstap-ldns', 'curl'], 'a dnstap reader', () => {
    /** What it printed of one name's messages: as YAML, one document each. */
    async function read(mode: string, name: string): Promise<string[]> {
      const [socket, file] = [inHome(`${mode}.sock`), inHome(`${mode}.fstrm`)];
      const [, ...words] = readUnit(told('sh', 'fstrm_capture'))
        .value('ExecStart')
        .replace('/run/dnstap/dnstap.sock', socket)
        .replace('/var/lib/dnstap/queries.fstrm', file)
        .split(' ');
      // With three of these letters it tells the end of each connection.
      const reader = lab.adopt(await Program.start(locate('fstrm_capture'), ['-ddd', ...words]));
      await eventually('the reader listens', () => existsSync(socket));
      await service.cli('config', 'set', 'queryLog.mode', mode);
      await set('dnstap.socket', { '/run/dnstap/dnstap.sock': socket });
      const [before, since] = [await figure('sotto_dnstap_frames_total'), Date.now() / 1000];
      await eventually('the query log has a query, and the reader what it may have', async () => {
        await dig(service.v4, name);
        const isCounted = (await figure('sotto_last_query_timestamp_seconds')) >= since;
        const isRead = (await figure('sotto_dnstap_frames_total')) > before;
        return isCounted && (isRead || mode === 'counts');
      });
      const isSent = (await figure('sotto_dnstap_frames_total')) > before;
      await service.cli('config', 'set', 'dnstap.socket', 'off');
      if (isSent) await reader.line(/closing \(read/);
      // It writes its file when it ends.
      await reader.stop('SIGTERM');
      const printed = await succeed(locate('dnstap-ldns'), ['-y', '-r', file]);
      return printed.split('---\n').filter(Boolean);
    }

    async function figure(series: string): Promise<number> {
      return Number(new RegExp(`^${series} (\\S+)$`, 'm').exec(await scrape(at))?.[1]);
    }

    let at: string;
    beforeAll(async () => {
      at = await metricsAt();
    });

    it('reads question, response code, times and client of each query', async () => {
      const messages = await read('full', plant(7));
      const message = messages.find((one) => one.includes('rcode: NOERROR')) ?? '';
      expect(message).toContain('type: CLIENT_RESPONSE');
      expect(message).toContain('socket_family: INET');
      expect(message).toContain('socket_protocol: UDP');
      expect(message).toMatch(/query_address: "?127\.0\.0\.1/);
      expect(message).toContain(`${plant(7).replace(/\.$/, '')}.`);
      expect(message).toMatch(/flags: qr tc rd ra/);
    });

    it('gets registrable domains where the log keeps no more, and nothing where it keeps no names', async () => {
      const [message = ''] = await read('domain', plant(8));
      expect(message).toContain('type: CLIENT_RESPONSE');
      expect(message).not.toContain(plant(8).split('.')[0]);
      expect(await read('counts', plant(9))).toEqual([]);
    });
  });
});
