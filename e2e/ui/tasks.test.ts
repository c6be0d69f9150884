/** Ten things that people want of Sotto, each done from Home by somebody who has not read anything, in three clicks at most. */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { ServiceHandlers } from '../../app/contract/service-api.ts';
import { inRoot } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { encodeQuery } from '../rig/message.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectText } from './expect-page.ts';
import { rulesInForce } from './in-force.ts';
import { Frame } from './pages/frame.ts';
import { seenWithSystemDns } from './seen-service.ts';
import { uiStage } from './stage.ts';

const mostClicks = 3;

describeWith(['sotto', 'sotto-server'], 'a person', () => {
  const stage = uiStage();

  /** Protected, and asked a few names; `garden` answers, `meadow` is there, too. */
  async function home(handlers: Partial<ServiceHandlers> = {}): Promise<Person> {
    const answers = inRoot('assets', 'demo', 'example.zone');
    const [garden, meadow] = await Promise.all(
      ['garden', 'meadow'].map((name) =>
        SottoServer.start(stage.lab, { answers, name: `${name}.demo.example` }),
      ),
    );
    const service = await stage.startService({
      systemResolvers: ['127.0.0.1:9'],
      upstreams: [garden?.upstream('garden'), meadow?.upstream('meadow')],
    });
    for (const host of ['www', 'img3', 'comments', 'www'])
      await askUdp(service.v4, encodeQuery(`${host}.herald.example`, 'A'));
    const seen = await seenWithSystemDns(stage.lab, service, { taken: true, ...handlers });
    return new Person(await stage.open(seen, { width: 1080, height: 760 }), service);
  }

  it('sees whether this computer is protected', async () => {
    const person = await home();
    await expectText(person.content.getByRole('heading', { level: 1 }), 'Protected');
    person.expectClicks(0);
  });

  it('switches off for five minutes', async () => {
    const person = await home();
    await person.click(person.content.getByRole('button', { name: 'Pause' }));
    await person.click(person.page.getByRole('menuitem', { name: 'for 5 minutes', exact: true }));
    await expect.poll(async () => (await person.service.status()).protection.state).toBe('paused');
    person.expectClicks(2);
  });

  it('sees what this computer asked in the last hour', async () => {
    const person = await home();
    await person.goTo('Queries');
    await person.click(person.content.getByRole('button', { name: '1 h' }));
    await expectText(person.content.getByRole('grid'), 'img3.herald.example');
    person.expectClicks(2);
  });

  it('sees which domain was asked for most', async () => {
    const person = await home();
    await person.goTo('Queries');
    await person.click(person.content.getByRole('button', { name: 'By domain' }));
    await expectText(person.content.getByRole('table').locator('tbody tr').first(), 'example');
    person.expectClicks(2);
  });

  it('sees why a query took its time', async () => {
    const person = await home();
    await person.goTo('Queries');
    const row = person.content.getByRole('row').filter({ hasText: 'comments.herald.example' });
    await person.click(row.getByRole('gridcell').last());
    const detail = person.page.getByRole('region', { name: 'One query' });
    await expectText(detail, 'The connection was');
    await expectText(detail, 'wait');
    person.expectClicks(2);
  });

  it('sends corp.example to the resolver of a VPN', async () => {
    const person = await home();
    await person.goTo('Exceptions');
    await person.click(person.content.getByRole('button', { name: /^Add an exception/ }));
    await person.page.getByRole('textbox', { name: 'Domain' }).fill('corp.example');
    await person.page.getByRole('textbox', { name: 'Answered by' }).fill('192.0.2.53');
    await person.click(person.page.getByRole('button', { name: 'Send these names unencrypted' }));
    await expect.poll(() => rulesOf(person.service)).toEqual(['corp.example']);
    person.expectClicks(3);
  });

  it('chooses another provider', async () => {
    const person = await home();
    await person.goTo('Providers');
    await person.click(person.content.getByRole('button', { name: /^Make first/ }).first());
    await expect
      .poll(async () => (await person.service.status()).upstreams[0]?.id)
      .not.toBe('garden');
    person.expectClicks(2);
  });

  it('sees on which network this computer is, and what may happen there', async () => {
    const person = await home();
    await person.goTo('Networks');
    const here = person.content.getByRole('region', { name: 'You are here' });
    await expectText(here, /Network on/);
    await expectText(here.getByRole('radio', { checked: true }), 'Block');
    person.expectClicks(1);
  });

  it('sees who goes around Sotto, and how to change that', async () => {
    const person = await home({ 'coverage.map': () => ({ ok: true, value: around() }) });
    await expectText(person.content, 'Chromium');
    await person.click(person.content.getByRole('button', { name: /How to fix/ }).first());
    await expectText(person.page.getByRole('dialog'), /Chromium/);
    person.expectClicks(1);
  });

  it('takes a change back', async () => {
    const person = await home();
    await person.service.cli('rule', 'add', 'corp.example', '192.0.2.53');
    await person.goTo('Exceptions');
    await person.click(
      person.content.getByRole('button', { name: 'Remove the exception for corp.example' }),
    );
    await expect.poll(() => rulesOf(person.service)).toEqual([]);
    await person.click(person.page.getByRole('button', { name: 'Undo' }));
    await expect.poll(() => rulesOf(person.service)).toEqual(['corp.example']);
    person.expectClicks(3);
  });
});

async function rulesOf(service: SottoService): Promise<string[]> {
  return (await rulesInForce(service)).map(({ suffix }) => suffix);
}

function around() {
  const says = { text: [], remedy: [] };
  const row = {
    source: 'counted',
    user: null,
    rejected: 0,
    since: 0,
    newest: 0,
    weighs: true,
    says,
  } as const;
  return {
    at: Date.now(),
    countsSince: 0,
    uncounted: null,
    limits: [],
    rows: [
      {
        ...row,
        ...{ kind: 'browser', name: 'Chromium', to: ['192.0.2.1:53'], count: 7 },
        ...{ text: 'Chromium uses its own DNS.', remedy: 'sotto fix chromium', fix: 'chromium' },
      },
    ],
  } as never;
}

/** Counts clicks, from Home on. */
class Person extends Frame {
  readonly service: SottoService;
  #clicks = 0;

  constructor(page: Page, service: SottoService) {
    super(page);
    this.service = service;
  }

  async click(target: Locator): Promise<void> {
    this.#clicks += 1;
    await target.click();
  }

  override async goTo(name: string): Promise<void> {
    this.#clicks += 1;
    await super.goTo(name);
  }

  expectClicks(count: number): void {
    expect(this.#clicks).toBe(count);
    expect(count).toBeLessThanOrEqual(mostClicks);
  }
}
