/**
 * A person at a desktop, as a program to start on a machine; its one argument is Habits as JSON. The tray runs in a real Electron
 * and starts the service. When a network wants a login, the person opens its window, or waits for it, and clicks the one button
 * of each page until the window is gone. Prints what the person sees as lines of JSON (Sight).
 */
import { eventually } from '../rig/eventually.ts';
import { Lab } from '../rig/lab.ts';
import { succeed } from '../rig/process.ts';
import type { SettingsFile } from '../rig/sotto-service.ts';
import { person } from '../tray/person.ts';
import { TrayStage } from '../tray/tray-stage.ts';

export interface Habits {
  /** of the service that the tray starts */
  settings: SettingsFile;
  /** where the person opens the window of a login; null: the person waits for it */
  asksIn: 'notification' | 'menu' | null;
  /** a PEM file of an authority that this person's programs trust, and the program that adds it */
  trusts: { ca: string; certutil: string } | null;
}

/** `at`: milliseconds of a clock that all programs of this machine share, and that cannot be set. */
export type Sight = { at: number } & (
  | { is: 'desktop'; home: string }
  | { is: 'window' }
  | { is: 'page'; page: Page }
  | { is: 'closed' }
);

interface Page {
  title: string;
  address: string;
  /** the text in the window's own bar */
  bar: { site: string; time: string; said: string };
}

const clickAgainMs = 1_000;
const habits = JSON.parse(process.argv[2] ?? '{}') as Habits;
const lab = new Lab();
await lab.open();

const stage = await TrayStage.open(lab, habits.settings, trust, ['--hidden']);
// Playwright's own handler would kill Electron, whose tray nobody could then quit.
process.removeAllListeners('SIGTERM');
process.once('SIGTERM', async () => {
  process.stderr.write(lab.transcripts());
  await lab.close().finally(() => process.exit());
});
const { application, host, home } = stage;
await application.evaluate(({ app }) => {
  const marks: Record<string, number> = {};
  Object.assign(globalThis, { marks });
  const mark = (what: string) => () => {
    marks[what] ??= Number(process.hrtime.bigint()) / 1e6;
  };
  app.on('browser-window-created', (_event, window) => {
    window.once('show', mark('show'));
    window.once('closed', mark('closed'));
  });
});
await eventually('the service', async () => (await stage.status()).protection);
const noService = /Looking for|not running|has ended/;
await eventually('the tray knows it', async () => !noService.test(await host.tooltip()));
tell({ is: 'desktop', home });

if (habits.asksIn === 'menu') await host.click('Open login page');
if (habits.asksIn === 'notification') {
  const { notifications } = host;
  const told = await notifications.shown('Log in to this Wi-Fi');
  notifications.press(told, 'Open login page');
}
tell({ is: 'window' }, await timeOf('show'));
for (let seen = ''; ; ) {
  let clicked = Number.NEGATIVE_INFINITY;
  const page = await eventually('another page, or none', async () => {
    const next = await nextPage(seen);
    // A click that comes before Chromium has drawn the page is lost, so the person clicks again.
    if (next === null && Date.now() - clicked > clickAgainMs) {
      clicked = Date.now();
      await clickButton(seen);
    }
    return next;
  });
  if (page === 'closed') break;
  tell({ is: 'page', page });
  seen = page.title;
}
tell({ is: 'closed' }, await timeOf('closed'));

/** Chromium's own store of trusted authorities. */
async function trust(_home: string, configuration: string): Promise<void> {
  if (habits.trusts === null) return;
  const { ca, certutil } = habits.trusts;
  const store = `${configuration}/.pki/nssdb`;
  await succeed(...person.inside('mkdir', ['-p', store]));
  const add = ['-A', '-d', `sql:${store}`, '-n', 'portal', '-t', 'C,,', '-i', ca];
  await succeed(...person.inside(certutil, add));
}

/** A page that is complete, and that the bar names. */
async function nextPage(seen: string): Promise<Page | 'closed' | null> {
  const page = await application.evaluate(async ({ BrowserWindow, webContents }) => {
    if (BrowserWindow.getAllWindows().length === 0) return 'closed';
    const all = webContents.getAllWebContents();
    const shown = all.find((one) => /^https?:/.test(one.getURL()));
    const bar = all.find((one) => one.getURL().startsWith('data:'));
    if (shown === undefined || bar === undefined || shown.isLoading()) return null;
    const code =
      'Object.fromEntries(["site", "time", "said"].map((id) => [id, document.getElementById(id).textContent]))';
    // contents that close meanwhile never reply
    const gone = new Promise<null>((done) => setTimeout(done, 1000, null));
    const said = (await Promise.race([bar.executeJavaScript(code), gone])) as Page['bar'] | null;
    return said && { title: shown.getTitle(), address: shown.getURL(), bar: said };
  });
  if (page === 'closed') return page;
  if (page === null) return null;
  if (page.bar.said !== '') process.stderr.write(`the bar says: ${page.bar.said}\n`);
  return page.title !== seen && page.bar.site !== '' ? page : null;
}

/** Clicks the button of the page with this title with the mouse, if page and button still exist. */
async function clickButton(title: string): Promise<void> {
  await application.evaluate(async ({ webContents }, wanted) => {
    const page = webContents.getAllWebContents().find((one) => /^https?:/.test(one.getURL()));
    if (page === undefined || page.isLoading() || page.getTitle() !== wanted) return;
    const code = `(() => {
      const box = document.querySelector('button')?.getBoundingClientRect();
      return box && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
    })()`;
    const gone = new Promise<undefined>((done) => setTimeout(done, 1000, undefined));
    const place = (await Promise.race([page.executeJavaScript(code), gone])) as
      | { x: number; y: number }
      | undefined;
    if (place === undefined) return;
    for (const type of ['mouseDown', 'mouseUp'] as const)
      page.sendInputEvent({ type, button: 'left', clickCount: 1, ...place });
  }, title);
}

async function timeOf(what: 'show' | 'closed'): Promise<number> {
  const read = () =>
    application.evaluate(() => (globalThis as unknown as { marks: Record<string, number> }).marks);
  return await eventually(`the window: ${what}`, async () => (await read())[what]);
}

type News<Known> = Known extends Sight ? Omit<Known, 'at'> : never;

function tell(sight: News<Sight>, at = Number(process.hrtime.bigint()) / 1e6): void {
  process.stdout.write(`${JSON.stringify({ ...sight, at })}\n`);
}
