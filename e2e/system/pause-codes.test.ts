/**
 * A help desk lets a machine pause, by the real commands on both sides, and the audit log of the real service tells all of it: also
 * through deaths of the service, and to whoever checks its files afterwards.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { AuditRecord } from '../../app/contract/protection/audit-record.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, parse } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';

describeWith(['sotto'], 'a machine that pauses by codes alone', () => {
  const lab = labForFile();
  let service: SottoService;
  const inHome = (name: string) => join(service.home, name);
  const secret = () => inHome('help-desk.secret');

  beforeEach(async () => {
    service = await SottoService.start(lab, {
      upstreams: [{ id: 'none', transport: 'dot', address: '127.0.0.1:9', name: 'none.example' }],
    });
    await done('pause-code', 'keygen', secret());
    await done('pause-code', 'key', inHome('pause.key'), '--secret', secret());
    await mkdir(inHome('policy.d'), { recursive: true });
    const settings = { pause: { value: 'code', lock: 'locked', reason: 'ask the help desk' } };
    await writeFile(inHome('policy.d/corp.json'), JSON.stringify({ name: 'Corp', settings }));
    await eventually('the policy is in force', async () =>
      (await events()).includes('policy-in-force'),
    );
    return async () => void (await service.stop());
  });

  async function done(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await service.cli(...words);
    expect([stderr, code], words.join(' ')).toEqual(['', 0]);
    return stdout;
  }

  async function records(): Promise<AuditRecord[]> {
    const told = await done('audit', '-n', '1000', '--json');
    return told
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditRecord);
  }

  const events = async () => (await records()).map(({ event }) => event);

  /** Of a machine that asks for so long. */
  async function codeFor(duration: string): Promise<string> {
    const asked = await service.cli('pause', duration);
    const [, challenge = ''] = /^ {2}(([0-9A-Z]{4}-){4}[0-9A-Z]{4})$/m.exec(asked.stdout) ?? [];
    expect([asked.code, asked.stdout]).toEqual([1, expect.stringContaining('your help desk')]);
    const answer = await done('pause-code', 'answer', challenge, '--key', secret(), '--json');
    return (JSON.parse(answer) as { code: string }).code;
  }

  const state = async () => (await service.status()).protection.state;
  const give = (code: string) => service.cli('pause', '--code', code);

  it('pauses once for each code, and every step is in a log without names', async () => {
    const off = await service.cli('off');
    expect([off.code, off.stderr]).toEqual([1, expect.stringContaining("can't be switched off")]);
    const code = await codeFor('10m');
    expect(await state()).not.toBe('paused');
    await done('pause', '--code', code);
    expect(await state()).toBe('paused');
    await done('on');
    expect((await give(code)).stderr).toContain('no challenge is open');
    expect(await state()).not.toBe('paused');

    parse(await askUdp(service.v4, encodeQuery('secret-name.example', 'A')));
    expect((await events()).slice(-6)).toEqual([
      'switch-refused',
      'switch-refused',
      'challenge-made',
      'pause-code-accepted',
      'protection-switched',
      'pause-code-refused',
    ]);
    expect(await readFile(inHome('audit.jsonl'), 'utf8')).not.toContain('secret-name');
  });

  it('makes a guess wait, also after the service died', async () => {
    await codeFor('10m');
    expect((await give('0000-0000')).stderr).toContain('not the code for this challenge');
    await service.kill();
    const file = inHome('pause-attempts.json');
    const kept = JSON.parse(await readFile(file, 'utf8')) as { wrong: number };
    expect(kept.wrong).toBe(1);
    // As many as make it wait longer than this machine may take to start the service.
    await writeFile(file, JSON.stringify({ ...kept, wrong: 9 }));
    await service.restart();
    expect((await give(await codeFor('10m'))).stderr).toContain('a wrong code was given a moment');
    await service.kill();
    await writeFile(file, JSON.stringify({ ...kept, wrong: 0 }));
    await service.restart();
    expect((await give(await codeFor('10m'))).code).toBe(0);
    expect(await state()).toBe('paused');
  });

  it('keeps a chain through deaths of the service, and shows what was changed in it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const switching = service.cli('on');
      if (round % 2 === 0) await switching;
      await service.kill();
      await switching.catch(() => null);
      await service.restart();
    }
    const head = (await done('audit', 'head')).trim();
    expect(await done('audit', 'verify', '--head', head)).toContain('The chain holds: records 1');
    await service.kill();
    const file = inHome('audit.jsonl');
    const text = await readFile(file, 'utf8');

    await writeFile(file, text.replace('"locked":["pause"]', '"locked":[]'));
    const changed = await service.cli('audit', 'verify');
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining(`${file}, line`)]);

    await writeFile(file, `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
    const cut = await service.cli('audit', 'verify', '--head', head);
    expect([cut.code, cut.stdout]).toEqual([1, expect.stringContaining('the end was cut off')]);

    await writeFile(file, text.slice(0, -20));
    await service.restart();
    expect(await events()).toContain('interrupted');
    expect(await done('audit', 'verify')).toContain('The chain holds');
  });
});
