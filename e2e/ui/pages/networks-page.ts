/** The Networks page, as a person reads it. */
import type { Locator } from 'playwright-core';
import { Frame } from './frame.ts';

export class NetworksPage extends Frame {
  /** the card of the network that this machine is on */
  get here(): Locator {
    return this.content.getByRole('region', { name: /^(You are here|Sie sind hier)$/ });
  }

  /** the cards of the networks where it has been */
  get known(): Locator {
    return this.content
      .getByRole('list', { name: /^(Known networks|Bekannte Netzwerke)$/ })
      .locator('> li');
  }

  /** the field in which a name is typed */
  get name(): Locator {
    return this.content.getByRole('textbox');
  }

  get toast(): Locator {
    return this.page.getByRole('status').filter({ has: this.page.getByRole('button') });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  choice(card: Locator, name: string | RegExp): Locator {
    return card.getByRole('radio', { name });
  }
}
