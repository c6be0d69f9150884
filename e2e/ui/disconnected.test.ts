/** Without a connection every page shows what it knew last, in grey, below how old that is. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { expectAccessible } from './accessibility.ts';
import { expectText } from './expect-page.ts';
import { Frame } from './pages/frame.ts';
import { uiStage } from './stage.ts';

/** Each with words that are there once it has drawn what it knows. */
const drawn = {
  home: /Not in use yet.*from the cache/s,
  queries: /www\.herald\.example/,
  providers: /garden/,
  rules: /corp\.example/,
  networks: /Networks/,
  ledger: /corp\.example/,
  settings: /Kept queries/,
  diagnostics: /Examined/,
};

describeWith(['sotto', 'sotto-server'], 'a page whose service went away', () => {
  const stage = uiStage();

  it.each(['light', 'dark'] as const)('is grey and tells its age (%s)', async (colorScheme) => {
    const bypass = [{ suffix: 'corp.example', to: ['127.0.0.1:9'] }];
    const service = await stage.startService({ bypass });
    await dig(service.v4, 'www.herald.example');
    await service.outcomes('www.herald.example', 1);
    const pages: Frame[] = [];
    for (const [name, words] of Object.entries(drawn)) {
      const frame = new Frame(await stage.open(service, { colorScheme }));
      await frame.page.evaluate(`location.hash = '#/${name}'`);
      await expectText(frame.content, words);
      if (name === 'home') expect(await coloursOf(frame.page)).not.toEqual([]);
      pages.push(frame);
    }
    await service.stop();
    for (const frame of pages) {
      await expectText(frame.connection, /What you see is \d+ (seconds?|minutes?) old/);
      await expect.poll(() => coloursOf(frame.page), { message: frame.page.url() }).toEqual([]);
      await expectAccessible(frame.page);
    }
  });
});

/** What is drawn in colour on the page, below the frame. */
function coloursOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${readColours})()`);
}

/** Runs in the page. */
const readColours = `() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const isColour = (value) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = value;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, solid] = canvas.getImageData(0, 0, 1, 1).data;
    return solid > 0 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40;
  };
  const isText = (node) => node.nodeType === 3 && node.textContent.trim() !== '';
  const paintsOf = (element) => {
    const { color, backgroundColor, borderTopColor, borderTopWidth, fill, stroke } =
      getComputedStyle(element);
    if (element instanceof SVGGeometryElement) return [fill, stroke].filter((one) => one !== 'none');
    return [
      backgroundColor,
      ...([...element.childNodes].some(isText) ? [color] : []),
      ...(borderTopWidth === '0px' ? [] : [borderTopColor]),
    ];
  };
  return [...document.querySelectorAll('main *')]
    .filter((element) => element.checkVisibility())
    .flatMap((element) =>
      paintsOf(element)
        .filter(isColour)
        .map((paint) => [element.tagName, paint, element.textContent.slice(0, 30)].join(' ')),
    );
}`;
