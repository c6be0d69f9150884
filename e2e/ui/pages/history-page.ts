/** The History page, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class HistoryPage extends Frame {
  get filter(): Locator {
    return this.page.getByRole('textbox', { name: 'Filter' });
  }

  get problem(): Locator {
    return this.page.locator('#history-filter-problem');
  }

  get list(): Locator {
    return this.page.getByRole('grid');
  }

  get rows(): Locator {
    return this.list.getByRole('row');
  }

  row(name: string): Locator {
    return this.rows.filter({ hasText: name });
  }

  get chips(): Locator {
    return this.page
      .getByRole('list', { name: /word by word|Wort für Wort/ })
      .getByRole('listitem');
  }

  get detail(): Locator {
    return this.page.getByRole('region', { name: /One question|Eine Anfrage/ });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  menuItem(name: string): Locator {
    return this.page.getByRole('menuitem', { name });
  }
}
