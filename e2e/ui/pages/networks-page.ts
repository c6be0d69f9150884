/** The Networks page, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class NetworksPage extends Frame {
  /** the name of the network that this machine is on */
  get here(): Locator {
    return this.content.getByRole('heading', { level: 3 }).first();
  }

  get remembered(): Locator {
    return this.content.getByRole('list', { name: /^(Remembered|Gemerkt)$/ }).getByRole('listitem');
  }

  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  choice(name: RegExp): Locator {
    return this.dialog.getByRole('radio', { name });
  }
}
