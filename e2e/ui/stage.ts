/** The real service with a real upstream, the page's own server, and a browser that shows the page. */
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { servePage } from '../../app/page/page-server.ts';
import { systemAuthority } from '../../app/page/system-authority.ts';
import { connectToService } from '../../app/service-client/service-client.ts';
import { inRoot, nodeFlags, rendererOutput } from '../../build/places.mjs';
import { commandLine } from '../rig/available.ts';
import { eventually, patienceMs } from '../rig/eventually.ts';
import { type Lab, labForFile } from '../rig/lab.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import { Program } from '../rig/process.ts';
import { type SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { openBrowser } from './browser.ts';

export interface Look {
  locale?: string;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** the time at which the page believes to be, in unix milliseconds */
  now?: number;
}

export interface UiStage {
  lab: Lab;
  /** A service of its own, whose one upstream "garden" serves the demo's zone. Without other upstreams it is connected. */
  startService(settings?: SettingsFile): Promise<SottoService>;
  /** The same for all tests of the file, with these settings and no others. It remembers what earlier tests did. */
  service(settings?: SettingsFile): Promise<SottoService>;
  /** The page of that service, in a browser profile of its own. */
  open(service: Pick<SottoService, 'home'>, look?: Look): Promise<Page>;
  browser(): Browser;
  /** A profile of its own in the browser, for a page that the test opens. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
}

export const upstreamName = 'garden';

/** The file of the zone that "garden" serves. */
type ZoneFile = (lab: Lab) => Promise<string>;

const demoZone: ZoneFile = async () => inRoot('assets', 'demo', 'example.zone');

/** Opens the stage for the describe block in which it is called. Each error of a page fails its test. */
export function uiStage(zone = demoZone): UiStage {
  const lab = labForFile();
  const contexts: BrowserContext[] = [];
  let complaints: string[] = [];
  let browser: Browser | undefined;
  let server: SottoServer | undefined;
  let shared: SottoService | undefined;
  beforeAll(async () => {
    const answers = await zone(lab);
    const name = 'resolver.demo.example';
    [browser, server] = await Promise.all([
      openBrowser(),
      SottoServer.start(lab, { answers, name }),
    ]);
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    const said = complaints;
    complaints = [];
    expect(said, 'what pages complained of').toEqual([]);
  });
  afterAll(() => browser?.close());

  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await started(browser).newContext(options);
    context.setDefaultTimeout(patienceMs);
    contexts.push(context);
    return context;
  }

  const served = () => ({ upstreams: [started(server).upstream(upstreamName, 'tdns')] });

  async function startService(settings: SettingsFile = {}): Promise<SottoService> {
    const service = await SottoService.start(lab, { ...served(), ...settings });
    // what a test asks while it still connects may fail, where the machine stands still for a moment
    if (!('upstreams' in settings))
      await eventually('it is connected', async () => {
        const { protection } = await service.status();
        return protection.state !== 'starting';
      });
    return service;
  }

  return {
    lab,
    browser: () => started(browser),
    newContext,
    startService,
    async service(settings = {}) {
      shared ??= await startService();
      await shared.apply({ ...served(), ...settings });
      return shared;
    },
    async open(
      service,
      { locale = 'en-GB', width = 1024, height = 768, colorScheme = 'light', now } = {},
    ) {
      const address = await serveHere(lab, service);
      const context = await newContext({
        locale,
        colorScheme,
        viewport: { width, height },
        reducedMotion: 'reduce',
        timezoneId: 'UTC',
      });
      const page = await context.newPage();
      if (now !== undefined) await page.clock.setSystemTime(now);
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (/Content.Security.Policy|React|Warning/i.test(message.text()))
          complaints.push(message.text());
      });
      await page.goto(address);
      // the page has removed its code from the address, which the test may change from now on
      await page.waitForURL(
        ({ protocol, hash }) => protocol === 'http:' && !hash.startsWith('#code='),
      );
      // it is drawn, and takes keys, once its language is there
      await page.getByRole('main').waitFor();
      return page;
    },
  };
}

/** What `sotto ui` does, in this process, because a Node of its own for each page costs more than the page. */
async function serveHere(lab: Lab, { home }: Pick<SottoService, 'home'>): Promise<string> {
  const page = await servePage({
    connect: () => connectToService(join(home, 'control.sock'), 'sotto ui'),
    authority: systemAuthority(),
    files: rendererOutput,
  });
  lab.adopt({ stop: page.close });
  return page.handover.fileUrl;
}

/** `sotto ui`, and the address that its file leads to. */
export async function startPage(lab: Lab, service: Pick<SottoService, 'home'>): Promise<string> {
  const args = [...nodeFlags, commandLine, 'ui', '--no-open', '--json'];
  const program = lab.adopt(
    await Program.start(process.execPath, args, { env: { SOTTO_HOME: service.home } }),
  );
  const [said] = await program.line(/^\{.*\}$/m);
  return `file://${(JSON.parse(said) as { file: string }).file}`;
}

function started<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('the stage is not set yet');
  return thing;
}
