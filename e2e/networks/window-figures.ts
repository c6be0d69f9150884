/** How long a person waits for the real window of a login, from the carrier's return, and for its end. */
import type { Lab } from '../rig/lab.ts';
import { gateway } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal } from './portal.ts';
import { Traveller } from './traveller.ts';

export interface WindowFigures {
  /** from the carrier's return until the service has permitted the login, */
  openedMs: number;
  /** until the window is shown, by itself, */
  shownMs: number;
  /** and until the login's first page is complete in it */
  pageMs: number;
  /** from the last page until the window has closed itself */
  closedMs: number;
}

export async function measureWindow(lab: Lab): Promise<WindowFigures> {
  const { client, network, internet } = await NetworkStage.open(lab);
  await Portal.start(lab, network, { silent: true });
  await network.carrier('down');
  const settings = { upstreams: internet.upstreams, systemResolvers: [gateway.v4] };
  const traveller = await Traveller.sitDown(lab, client, {
    settings: { ...settings, downgrade: 'fallback' },
    asksIn: null,
    trusts: null,
  });
  const [up, upAt] = [Number(process.hrtime.bigint()) / 1e6, Date.now()];
  await network.carrier('up');
  const closed = await traveller.sees('closed');
  const window = await traveller.sees('window');
  const pages = traveller.sights.filter(({ is }) => is === 'page');
  const [entry] = (await traveller.ledger()).filter((one) => one.class === 'portal');
  return {
    openedMs: (entry?.since ?? Number.NaN) - upAt,
    shownMs: Math.round(window.at - up),
    pageMs: Math.round((pages[0]?.at ?? Number.NaN) - up),
    closedMs: Math.round(closed.at - (pages.at(-1)?.at ?? Number.NaN)),
  };
}
