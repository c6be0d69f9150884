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

  get chart(): Locator {
    return this.content.getByRole('slider', { name: /^(Queries|Anfragen)$/ });
  }

  /** What the chart says of all its time; null where there is none. */
  async counted(): Promise<{ all: number; wrong: number } | null> {
    if ((await this.chart.count()) === 0) return null;
    const said = (await this.chart.getAttribute('aria-valuetext')) ?? '';
    const number = (words: RegExp) => Number(words.exec(said)?.[1]?.replaceAll(',', '') ?? 0);
    return {
      all: number(/: ([\d,]+) quer(?:y|ies)/),
      wrong: number(/([\d,]+) blocked/) + number(/([\d,]+) failed/),
    };
  }

  /** Which intervals have bars: from 0, the earliest, to 1. */
  async filledPlaces(): Promise<number[]> {
    return await this.page.evaluate<number[]>(
      `[...document.querySelector('[role=slider]').children].flatMap((column, place, all) =>
        column.childElementCount === 0 ? [] : [place / all.length])`,
    );
  }

  view(name: string): Locator {
    return this.content
      .getByRole('group', { name: 'How to show them' })
      .getByRole('button', { name, exact: true });
  }

  /** Of a view that ranks: value and count. */
  get ranked(): Locator {
    return this.content.getByRole('table').locator('tbody tr');
  }

  /** Positions are parts of its width. */
  async dragAcross(from: number, to: number): Promise<void> {
    const box = await this.chart.boundingBox();
    if (box === null) throw new Error('there is no chart');
    const { mouse } = this.page;
    const middle = box.y + box.height / 2;
    await mouse.move(box.x + box.width * from, middle);
    await mouse.down();
    await mouse.move(box.x + box.width * to, middle, { steps: 5 });
    await mouse.up();
  }
}
