/** All exceptions, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class LedgerPage extends Frame {
  get open(): Locator {
    return this.entries(/Open now|Derzeit offen/);
  }

  get ended(): Locator {
    return this.entries(/Ended|Beendet/);
  }

  get kind(): Locator {
    return this.content.getByRole('combobox');
  }

  button(name: string | RegExp): Locator {
    return this.content.getByRole('button', { name });
  }

  private entries(title: RegExp): Locator {
    return this.content.getByRole('list', { name: title }).getByRole('listitem');
  }
}
