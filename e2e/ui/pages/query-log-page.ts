/** The page Queries, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class QueryLogPage extends Frame {
  get filter(): Locator {
    return this.page.getByRole('combobox', { name: 'Filter' });
  }

  get problem(): Locator {
    return this.page.locator('#query-log-filter-problem');
  }

  get list(): Locator {
    return this.page.getByRole('grid');
  }

  get rows(): Locator {
    return this.list.getByRole('presentation').getByRole('row');
  }

  row(name: string): Locator {
    return this.rows.filter({ hasText: name });
  }

  /** what can come next in the filter */
  get offered(): Locator {
    return this.page.getByRole('listbox', { name: 'What can come next' }).getByRole('option');
  }

  get live(): Locator {
    return this.page.getByRole('button', { name: /^(Live|Held)/ });
  }

  /** how many rows match, of how many */
  get count(): Locator {
    return this.page.getByText(/^[\d,.]+ (of|von) [\d,.]+$/);
  }

  get alert(): Locator {
    return this.page.getByRole('main').getByRole('alert');
  }

  get chips(): Locator {
    return this.page
      .getByRole('list', { name: /word by word|Wort für Wort/ })
      .getByRole('listitem');
  }

  get detail(): Locator {
    return this.page.getByRole('region', { name: /One query|Eine Anfrage/ });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  menuItem(name: string): Locator {
    return this.page.getByRole('menuitem', { name });
  }

  get histogram(): Locator {
    return this.page.getByRole('img', { name: /went wrong/ });
  }

  /** The histogram's description; null while it counts. */
  async counted(): Promise<{ all: number; wrong: number } | null> {
    if ((await this.histogram.count()) === 0) return null;
    const said = (await this.histogram.getAttribute('aria-label')) ?? '';
    const [, all, wrong] = /^([\d,]+) .*; ([\d,]+) /.exec(said) ?? [];
    const read = (number = '') => Number(number.replaceAll(',', ''));
    return { all: read(all), wrong: read(wrong) };
  }

  /** Of the left half and of the right half. */
  async drawnPixels(): Promise<[left: number, right: number]> {
    return await this.page.evaluate<[number, number]>(`(() => {
      const canvas = document.querySelector('[role=img] canvas');
      const half = Math.floor(canvas.width / 2);
      const drawn = (from) => canvas.getContext('2d').getImageData(from, 0, half, canvas.height)
        .data.filter((alpha, index) => index % 4 === 3 && alpha > 0).length;
      return [drawn(0), drawn(half)];
    })()`);
  }

  /** Positions are parts of its width. */
  async dragAcross(from: number, to: number): Promise<void> {
    const box = await this.histogram.locator('.u-over').boundingBox();
    if (box === null) throw new Error('there is no picture');
    const { mouse } = this.page;
    const middle = box.y + box.height / 2;
    await mouse.move(box.x + box.width * from, middle);
    await mouse.down();
    await mouse.move(box.x + box.width * to, middle, { steps: 5 });
    await mouse.up();
  }
}
