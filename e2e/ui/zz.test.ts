import { it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'shots', () => {
  const stage = uiStage();
  it('shoots', async () => {
    const service = await stage.startService();
    for (const n of ['img3', 'comments', 'www', 'a', 'b', 'c', 'www', 'www', 'img3'])
      await askUdp(service.v4, encodeQuery(`${n}.herald.example`, 'A'), 10000);
    for (const n of ['www.mozilla.org', 'deb.debian.org'])
      await askUdp(service.v4, encodeQuery(n, 'A'), 10000);
    const routes = (process.env['R'] ?? 'queries').split(',');
    for (const route of routes)
      for (const [w, h, scheme, locale] of [
        [1080, 760, 'light', 'en-GB'],
        [320, 760, 'light', 'de-DE'],
        [1080, 760, 'dark', 'de-DE'],
      ] as const) {
        const page = await stage.open(service, {
          width: w,
          height: h,
          colorScheme: scheme,
          locale,
        });
        await page.evaluate(`location.hash = '#/${route}'`);
        await page.waitForTimeout(1500);
        await page.screenshot({
          path: `/tmp/w/shots/${route.replace(/\W/g, '-')}-${w}-${scheme}-${locale.slice(0, 2)}.png`,
        });
        await page.context().close();
      }
  }, 300000);
});
